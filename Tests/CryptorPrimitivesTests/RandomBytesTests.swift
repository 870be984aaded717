import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@Suite struct RandomBytesTests {
    @Test(arguments: [0, 1, 8, 16, 32, 1000])
    func asManyAsAskedFor(count: Int) throws {
        #expect(try RandomBytes.bytes(count: count).count == count)
        #expect(try RandomBytes.secret(count: count).count == count)
    }

    @Test func noTwoDrawsAreEqual() throws {
        var drawn = Set<[UInt8]>()
        for _ in 0..<500 {
            drawn.insert(try RandomBytes.bytes(count: 16))
            drawn.insert(try RandomBytes.secret(count: 16).plain)
        }
        #expect(drawn.count == 1000)
    }

    /// Chance leaves one of 32 bytes at 0 in all of 100 draws less than once in 10^98.
    @Test func everyByteIsDrawn() throws {
        var ever = [UInt8](repeating: 0, count: 32)
        for _ in 0..<100 {
            let (bytes, secret) = (try RandomBytes.bytes(count: 32), try RandomBytes.secret(count: 32).plain)
            for index in ever.indices { ever[index] |= bytes[index] & secret[index] }
        }
        #expect(!ever.contains(0))
    }
}
