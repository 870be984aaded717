import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The size of chunks unless the caller asks for another.
@Suite(.unlessItHangs) struct AsyncDefaultTests {
    @Test func chunksOfAVerifiedFile() async throws {
        let folder = try TemporaryFolder()
        let keys = try FileJob.keys(1)
        try folder.write(try Cryptor.encrypt(LongBytes.bytes(300_000), with: keys), to: "message")
        let file = try await CryptorPool.shared.verifiedFile(at: folder.path("message"), with: keys)
        var sizes: [Int] = []
        for try await chunk in file.chunks() { sizes.append(chunk.count) }
        #expect(sizes == [262_144, 37_856])
    }
}
