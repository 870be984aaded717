import Foundation

/// The PyPI package `rncryptor`, run by a Python that has it. `CRYPTORFORMAT_PYTHON` names that Python.
package enum PythonPeer {
    package static let variable = "CRYPTORFORMAT_PYTHON"
    private static let python = ProcessInfo.processInfo.environment[variable]

    package static var isGiven: Bool { python != nil }

    /// What the peer is asked to do.
    package struct Request: Encodable, Sendable {
        let password: String
        let text: String?
        let message: String?

        /// The peer answers with the hex of a message.
        package static func encrypt(_ text: String, password: String) -> Request {
            Request(password: password, text: text, message: nil)
        }

        /// The peer answers with the text, which it decodes from UTF-8.
        package static func decrypt(_ message: [UInt8], password: String) -> Request {
            Request(password: password, text: nil, message: message.hex)
        }
    }

    private static let script = """
        import json, sys, rncryptor
        def answer(request):
            if "text" in request:
                return rncryptor.encrypt(request["text"], request["password"]).hex()
            return rncryptor.decrypt(bytes.fromhex(request["message"]), request["password"])
        json.dump([answer(request) for request in json.load(sys.stdin)], sys.stdout)
        """

    /// The answers, in order. One process answers all.
    package static func answers(to requests: [Request]) throws -> [String] {
        try answers(of: ["-c", script], to: requests)
    }

    /// The answers of a program in Python that reads a list of requests in JSON and writes one answer to each.
    static func answers(of arguments: [String], to requests: [some Encodable]) throws -> [String] {
        guard let python else { throw VectorError("\(variable) is not set") }
        // The requests go through a file: a Python that ends early would break a pipe, and that would end this process.
        let questions = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID().uuidString).json")
        try JSONEncoder().encode(requests).write(to: questions)
        defer { try? FileManager.default.removeItem(at: questions) }

        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = ["-B"] + arguments
        let output = Pipe()
        process.standardInput = try FileHandle(forReadingFrom: questions)
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw VectorError("\(python) ended with status \(process.terminationStatus)")
        }
        let answers = try JSONDecoder().decode([String].self, from: data)
        guard answers.count == requests.count else { throw VectorError("\(answers.count) answers") }
        return answers
    }
}
