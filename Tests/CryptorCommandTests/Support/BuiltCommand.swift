import Foundation

/// The command as it was built together with these tests.
enum BuiltCommand {
    /// `CRYPTORFORMAT_COMMAND`, or the binary beside the test runner's.
    static let path: String = {
        if let path = ProcessInfo.processInfo.environment["CRYPTORFORMAT_COMMAND"] { return path }
        #if os(Linux)
        let runner = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: runner).deletingLastPathComponent().appendingPathComponent("rncryptor").path
        #else
        return Bundle.main.bundleURL.deletingLastPathComponent().appendingPathComponent("rncryptor").path
        #endif
    }()
}

/// The folder of this package.
let packageFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
