import Foundation

/// Another program that is measured.
struct Tool {
    let path: String

    /// A program in one of the directories of `PATH`.
    static func named(_ name: String) throws -> Tool {
        let directories = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let paths = directories.split(separator: ":").map { "\($0)/\(name)" }
        return try first(
            of: paths, otherwise: "\(name) is not installed: scripts/prepare benchmarks")
    }

    /// The command of this package.
    static func command() throws -> Tool {
        try first(
            of: [".build/release/rncryptor", "../../.build/release/rncryptor"],
            otherwise: """
                there is no .build/release/rncryptor: \
                swift build -c release --product rncryptor --static-swift-stdlib
                """
        )
    }

    /// A Python that has PyPI's `rncryptor`.
    static func python() throws -> Tool {
        let named = ProcessInfo.processInfo.environment["CRYPTORFORMAT_PYTHON"]
        return try first(
            of: [named, ".build/python/bin/python", "../../.build/python/bin/python"].compactMap(
                \.self),
            otherwise: "there is no Python with rncryptor: scripts/python")
    }

    private static func first(of paths: [String], otherwise reason: String) throws -> Tool {
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
            throw BenchmarkError.skipped(reason)
        }
        return Tool(path: path)
    }

    /// Runs a command of the shell, which gets the other arguments as "$0", "$1" and so on.
    static func shell(_ command: String, _ arguments: String...) throws {
        try Tool(path: "/bin/sh").run(["-c", command] + arguments)
    }

    /// Runs the tool until it ends, and returns what it writes to standard output. Throws unless
    /// its status is 0.
    @discardableResult
    func run(_ arguments: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        // waitUntilExit() looks every 50 milliseconds.
        let hasEnded = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in hasEnded.signal() }
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        hasEnded.wait()
        try check(process.terminationStatus, arguments)
        return String(decoding: output, as: UTF8.self)
    }

    /// Runs the tool and returns its peak memory in bytes. A program's peak begins with that of the
    /// process that starts it, which therefore is a small one.
    func peak(_ arguments: String...) throws -> Int {
        let script = """
            import resource, subprocess, sys
            subprocess.run(sys.argv[1:], check=True)
            unit = 1 if sys.platform == "darwin" else 1024
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit, end="")
            """
        let output = try Tool.named("python3").run(["-c", script, path] + arguments)
        guard let peak = Int(output) else {
            throw BenchmarkError.failed("no peak, but '\(output)'")
        }
        return peak
    }

    private func check(_ status: CInt, _ arguments: [String]) throws {
        guard status != 0 else { return }
        try Interruption.check()
        throw BenchmarkError.failed(
            "\(path) \(arguments.joined(separator: " ")) ended with \(status)")
    }
}
