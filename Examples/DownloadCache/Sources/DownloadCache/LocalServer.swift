import Foundation

/// Python's HTTP server, on the loopback interface and a port that the system chooses.
final class LocalServer {
    let address: URL
    private let process = Process()

    init(serving folder: URL) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // "Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ..."
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let start = line.firstIndex(of: "("), let end = line.firstIndex(of: ")"),
            let address = URL(string: String(line[line.index(after: start)..<end]))
        else {
            process.terminate()
            throw CocoaError(.fileReadUnknown)
        }
        self.address = address
    }

    func stop() {
        process.terminate()
    }
}
