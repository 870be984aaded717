#if os(Linux)
import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import Foundation

/// Lets each call of OpenSSL's EVP and RAND functions fail in turn, at the start, in the middle and at the end of
/// messages, chunks and files. `Tests/Interposers/evp.c` intercepts the calls.
///
/// Prints a line for each failed call that led to a wrong error or a wrong result, and counts for each function.
final class CallFaults {
    enum Operation: String {
        case encrypt, decrypt, encryptStream, decryptStream, encryptLarge, decryptLarge, overlap
        case keyedEncrypt, keyedDecrypt, newKeyed
        case oldVersion
        case encryptFile, decryptFile, decryptFileToStream, verifyFile, rekeyFile, verifiedFile
    }

    private static let functions = [
        "EVP_CIPHER_CTX_new", "EVP_CipherInit_ex2", "EVP_CIPHER_CTX_set_padding", "EVP_CipherUpdate",
        "EVP_CipherFinal_ex",
        "EVP_CIPHER_CTX_ctrl", "EVP_MAC_CTX_dup", "EVP_MAC_init", "EVP_MAC_update", "EVP_MAC_final",
        "PKCS5_PBKDF2_HMAC",
        "RAND_bytes", "RAND_priv_bytes", "EVP_RAND_reseed",
    ]

    private typealias Fail = @convention(c) (UnsafePointer<CChar>?, Int) -> Void
    private typealias Calls = @convention(c) () -> Int
    private typealias Leave = @convention(c) (UnsafePointer<CChar>?) -> Void

    /// Functions that may leave reasons in the queue although they succeed, because OpenSSL fetches or seeds something
    /// meanwhile.
    private static let leavingFunctions = ["PKCS5_PBKDF2_HMAC", "RAND_bytes", "RAND_priv_bytes"]

    private let operation: Operation
    private let fail: Fail
    private let calls: Calls
    private let leave: Leave
    private let reasons: Calls
    private let folder: String
    private let keyPair: KeyPair
    private let keyed: KeyedCryptor
    private let plaintext: [UInt8]
    private let message: [UInt8]
    /// A message of an old version with its keys and plaintext, from a line of the input.
    private let old: (message: [UInt8], credential: Credential, plaintext: [UInt8])

    static func run(_ name: String) throws {
        guard let operation = Operation(rawValue: name) else {
            throw Probe.Failure(description: "no operation \(name)")
        }
        try CallFaults(operation).failEach()
    }

