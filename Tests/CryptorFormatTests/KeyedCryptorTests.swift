import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

/// `KeyedCryptor` does what `Cryptor` does with keys, even if many threads share one.
@Suite struct KeyedCryptorTests {
    private static let lengths = Array(0...100) + [1000, 16_384, 262_143, 262_144, 262_145, 1_000_000]

    @Test func roundTrips() throws {
        var generator = SeededGenerator()
        let keys = try generator.keyPair()
        let cryptor = try KeyedCryptor(keys)
        for count in Self.lengths {
            let plaintext = generator.bytes(count)
            let message = try cryptor.encrypt(plaintext)
            let name = "\(count) bytes, \(generator)"
            #expect(message.count == KeyedCryptor.messageByteCount(for: count), "\(name)")
            #expect(sameBytes(try Cryptor.decrypt(message, with: .keys(keys)), plaintext), "\(name)")
            #expect(sameBytes(try cryptor.decrypt(message), plaintext), "\(name)")
            #expect(sameBytes(try cryptor.decrypt(message.lazy.map { $0 }), plaintext), "\(name)")
            let ofCollection = try cryptor.encrypt(plaintext.lazy.map { $0 })
            #expect(sameBytes(try Cryptor.decrypt(ofCollection, with: .keys(keys)), plaintext), "\(name)")
            let other = try Cryptor.encrypt(plaintext, with: .keys(keys))
            #expect(sameBytes(try cryptor.decrypt(other), plaintext), "\(name)")
            #expect(other != message, "a fresh IV each time")
        }
    }

