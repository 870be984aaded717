import CBaseline
import CryptorFormat

/// The pair of keys of every benchmark.
enum Keys {
    static let encryption = [UInt8](0..<32)
    static let hmac = [UInt8](32..<64)

    static func pair() throws -> MessageKeys {
        try MessageKeys(encryptionKey: encryption, hmacKey: hmac)
    }

    static func credential() throws -> Credential { .keys(try pair()) }

    /// The text of a key file.
    static var file: [UInt8] {
        (encryption + hmac).flatMap { byte in
            let digits = String(byte, radix: 16)
            return Array((digits.count == 1 ? "0" + digits : digits).utf8)
        }
    }

    static var encryptionDigits: String { String(decoding: file.prefix(64), as: UTF8.self) }
}

/// The plain calls of OpenSSL under those keys.
final class Primitives {
    private let baseline: OpaquePointer

    init(encryptionKey: [UInt8] = Keys.encryption, hmacKey: [UInt8] = Keys.hmac) throws {
        guard let baseline = baseline_new(encryptionKey, hmacKey) else {
            throw BenchmarkError.failed("OpenSSL failed")
        }
        self.baseline = baseline
    }

    deinit {
        baseline_free(baseline)
    }

    /// Handles the lines of standard input, with the plaintext as text, base64 or hex.
    func lines(decrypts: Bool, plaintext: String?) throws {
        let forms = ["base64": BASELINE_BASE64, "hex": BASELINE_HEX]
        let form = plaintext.flatMap { forms[$0] } ?? BASELINE_TEXT
        guard baseline_lines(baseline, decrypts, form) else {
            throw BenchmarkError.failed("a line is wrong")
        }
    }

    // MARK: A primitive alone, repeated

    func encryptCBC(_ input: Memory, into output: Memory, times: Int = 1) throws {
        precondition(input.count <= output.count)
        try repeating(times) {
            baseline_cbc_encrypt(baseline, input.pointer, input.count, output.pointer)
        }
    }

    func hash(_ input: Memory, count: Int, times: Int = 1) throws {
        precondition(count <= input.count)
        try repeating(times) { baseline_sha256(baseline, input.pointer, count) }
    }

    // MARK: Whole messages

    static func messageByteCount(for count: Int) -> Int { baseline_message_bytes(count) }

    /// In the order in which a C program makes the calls.
    func encrypt(_ plaintext: Memory, into message: Memory, times: Int = 1) throws {
        precondition(message.count >= Self.messageByteCount(for: plaintext.count))
        try repeating(times) {
            baseline_encrypt(baseline, plaintext.pointer, plaintext.count, message.pointer)
        }
    }

    func decrypt(_ message: Memory, into plaintext: Memory, times: Int = 1) throws {
        precondition(plaintext.count >= message.count)
        var count = 0
        try repeating(times) {
            baseline_decrypt(baseline, message.pointer, message.count, plaintext.pointer, &count)
        }
    }

    /// Only compares the HMAC of a message that is forged.
    func refuse(_ message: Memory, into plaintext: Memory, times: Int) throws {
        var count = 0
        for _ in 0..<times
        where baseline_decrypt(baseline, message.pointer, message.count, plaintext.pointer, &count)
        {
            throw BenchmarkError.failed("it was opened")
        }
    }

    /// Whether the message is authentic and holds the plaintext.
    func message(_ message: UnsafeRawBufferPointer, holds plaintext: UnsafeRawBufferPointer) -> Bool
    {
        let decrypted = Memory(byteCount: message.count)
        var count = 0
        let bytes = message.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return baseline_decrypt(baseline, bytes, message.count, decrypted.pointer, &count)
            && count == plaintext.count && decrypted.starts(with: plaintext)
    }

    private func repeating(_ times: Int, _ call: () -> Bool) throws {
        for _ in 0..<times {
            guard call() else {
                throw BenchmarkError.failed("OpenSSL failed, or a message is not authentic")
            }
        }
    }
}

extension Memory {
    fileprivate var pointer: UnsafeMutablePointer<UInt8>? {
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}
