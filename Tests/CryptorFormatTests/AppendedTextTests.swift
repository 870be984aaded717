import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

/// Base64 text and messages are appended to what is there.
@Suite struct AppendedTextTests {
    @Test(arguments: [0, 1, 2, 3, 57, 1000, 100_000], ["", "\n", " \r\n"])
    func whatIsThereStays(byteCount: Int, ending: String) throws {
        let bytes = LongBytes.bytes(byteCount)
        var text: [UInt8] = [7]
        withRawSpan(of: bytes) { bytes in Cryptor.base64Text(of: bytes, into: &text) }
        #expect(sameBytes(text, [7] + Cryptor.base64Text(of: bytes)))
        var message: [UInt8] = [1, 2]
        try withRawSpan(of: text.dropFirst() + Array(ending.utf8)) { (text) throws(CryptorError) in
            try Cryptor.message(fromBase64: text, into: &message)
        }
        #expect(sameBytes(message, [1, 2] + bytes))
    }

    /// Text that is not base64 adds nothing, not even the bytes before the fault.
    @Test(arguments: ["!", "AwEB*", "AwEBAwEBAwE*", "AwEBAw==AwEB", "AwEBA", "AwEB\nAwEB\nA\n"])
    func whatIsNoneAddsNothing(text: String) throws {
        var message: [UInt8] = [1, 2]
        let error = try caughtError {
            try withRawSpan(of: Array(text.utf8)) { (text) throws(CryptorError) in
                try Cryptor.message(fromBase64: text, into: &message)
            }
        }
        #expect(error?.code == .notBase64)
        #expect(message == [1, 2])
    }
}
