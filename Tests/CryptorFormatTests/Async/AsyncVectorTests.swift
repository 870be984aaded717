import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Every vector through the asynchronous functions, in every kind of chunk.
@Suite(.unlessItHangs) struct AsyncVectorTests {
    private static let readable = Result { try VectorFolder.readable() }
    private static let refused = Result { try VectorFolder.refused() }
    /// Reads `message` with each of `chunkings`. The chunks are of five kinds of collections in turn.
    private func readings(
        of message: [UInt8], with credential: Credential, accepting: Acceptance = .everything, _ chunkings: [Chunking],
        on pool: CryptorPool = .shared
    ) async -> [(name: String, reading: Reading)] {
        var readings: [(String, Reading)] = []
        func read(_ chunking: Chunking, _ source: some AsyncSequence<some Collection<UInt8>, Never>) async {
            let sequence = source.decryptedUnverified(with: credential, accepting: accepting, on: pool)
            readings.append(("\(chunking) of \(type(of: source).Element.self)", await Reading(sequence)))
        }
        for (index, chunking) in chunkings.enumerated() {
            let chunks = chunking.chunks(of: message)
            switch index % 5 {
            case 0: await read(chunking, ChunkSource(chunks))
            case 1: await read(chunking, ChunkSource(chunks.map { ScatteredView($0) }))
            case 2: await read(chunking, ChunkSource(chunks.map { BufferView($0) }))
            case 3: await read(chunking, ChunkSource(chunks.map { Data($0) }))
            default: await read(chunking, ChunkSource(chunks.map { Array($0) }))
            }
        }
        return readings
    }

    private func chunkings(for secret: Secret) -> [Chunking] {
        let random = Chunking.random(SeededGenerator(), maximum: 70)
        // With a password, each reading costs a derivation.
        return (secret.isPassword ? [.whole, .padded(16)] : Chunking.everySize) + [random]
    }

    @Test(arguments: try readable.get())
    func decrypts(_ vector: ReadableVector) async throws {
        let credential = try vector.credential
        for (name, reading) in await readings(
            of: vector.message, with: credential, accepting: vector.acceptance, chunkings(for: vector.secret))
        {
            #expect(reading.error == nil, "\(vector), \(name)")
            #expect(firstDifference(reading.bytes, vector.plaintext) == nil, "\(vector), \(name)")
            #expect(reading.isSticky, "\(vector), \(name): after its end \(reading.later)")
            #expect(reading.chunks.allSatisfy { !$0.isEmpty }, "\(vector), \(name)")
        }
    }

    /// A refused vector releases nothing that is not in it, and throws the right error again and again.
    @Test(arguments: try refused.get())
    func refuses(_ vector: RefusedVector) async throws {
        let credential = try vector.secret.credential
        let releasable = try BareCBC.releasable(of: vector.message, with: vector.secret)
        let isSlow = vector.secret.isPassword && !vector.fault.precedesTheMAC
        let chunkings = isSlow ? [.fixed(1), .padded(16)] : chunkings(for: vector.secret)
        for (name, reading) in await readings(of: vector.message, with: credential, chunkings) {
            #expect(reading.code == vector.fault.code, "\(vector), \(name)")
            #expect(reading.isSticky, "\(vector), \(name): then \(reading.later)")
            #expect(firstDifference(reading.bytes, releasable) == nil, "\(vector), \(name)")
        }
    }

