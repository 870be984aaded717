import CSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Another program that is measured.
struct Tool {
    let path: String

    /// A program in one of the folders of `PATH`.
    static func named(_ name: String) throws(BenchmarkError) -> Tool {
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        for folder in folders.split(separator: ":") where isProgram("\(folder)/\(name)") {
            return Tool(path: "\(folder)/\(name)")
        }
        throw .skipped("\(name) is not installed: scripts/prepare benchmarks")
    }

    /// The command of this package.
    static func command(_ options: Options) throws(BenchmarkError) -> Tool {
        if let path = options.command {
            guard isProgram(path) else { throw .usage("--command \(path): This is no program.") }
            return Tool(path: path)
        }
        for path in [".build/release/rncryptor", "../../.build/release/rncryptor"] where isProgram(path) {
            return Tool(path: path)
        }
        throw .skipped(
            "there is no .build/release/rncryptor: swift build -c release --product rncryptor --static-swift-stdlib")
    }

    /// A Python that has PyPI's `rncryptor`.
    static func python() throws(BenchmarkError) -> Tool {
        let named = getenv("CRYPTORFORMAT_PYTHON").map { String(cString: $0) }
        for path in [named, ".build/python/bin/python", "../../.build/python/bin/python"].compactMap(\.self)
        where isProgram(path) {
            return Tool(path: path)
        }
        throw .skipped("there is no Python with rncryptor: scripts/python")
    }

    static var thisProgram: String? {
        #if os(Linux)
        realPath("/proc/self/exe")
        #else
        CommandLine.arguments.first.flatMap(realPath)
        #endif
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Runs the tool until it ends. Throws unless its status is 0.
    func run(_ arguments: String...) throws(BenchmarkError) { try run(arguments) }

    func run(_ arguments: [String]) throws(BenchmarkError) {
        let arguments = [path] + arguments
        try Self.check(support_wait(try Self.start(arguments, output: -1)), arguments)
    }

    /// Runs the tool and returns its peak memory in bytes.
    func peak(_ arguments: String...) throws(BenchmarkError) -> Int {
        let arguments = [path] + arguments
        var peak = 0
        let status = Self.withPointers(to: arguments) { support_run_for_peak($0, &peak) }
        try Self.check(status, arguments)
        return peak
    }

    /// Runs a program and returns what it writes to standard output.
    static func output(of arguments: [String]) throws(BenchmarkError) -> String {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw .failed("no pipe can be made") }
        defer { close(ends[0]) }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        let process = try start(arguments, output: ends[1], closing: ends[1])
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(ends[0], &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            output += buffer[..<count]
        }
        try check(support_wait(process), arguments)
        return String(decoding: output, as: UTF8.self)
    }

    /// - Parameter end: an end of a pipe, which this process closes so that only the program keeps it open.
    private static func start(
        _ arguments: [String], output: CInt, closing end: CInt? = nil
    ) throws(BenchmarkError) -> pid_t {
        defer { if let end { close(end) } }
        var process: pid_t = 0
        let error = withPointers(to: arguments) { support_spawn($0, output, &process) }
        guard error == 0 else { throw .failed("\(arguments[0]): \(String(cString: strerror(error)))") }
        return process
    }

    private static func withPointers<Result>(
        to arguments: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = arguments.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }

    private static func check(_ status: CInt, _ arguments: [String]) throws(BenchmarkError) {
        guard status != 0 else { return }
        try Interruption.check()
        throw .failed("\(arguments.joined(separator: " ")) ended with \(status)")
    }
}
