import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Synchronization
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// If a whole message is refused after it was decrypted, nobody owns its plaintext, so nothing of it stays in memory.
@Suite struct RefusedPlaintextTests {
    /// Memory that notes its contents when it is released after an error.
    private struct Watched: WrittenBytes {
        final class Sight: Sendable {
            let bytes = Mutex<[UInt8]?>(nil)
        }
        @TaskLocal static var sight: Sight?

        init<Failure: Error>(
            byteCapacity capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
        ) throws(Failure) {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
            defer { memory.deallocate() }
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            var output = OutputRawSpan(buffer: memory, initializedCount: 0)
            do throws(Failure) { try body(&output) } catch {
                Self.sight?.bytes.withLock { $0 = Array(memory) }
                throw error
            }
        }
    }

    /// - Returns: the error, and the contents of the memory if any was allocated.
    private func refusal(
        of message: [UInt8], with credential: Credential, accepting: Acceptance
    ) -> (error: CryptorError?, memory: [UInt8]?) {
        let sight = Watched.Sight()
        let error: CryptorError? = Watched.$sight.withValue(sight) {
            do throws(CryptorError) {
                let _: Watched = try Cryptor.decrypt(
                    message, terms: ReadingTerms(credential: credential, accepting: accepting)
                )
                return nil
            } catch {
                return error
            }
        }
        return (error, sight.bytes.withLock { $0 })
    }

    /// No refused vector leaves plaintext, not even one with a wrong padding.
    @Test func vectors() throws {
        var codes: Set<CryptorError.Code> = []
        for vector in try VectorFolder.refused() {
            let (error, memory) = refusal(
                of: vector.message, with: try vector.secret.credential, accepting: .everything)
            #expect(error != nil, "\(vector)")
            guard let error, let memory else { continue }
            #expect(memory.allSatisfy { $0 == 0 }, "\(vector): \(memory.shortHex)")
            codes.insert(error.code)
        }
        #expect(codes == [.authenticationFailed, .corruptPadding])
    }

    @Test(arguments: [0, 15, 64, 300_000, 3_000_000])
    func alteredTags(count: Int) throws {
        let plaintext = [UInt8](repeating: 0x5A, count: count)
        for credential in [Credential.keys(try .random()), try .password("password")] {
            var message = try Cryptor.encrypt(plaintext, with: credential)
            message[message.count - 1] ^= 1
            let (error, memory) = refusal(of: message, with: credential, accepting: .default)
            #expect(error?.code == .authenticationFailed)
            let bytes = try #require(memory)
            #expect(bytes.allSatisfy { $0 == 0 }, "\(credential): \(bytes.filter { $0 != 0 }.count) left")
        }
    }
}