    @Test func derivesNoKeyForWhatIsRefusedWithout() async throws {
        // A full pool would refuse to derive keys.
        let pool = CryptorPool(threadCount: 1, maximumPendingCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        defer { blocker.open() }
        let vectors = try Self.refused.get().filter { $0.fault.precedesTheMAC && $0.fault != .invalidMessageLength }
        for vector in vectors {
            let chunkings = [Chunking.whole, .fixed(1), .fixed(17)]
            for (name, reading) in await readings(
                of: vector.message, with: try vector.secret.credential, chunkings, on: pool)
            {
                #expect(reading.code == vector.fault.code, "\(vector), \(name)")
            }
        }
    }

    @Test(arguments: try readable.get())
    func encrypts(_ vector: ReadableVector) async throws {
        let credential = try vector.credential
        let chunkings = [Chunking.padded(16), .whole, .fixed(1), .random(SeededGenerator(), maximum: 70)]
        for chunking in vector.secret.isPassword ? Array(chunkings.prefix(1)) : chunkings {
            let source = ChunkSource(chunking.chunks(of: vector.plaintext).map { ScatteredView($0) })
            let sequence = source.encrypted(with: credential)
            let first = await Reading(sequence)
            #expect(first.error == nil && first.isSticky, "\(vector), \(chunking)")
            #expect(first.chunks.allSatisfy { !$0.isEmpty }, "\(vector), \(chunking)")
            let plaintext = try Cryptor.decrypt(first.bytes, with: credential, accepting: [.v3])
            #expect(firstDifference(plaintext, vector.plaintext) == nil, "\(vector), \(chunking)")
            guard !vector.secret.isPassword else { continue }
            // Each iterator writes a new message.
            let second = await Reading(sequence)
            #expect(try Header(parsing: second.bytes).iv != Header(parsing: first.bytes).iv)
            #expect(try Cryptor.decrypt(second.bytes, with: credential) == vector.plaintext)
        }
    }

    @Test(arguments: try readable.get())
    func collected(_ vector: ReadableVector) async throws {
        let credential = try vector.credential
        let count = vector.message.count
        let source = ChunkSource(Chunking.padded(33).chunks(of: vector.message).map { BufferView($0) })
        let plaintext = try await Cryptor.decrypt(
            collecting: source, upTo: count, with: credential, accepting: vector.acceptance)
        #expect(firstDifference(plaintext, vector.plaintext) == nil, "\(vector)")
        let error = await #expect(throws: CryptorError.self) {
            _ = try await Cryptor.decrypt(
                collecting: source, upTo: count - 1, with: credential, accepting: vector.acceptance)
        }
        #expect(error?.code == .messageTooLong, "\(vector)")
    }

    @Test(arguments: try refused.get())
    func refusedWhenCollected(_ vector: RefusedVector) async throws {
        let credential = try vector.secret.credential
        let source = ChunkSource(Chunking.padded(7).chunks(of: vector.message))
        let error = await #expect(throws: CryptorError.self, "\(vector)") {
            _ = try await Cryptor.decrypt(collecting: source, upTo: 1 << 20, with: credential, accepting: .everything)
        }
        #expect(error?.code == vector.fault.code, "\(vector)")
    }

    @Test(arguments: try readable.get())
    func throughThePool(_ vector: ReadableVector) async throws {
        let credential = try vector.credential
        let pool = CryptorPool.shared
        let plaintext = try await pool.decrypt(vector.message, with: credential, accepting: vector.acceptance)
        #expect(firstDifference(plaintext, vector.plaintext) == nil, "\(vector)")
        let data: Data = try await pool.decrypt(Data(vector.message), with: credential, accepting: vector.acceptance)
        #expect(firstDifference(data, vector.plaintext) == nil, "\(vector)")
        let scattered = ScatteredView(vector.plaintext)
        let message = try await pool.encrypt(scattered, with: credential)
        #expect(try Cryptor.decrypt(message, with: credential) == vector.plaintext, "\(vector)")
        let dataMessage: Data = try await pool.encrypt(Data(vector.plaintext), with: credential)
        #expect(try Cryptor.decrypt(Array(dataMessage), with: credential) == vector.plaintext, "\(vector)")
    }

    @Test(arguments: try refused.get())
    func refusedByThePool(_ vector: RefusedVector) async throws {
        let credential = try vector.secret.credential
        let pool = CryptorPool(threadCount: 1, maximumPendingCount: 1)
        // A full pool would refuse to derive keys.
        let blocker = vector.fault.precedesTheMAC ? await Blocker(occupying: pool.messages) : nil
        defer { blocker?.open() }
        let error = await #expect(throws: CryptorError.self, "\(vector)") {
            _ = try await pool.decrypt(vector.message, with: credential, accepting: .everything) as [UInt8]
        }
        #expect(error?.code == vector.fault.code, "\(vector)")
        let dataError = await #expect(throws: CryptorError.self, "\(vector)") {
            _ = try await pool.decrypt(Data(vector.message), with: credential, accepting: .everything) as Data
        }
        #expect(dataError?.code == vector.fault.code, "\(vector)")
    }
}
