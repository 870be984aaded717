@testable import CryptorFormat

/// The two ways in which a file is written before it is complete.
enum Naming: CaseIterable, Sendable {
    /// Without a name, where the system has such files.
    case anonymous
    /// Under a temporary name.
    case named

    func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try TemporaryFile.$usesAnonymousFiles.withValue(self == .anonymous, operation: body)
    }
}
