import Foundation
import CryptorTestSupport
import Testing

/// A library that stands between the command and the system, loaded with LD_PRELOAD.
enum Interposer {
    private static let compiler: String? = {
        let candidates = ["cc", "clang", "gcc"]
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return candidates.lazy.flatMap { name in paths.map { "\($0)/\(name)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    #if os(Linux)
    // A sanitizer itself stands between the command and the system.
    static let isAvailable = compiler != nil && !Sanitizer.watchesMemory
    #else
    static let isAvailable = false
    #endif

    /// Builds `Tests/Interposers/NAME.c`, which says what it does.
    /// - Returns: the path of the library.
    static func build(_ name: String, in place: Workplace) throws -> String {
        let source = packageFolder.appendingPathComponent("Tests/Interposers/\(name).c").path
        let headers = packageFolder.appendingPathComponent("Tests/CCryptorProbe/include").path
        try place.succeed("\(compiler ?? "cc") -shared -fPIC -I '\(headers)' -o \(name).so '\(source)' -ldl")
        return place.folder.appendingPathComponent("\(name).so").path
    }
}
