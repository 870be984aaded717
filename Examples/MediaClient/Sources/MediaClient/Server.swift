import Foundation

/// server.py, working in a directory. It also ends with this program, which holds its input.
struct Server {
    let url: URL
    private let input = Pipe()

    init(in directory: URL, arguments: [String] = []) throws {
        let process = Process()
        let output = Pipe()
        let script = URL(filePath: #filePath).appending(path: "../../../server.py").standardized
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path, directory.path] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // The system has chosen a free port, which the server prints.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.dropLast()), let url = URL(string: "http://127.0.0.1:\(port)")
        else { throw Failure(check: "python3 runs server.py") }
        self.url = url
    }

    func stop() {
        try? input.fileHandleForWriting.close()
    }
}
