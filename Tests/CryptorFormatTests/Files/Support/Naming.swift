import CCryptorProbe

/// The two ways in which a file is written before it is complete.
enum Naming: CaseIterable, Sendable {
    /// Without a name, where the system has such files.
    case anonymous
    /// Under a temporary name, as where the file system has no files without names.
    case named

    /// - Parameter body: does its work on this thread.
    func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        probe_refuse_nameless(self == .named)
        defer { probe_refuse_nameless(false) }
        return try body()
    }
}
