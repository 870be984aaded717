import CryptorSystem
import CryptorTestSupport
import Foundation
import Testing

/// The command as it was built together with these tests.
enum BuiltCommand {
    /// `CRYPTORFORMAT_COMMAND`, or the binary beside the test runner's.
    static let path: String = {
        let other = ProcessInfo.processInfo.environment["CRYPTORFORMAT_COMMAND"] ?? ""
        return other.isEmpty
            ? ProbeProcess.directory.appendingPathComponent("rncryptor").path : other
    }()
}

/// The directory of this package.
let packageDirectory = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// A library that stands between the command and the system, loaded with LD_PRELOAD.
enum Interposer {
    private static let compiler: String? = {
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return ["cc", "clang", "gcc"].lazy.flatMap { name in paths.map { "\($0)/\(name)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    #if os(Linux)
    // A sanitizer itself stands between the command and the system.
    static let isAvailable = compiler != nil && !Sanitizer.watchesMemory
    #else
    static let isAvailable = false
    #endif

    /// The paths of the libraries that this process has built.
    private static let built = Lock<[String: String]>([:])

    /// Builds `Tests/Interposers/NAME.c`, which says what it does, if this process has not yet done
    /// so.
    /// - Returns: the path of the library.
    static func path(_ name: String) throws -> String {
        try built.withLock { built in
            if let path = built[name] { return path }
            let source = packageDirectory.appendingPathComponent("Tests/Interposers/\(name).c").path
            let headers = packageDirectory.appendingPathComponent("Tests/CCryptorProbe/include")
                .path
            let path = ProbeProcess.directory.appendingPathComponent("interposer-\(name).so").path
            // Another run of the tests may use the library that is there.
            try Workplace().succeed(
                """
                \(compiler ?? "cc") -shared -fPIC -I '\(headers)' -o \(name).so '\(source)' -ldl
                cp \(name).so '\(path).new' && mv '\(path).new' '\(path)'
                """)
            built[name] = path
            return path
        }
    }
}