    private init(_ operation: Operation) throws {
        guard let fail = dlsym(nil, "evp_fail"), let calls = dlsym(nil, "evp_calls"),
            let leave = dlsym(nil, "evp_leave"), let reasons = dlsym(nil, "evp_reasons")
        else {
            throw Probe.Failure(description: "nothing stands before OpenSSL")
        }
        self.operation = operation
        self.fail = unsafeBitCast(fail, to: Fail.self)
        self.calls = unsafeBitCast(calls, to: Calls.self)
        self.leave = unsafeBitCast(leave, to: Leave.self)
        self.reasons = unsafeBitCast(reasons, to: Calls.self)
        let byteCount =
            switch operation {
            case .encrypt, .decrypt, .keyedEncrypt, .keyedDecrypt, .newKeyed, .oldVersion: 100
            case .encryptStream, .decryptStream: 1000
            // This is more than the pieces that are worked on at a time, and more than work that gets no second thread.
            default: 1_200_000
            }
        plaintext = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
        keyPair = try KeyPair.random()
        keyed = try KeyedCryptor(keyPair)
        message = try Cryptor.encrypt(plaintext, with: .keys(keyPair))
        let fields = (readLine() ?? "").split(separator: " ").map {
            Data(base64Encoded: String($0)).map(Array.init) ?? []
        }
        guard fields.count == 3 else { throw Probe.Failure(description: "no message of an old version") }
        let oldKeys = try KeyPair(encryptionKey: fields[1].prefix(32), hmacKey: fields[1].suffix(32))
        old = (fields[0], .keys(oldKeys), fields[2])
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rncryptor-probe-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(plaintext).write(to: URL(fileURLWithPath: folder + "/plain"))
        try Data(message).write(to: URL(fileURLWithPath: folder + "/message"))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var keys: Credential { .keys(keyPair) }

    private func failEach() throws {
        if operation == .overlap { Cores.pretendToHaveMore() } else { Cryptor.usesSecondThread = false }
        // The first attempt sets up what a process sets up once.
        guard attempt("", 0).outcome == .right else { throw Probe.Failure(description: "it fails by itself") }
        for function in Self.functions {
            var counts: [Outcome: Int] = [:]
            var number = 1
            while true {
                let (outcome, made) = attempt(function, number)
                if made < number { break }
                counts[outcome, default: 0] += 1
                if outcome == .wrong { print("wrong: call \(number) of \(function)") }
                number += 1
            }
            if attempt("", 0).outcome != .right { print("wrong: after calls of \(function) had failed") }
            print("counts \(function) \(counts[.error] ?? 0) \(counts[.right] ?? 0)")
            if reasons() > 0 { print("wrong: failures of \(function) leave reasons") }
        }
        for function in Self.leavingFunctions { try leaveReasons(function) }
    }

    /// A program that calls OpenSSL after the library must not find reasons that the library's calls have left.
    private func leaveReasons(_ function: String) throws {
        try function.withCString { name in
            leave(name)
            defer { leave("") }
            let isRight = try perform()
            if reasons() > 0 { print("wrong: \(function) leaves reasons") }
            leave("")
            guard try isRight() else { throw Probe.Failure(description: "it fails by itself") }
        }
    }

    private enum Outcome { case right, error, wrong }

    private func attempt(_ function: String, _ number: Int) -> (outcome: Outcome, made: Int) {
        var made = 0
        let result = function.withCString { function in
            fail(function, number)
            defer {
                made = calls()
                fail("", 0)
            }
            return Result { try perform() }
        }
        return (outcome(of: result), made)
    }

    private func outcome(of result: Result<() throws -> Bool, any Error>) -> Outcome {
        switch result {
        case .success(let isRight): return (try? isRight()) == true ? .right : .wrong
        case .failure(let error):
            // A failure of the library must not be taken for a forged message.
            let code = (error as? CryptorError)?.code
            guard code == .cryptoLibraryFailure else {
                print("wrong: \(error)")
                return .wrong
            }
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return Set(names) == ["plain", "message"] ? .error : .wrong
        }
    }

    /// What `body` writes. If it fails, it must have written nothing.
    private func writtenBytes(_ capacity: Int, _ body: (inout OutputRawSpan) throws -> Void) throws -> [UInt8] {
        var bytes: [UInt8] = []
        do { try bytes.appendBytes(capacity: capacity, body) } catch {
            guard bytes.isEmpty else { throw Probe.Failure(description: "\(bytes.count) bytes before \(error)") }
            throw error
        }
        return bytes
    }

    /// Performs the operation. Returns a function that tells whether its result is right.
    private func perform() throws -> () throws -> Bool {
        var output: [UInt8] = []
        let (plaintext, message, keys, out) = (plaintext, message, keys, folder + "/out")
        func isPlaintext(_ bytes: [UInt8]) -> () -> Bool { { bytes == plaintext } }
        func isMessage(_ bytes: [UInt8]) -> () throws -> Bool {
            { try Cryptor.decrypt(bytes, with: keys) == plaintext }
        }
        func newKeys() throws -> Credential {
            let (encryptionKey, hmacKey) = keyPair.copyKeys()
            return .keys(try KeyPair(encryptionKey: encryptionKey, hmacKey: hmacKey))
        }
        func written() throws -> [UInt8] {
            defer { try? FileManager.default.removeItem(atPath: out) }
            return Array(try Data(contentsOf: URL(fileURLWithPath: out)))
        }
        switch operation {
        // The keys are new. Keys that were used before have contexts, like those of a `KeyedCryptor`.
        case .encrypt: return isMessage(try Cryptor.encrypt(plaintext, with: newKeys()))
        case .decrypt: return isPlaintext(try Cryptor.decrypt(message, with: newKeys()))
        case .encryptLarge: return isMessage(try Cryptor.encrypt(plaintext, with: keys))
        case .decryptLarge: return isPlaintext(try Cryptor.decrypt(message, with: keys))
        case .overlap: return isPlaintext(try Cryptor.decrypt(Cryptor.encrypt(plaintext, with: keys), with: keys))
        case .encryptStream:
            var encryptor = try Encryptor(keys)
            for start in stride(from: 0, to: plaintext.count, by: 100) {
                try encryptor.update(plaintext[start..<start + 100], into: &output)
            }
            try encryptor.finish(into: &output)
            return isMessage(output)
        case .decryptStream:
            var decryptor = try Decryptor(keys)
            for start in stride(from: 0, to: message.count, by: 100) {
                try decryptor.update(message.dropFirst(start).prefix(100), unverifiedInto: &output)
            }
            try decryptor.finish(into: &output)
            return isPlaintext(output)
        case .keyedEncrypt:
            return isMessage(
                try writtenBytes(KeyedCryptor.messageByteCount(for: plaintext.count)) { output in
                    try keyed.encrypt(plaintext.span.bytes, into: &output)
                })
        case .keyedDecrypt:
            return isPlaintext(
                try writtenBytes(message.count) { output in try keyed.decrypt(message.span.bytes, into: &output) })
        case .newKeyed: return isMessage(try KeyedCryptor(keyPair).encrypt(plaintext))
        case .oldVersion:
            let all = Acceptance(Set(FormatVersion.allCases), shortenedPasswords: true)
            let found = try Cryptor.decrypt(old.message, with: old.credential, accepting: all)
            let expected = old.plaintext
            return { found == expected }
        case .encryptFile:
            try Cryptor.encryptFile(at: folder + "/plain", to: out, with: keys)
            return { try isMessage(written())() }
        case .decryptFile:
            try Cryptor.decryptFile(at: folder + "/message", to: out, with: keys)
            return { try isPlaintext(written())() }
        case .rekeyFile:
            try Cryptor.rekeyFile(at: folder + "/message", to: out, from: keys, into: keys)
            return { try isMessage(written())() }
        case .decryptFileToStream:
            try Cryptor.decryptFile(at: .path(folder + "/message"), with: keys) { output += $0 }
            return isPlaintext(output)
        case .verifyFile:
            let count = try Cryptor.verifyFile(at: folder + "/message", with: keys)
            return { count == plaintext.count }
        case .verifiedFile:
            let file = try VerifiedFile(at: folder + "/message", with: keys)
            for start in stride(from: 0, to: plaintext.count, by: 300_000) {
                output += try file.read(start..<start + 300_000)
            }
            return isPlaintext(output)
        }
    }
}
#endif
