import CryptorTestSupport
import Foundation
import Testing

/// What people write first does not compile, and the compiler says what to write. It is asked to.
@Suite struct CompilerMessageTests {
    /// A line, and the error that the compiler has to show for it, and no other.
    private static let lines = [
        ("try Cryptor.encrypt(text, with: credential)", "Encrypt the bytes of the text: "),
        ("try Cryptor.decrypt(text, with: credential)", "Decode base64 text first: "),
        ("try cryptor.encrypt(text)", "Encrypt the bytes of the text: "),
        ("try cryptor.decrypt(text)", "Decode base64 text first: "),
        ("try await pool.encrypt(text, with: credential)", "Encrypt the bytes of the text: "),
        ("try await pool.decrypt(text, with: credential)", "Decode base64 text first: "),
        ("try Cryptor.encrypt(numbers, with: credential)", "The elements must be bytes"),
        ("try Cryptor.decrypt(numbers, with: credential)", "The elements must be bytes"),
        ("try cryptor.encrypt(numbers)", "The elements must be bytes"),
        ("try cryptor.decrypt(numbers)", "The elements must be bytes"),
        ("try await pool.encrypt(numbers, with: credential)", "The elements must be bytes"),
        ("try await pool.decrypt(numbers, with: credential)", "The elements must be bytes"),
        (
            "try await Cryptor.decrypt(collecting: bytes, upTo: 9, with: credential)",
            "Elements must be collections"
        ),
        (
            "try await pool.encryptFile(from: bytes, to: text, with: credential)",
            "Elements must be collections"
        ),
        ("for await chunk in bytes.encrypted(with: credential) {}", "Elements must be collections"),
        (
            "for try await chunk in bytes.decryptedUnverified(with: credential) {}",
            "Elements must be collections"
        ),
    ]

    @Test(.enabled(if: compiler != nil, "the compiler was not found")) func areHelpful() throws {
        let directory = try TemporaryDirectory()
        let head = """
            import CryptorAsync
            func use(
                _ text: String, _ credential: Credential, _ cryptor: KeyedCryptor,
                _ pool: CryptorPool, _ bytes: AsyncStream<UInt8>, _ numbers: [Int8]
            ) async throws {
            """
        let code = Self.lines.map { line, _ in line.hasPrefix("for") ? line : "_ = " + line }
        try directory.write(
            Array((head + "\n" + code.joined(separator: "\n") + "\n}\n").utf8), to: "use.swift")
        let errors = try errors(in: directory.path("use.swift"))
        let firstLine = head.split(separator: "\n").count + 1
        for (index, (line, message)) in Self.lines.enumerated() {
            let found = errors[firstLine + index] ?? []
            #expect(found.count == 1 && found[0].contains(message), "\(line): \(found)")
        }
        #expect(errors.count == Self.lines.count, "\(errors)")
    }

    /// - Returns: the errors of each line.
    private func errors(in file: String) throws -> [Int: [String]] {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        let modules = ProbeProcess.directory.path
        // The module maps of C targets are in their builds. `Development/mutate` adds a target.
        let moduleDirectories = try FileManager.default.contentsOfDirectory(atPath: modules)
            .filter { $0 == "Modules" || $0.hasSuffix(".build") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.compiler))
        process.arguments =
            ["-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm"]
            + moduleDirectories.flatMap { ["-I", "\(modules)/\($0)"] }
            + ["CPBKDF2Lanes", "CCryptorSystem"].flatMap {
                ["-I", "\(package)/Sources/\($0)/include"]
            }
            + [file]
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        var errors: [Int: [String]] = [:]
        for match in text.matches(of: /use\.swift:(\d+):\d+: error: (.*)/) {
            errors[try #require(Int(match.1)), default: []].append(String(match.2))
        }
        return errors
    }

    /// Nil where tests run without a compiler, or with another one than built them.
    private static let compiler: String? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let files = path.split(separator: ":").map { "\($0)/swiftc" }
        return files.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()
}
