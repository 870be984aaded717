import CCryptorProbe
import CryptorFormat
import CryptorPrimitives

/// Works with memory that Valgrind considers undefined, so that it reports every branch and every
/// address that depends on it. The verdicts are public.
enum ConstantTime {
    static func run(_ name: String) throws {
        guard probe_is_checked() else {
            throw Probe.Failure(description: "not under Valgrind, or built without its header")
        }
        let secret = SecretMemory(byteCount: 64)
        switch name {
        case "compare":
            let expected = [UInt8](repeating: 7, count: 32)
            tell(equal(secret, expected))
        case "padding":
            tell(secret.withBytes(first: 16) { PKCS7Padding.plaintextByteCount(ofLastBlock: $0) })
        case "derive": try derive(secret)
        case "encrypt": try encrypt(secret, .keys(try messageKeys(secret)))
        case "encrypt-password":
            // That not all of its bytes are zero is no secret: the library says so of a password
            // that it refuses.
            probe_mark_public(secret.memory.baseAddress?.advanced(by: 1), 1)
            try encrypt(secret, secret.withBuffer { try .password(utf8: $0) })
        case "keyed":
            tell(try KeyedCryptor(try messageKeys(secret)).encrypt(Array(secret.memory)).count)
        case "leaky-key":
            // Valgrind must report this, or the marks have not reached the message.
            let message = try Cryptor.encrypt([1, 2, 3], with: .keys(try messageKeys(secret)))
            tell(Int(probe_leaky_index(message, message.count)))
        case "leaky-compare":
            let other = [UInt8](repeating: 7, count: 32)
            tell(Int(probe_leaky_compare(secret.start, other, 32)))
        case "leaky-index": tell(Int(probe_leaky_index(secret.start, 32)))
        default: throw Probe.Failure(description: "no case \(name)")
        }
    }

    private static func equal(_ secret: SecretMemory, _ expected: [UInt8]) -> Bool {
        secret.withBytes(first: 32) { constantTimeEqual($0, expected.span.bytes) }
    }

    private static func messageKeys(_ secret: SecretMemory) throws -> MessageKeys {
        try secret.withBuffer { bytes in
            try MessageKeys(encryptionKey: bytes.prefix(32), hmacKey: bytes.suffix(32))
        }
    }

    /// Plaintext and credential are secret. Only the length of the message is used.
    private static func encrypt(_ secret: SecretMemory, _ credential: Credential) throws {
        tell(try Cryptor.encrypt(Array(secret.memory), with: credential).count)
        var encryptor = try Encryptor(credential)
        var message: [UInt8] = []
        for count in [1, 15, 16, 17, 64] {
            try encryptor.update(secret.memory.prefix(count), into: &message)
        }
        try encryptor.finish(into: &message)
        tell(message.count)
    }

    private static func derive(_ secret: SecretMemory) throws {
        #if Lanes
        let engine = PBKDF2.Engine.portableLanes
        #else
        let engine = PBKDF2.Engine.openSSL
        #endif
        for byteCount in [1, 20, 63, 64] {
            // The marks are copied together with the bytes.
            let password = secret.withBytes(first: byteCount) { bytes in
                SecretBytes(byteCapacity: byteCount) { output in bytes.append(to: &output) }
            }
            let requests = [Array(1...8), Array(11...18)].map {
                PBKDF2.Request(password: password, salt: $0)
            }
            let keys = try PBKDF2.deriveKeys(for: requests, iterations: 3, engine: engine)
            keys[0].withRawSpan { key in key.withUnsafeBytes { tell($0.count) } }
        }
    }

    /// Marks a value as public, and prints it.
    @inline(never)
    private static func tell<Value>(_ value: Value) {
        var value = value
        withUnsafeMutableBytes(of: &value) { probe_mark_public($0.baseAddress, $0.count) }
        print(value)
    }

    private final class SecretMemory {
        let memory: UnsafeMutableRawBufferPointer

        init(byteCount: Int) {
            memory = .allocate(byteCount: byteCount, alignment: 16)
            for index in 0..<byteCount { memory[index] = UInt8(index & 15) }
            probe_mark_secret(memory.baseAddress, byteCount)
        }

        deinit { memory.deallocate() }

        var start: UnsafePointer<UInt8>? {
            UnsafePointer(memory.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }

        func withBuffer<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
            -> Result
        {
            try body(UnsafeRawBufferPointer(memory))
        }

        func withBytes<Result>(first count: Int, _ body: (RawSpan) -> Result) -> Result {
            body(UnsafeRawBufferPointer(rebasing: memory[..<count]).bytes)
        }
    }
}