    /// Every key message of the vectors gives the same plaintext or error as with `Cryptor`.
    @Test func everyKeyVector() throws {
        let everything = Acceptance.everything
        for vector in try VectorFolder.readable() {
            guard case .keys(let encryption, let hmac) = vector.secret else { continue }
            let cryptor = try KeyedCryptor(KeyPair(encryptionKey: encryption, hmacKey: hmac))
            let plaintext = try cryptor.decrypt(vector.message, accepting: everything)
            #expect(sameBytes(plaintext, vector.plaintext), "\(vector)")
        }
        for vector in try VectorFolder.refused() {
            guard case .keys(let encryption, let hmac) = vector.secret else { continue }
            let cryptor = try KeyedCryptor(KeyPair(encryptionKey: encryption, hmacKey: hmac))
            let error = #expect(throws: CryptorError.self, "\(vector)") {
                try cryptor.decrypt(vector.message, accepting: everything)
            }
            #expect(error?.code == vector.fault.code, "\(vector)")
        }
    }

    @Test func versionsThatAreNotAccepted() throws {
        let keys = try KeyPair.random()
        let cryptor = try KeyedCryptor(keys)
        let message = try cryptor.encrypt([1, 2, 3])
        let error = #expect(throws: CryptorError.self) { try cryptor.decrypt(message, accepting: [.v2]) }
        #expect(error?.code == .versionNotAccepted)
        for results in [
            cryptor.decryptAll([message, message], accepting: [.v2]),
            Cryptor.decryptAll([message, message], with: .keys(keys), accepting: [.v2]),
        ] {
            #expect(results.count == 2)
            for result in results {
                let error = #expect(throws: CryptorError.self) { try result.get() }
                #expect(error?.code == .versionNotAccepted)
            }
        }
    }

    @Test func afterAnErrorTheNextMessageIsRight() throws {
        let cryptor = try KeyedCryptor(.random())
        let message = try cryptor.encrypt(Array("attack at dawn".utf8))
        for bit in 0..<message.count * 8 {
            var altered = message
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptorError.self, "bit \(bit)") { try cryptor.decrypt(altered) }
            #expect(try cryptor.decrypt(message) == Array("attack at dawn".utf8), "after bit \(bit)")
        }
    }

    @Test func intoASpan() throws {
        let cryptor = try KeyedCryptor(.random())
        let plaintext = [UInt8](repeating: 9, count: 64)
        let room = KeyedCryptor.messageByteCount(for: plaintext.count)
        for (available, isEnough) in [(room, true), (room - 1, false)] {
            var message: [UInt8] = []
            var code: CryptorError.Code?
            do throws(CryptorError) {
                try withRawSpan(of: plaintext) { (plaintext) throws(CryptorError) in
                    try withRoom(for: available, appendingTo: &message) { (output) throws(CryptorError) in
                        try cryptor.encrypt(plaintext, into: &output)
                    }
                }
            } catch {
                code = error.code
            }
            #expect(code == (isEnough ? nil : .outputTooSmall))
            #expect(message.count == (isEnough ? room : 0))
            if isEnough { #expect(try cryptor.decrypt(message) == plaintext) }
        }
    }

    /// For every key vector, the caller's memory gets what `Cryptor` gives, or nothing with the same error.
    @Test func plaintextIntoASpan() throws {
        for vector in try VectorFolder.readable().map({ ($0.secret, $0.message) })
            + VectorFolder.refused().map({ ($0.secret, $0.message) })
        {
            guard case (.keys(let encryption, let hmac), let message) = vector else { continue }
            let keys = try KeyPair(encryptionKey: encryption, hmacKey: hmac)
            let expected = Result { () throws(CryptorError) in try Cryptor.decrypt(message, with: .keys(keys)) }
            let cryptor = try KeyedCryptor(keys)
            for read in [
                cryptor.plaintextInSpan(of: message),
                Result { () throws(CryptorError) in try cryptor.decrypt(message) },
            ] {
                switch (read, expected) {
                case (.success(let read), .success(let expected)): #expect(sameBytes(read, expected), "\(vector)")
                case (.failure(let read), .failure(let expected)): #expect(read.code == expected.code, "\(vector)")
                default: Issue.record("\(read), expected \(expected): \(vector)")
                }
            }
        }
    }

    /// A refused message leaves no plaintext, not even in memory that counts as uninitialised.
    @Test func whatIsRefusedLeavesNoPlaintext() throws {
        var hasPaddings = false
        for vector in try VectorFolder.refused() {
            guard case .keys(let encryption, let hmac) = vector.secret else { continue }
            let cryptor = try KeyedCryptor(KeyPair(encryptionKey: encryption, hmacKey: hmac))
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: vector.message.count, alignment: 16)
            defer { memory.deallocate() }
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            var output = OutputRawSpan(buffer: memory, initializedCount: 0)
            let error = try caughtError {
                try withRawSpan(of: vector.message) { (message) throws(CryptorError) in
                    try cryptor.decrypt(message, into: &output)
                }
            }
            #expect(error != nil && memory.allSatisfy { $0 == 0 }, "\(vector): \(Array(memory).shortHex)")
            if error?.code == .corruptPadding { hasPaddings = true }
        }
        #expect(hasPaddings)
    }

    @Test(arguments: [0, 1, 15, 16, 64, 262_144, 300_000], [FormatVersion.v3, .v2])
    func roomForPlaintext(count: Int, version: FormatVersion) throws {
        let keys = try KeyPair.random()
        let cryptor = try KeyedCryptor(keys)
        let plaintext = [UInt8](repeating: 9, count: count)
        let header = Header(version: version, salts: nil, iv: [UInt8](repeating: 1, count: 16))
        let message = try Cryptor.encrypt(plaintext, with: .keys(keys), header: header)
        let room = message.count - 50
        #expect(sameBytes(try cryptor.plaintextInSpan(of: message, room: room).get(), plaintext))
        // A refused message leaves nothing, not even the part that is right.
        var altered = message
        altered[message.count - 1] ^= 1
        // A message needs the same room whether or not it is authentic.
        for message in [message, altered] {
            let short = cryptor.plaintextInSpan(of: message, room: room - 1)
            #expect(throws: CryptorError.self) { try short.map(\.count).get() }
            if case .failure(let error) = short { #expect(error.code == .outputTooSmall, "\(error)") }
        }
        let refused = cryptor.plaintextInSpan(of: altered)
        if case .failure(let error) = refused { #expect(error.code == .authenticationFailed) }
        #expect(throws: CryptorError.self) { try refused.map(\.count).get() }
    }

    @Test func manyTasksAtOnce() async throws {
        let cryptor = try KeyedCryptor(.random())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<32 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    for round in 0..<200 {
                        let plaintext = generator.bytes(Int.random(in: 0...200, using: &generator))
                        let read = try cryptor.decrypt(cryptor.encrypt(plaintext))
                        #expect(read == plaintext, "task \(task), round \(round)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

extension KeyedCryptor {
    /// Decrypts into the caller's memory, which has to be empty after an error.
    fileprivate func plaintextInSpan(of message: [UInt8], room: Int? = nil) -> Result<[UInt8], CryptorError> {
        var plaintext: [UInt8] = []
        let result = Result { () throws(CryptorError) in
            try withRawSpan(of: message) { (message) throws(CryptorError) in
                try withRoom(for: room ?? message.byteCount, appendingTo: &plaintext) { (output) throws(CryptorError) in
                    try decrypt(message, into: &output)
                }
            }
        }
        if case .failure = result { #expect(plaintext.isEmpty) }
        return result.map { plaintext }
    }
}
