import CryptorAsync
import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// Every refused vector gives the same error in every way, and no plaintext.
@Suite struct RefusedVectorTests {
    private static let vectors = Result { try VectorFolder.refused() }
    private let everything = Acceptance.everything

    /// The code of the error that `body` throws; a result of any sort is a failure.
    private func refusal(
        of vector: RefusedVector, _ body: () throws -> some Collection<UInt8>
    ) -> CryptorError.Code? {
        do {
            let released = try body()
            Issue.record("\(vector): read as \(released.shortHex)")
        } catch let error as CryptorError {
            return error.code
        } catch {
            Issue.record("\(vector): \(error)")
        }
        return nil
    }

    @Test(arguments: try vectors.get())
    func whole(_ vector: RefusedVector) throws {
        let credential = try vector.secret.credential
        let message = vector.message
        #expect(
            refusal(of: vector) { try Cryptor.decrypt(message, with: credential, accepting: everything) }
                == vector.fault.code)
        let data = Data(message)
        #expect(
            refusal(of: vector) { try Cryptor.decrypt(data, with: credential, accepting: everything) as Data }
                == vector.fault.code)
        let lazy = message.lazy.map { $0 }
        #expect(
            refusal(of: vector) { try Cryptor.decrypt(lazy, with: credential, accepting: everything) }
                == vector.fault.code)
    }

    @Test(arguments: try vectors.get(), StreamInterface.allCases)
    func inChunks(_ vector: RefusedVector, through interface: StreamInterface) throws {
        let random = Chunking.random(SeededGenerator(), maximum: 70)
        let isSlow = vector.secret.isPassword && !vector.fault.precedesTheMAC
        let isOld = !vector.name.hasPrefix("v3/")
        let sizes = isSlow && (isOld || interface == .spans) ? Chunking.someSizes : Chunking.everySize
        try check(vector, sizes + [random], through: interface)
    }

    @Test(arguments: try vectors.get())
    func inTwoChunks(_ vector: RefusedVector) throws {
        let count = vector.message.count
        var generator = SeededGenerator()
        let isQuick = !vector.secret.isPassword || vector.fault.isInTheHeader
        let splits = isQuick ? Chunking.everySplit(of: count) : Chunking.someSplits(of: count, using: &generator)
        try check(vector, splits, through: .arrays)
    }

    /// The stream has to throw the fault's code, to stay failed, and to have released unverified what the bare cipher
    /// makes of the blocks before the last 48 bytes: no byte less, and none of another kind.
    private func check(_ vector: RefusedVector, _ chunkings: [Chunking], through interface: StreamInterface) throws {
        let credential = try vector.secret.credential
        let releasable = try BareCBC.releasable(of: vector.message, with: vector.secret)
        for chunking in chunkings {
            let reading = try ChunkedDecryption(
                vector.message, with: credential, accepting: everything, chunking, through: interface)
            #expect(reading.error?.code == vector.fault.code, "\(vector) \(chunking)")
            #expect(reading.isSticky, "\(vector) \(chunking): then \(reading.laterErrors)")
            #expect(reading.last.isEmpty, "\(vector) \(chunking): finish released \(reading.last.shortHex)")
            #expect(
                sameBytes(reading.unverified, releasable),
                "\(vector) \(chunking): released \(reading.unverified.shortHex), bare \(releasable.shortHex)")
        }
    }

    /// A fault that shows without a key must not cost a derivation.
    @Test(arguments: try vectors.get().filter { $0.fault.precedesTheMAC })
    func derivesNoKey(_ vector: RefusedVector) throws {
        let credential = try vector.secret.credential
        let whole = DerivationCounter.count {
            _ = try? Cryptor.decrypt(vector.message, with: credential, accepting: everything)
        }
        #expect(whole == 0, "\(vector)")
        // The length of a stream shows at its end, when most of it has been decrypted.
        guard vector.fault != .invalidMessageLength else { return }
        for chunking in Chunking.everySize {
            let stream = try DerivationCounter.count {
                _ = try ChunkedDecryption(vector.message, with: credential, accepting: everything, chunking)
            }
            #expect(stream == 0, "\(vector) \(chunking)")
        }
    }
}
