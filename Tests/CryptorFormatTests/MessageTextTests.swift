import CryptorAsync
import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// Messages as base64 text.
@Suite struct MessageTextTests {
    @Test func equalsFoundations() throws {
        var generator = SeededGenerator()
        for length in 0...200 {
            let bytes = generator.bytes(length)
            let text = Cryptor.base64Text(of: bytes)
            #expect(text == Array(Data(bytes).base64EncodedString().utf8), "\(length) bytes, \(generator)")
            #expect(try Cryptor.message(fromBase64: text) == bytes, "\(length) bytes, \(generator)")
        }
    }

    @Test func asPeopleComeWithIt() throws {
        let message = try Cryptor.encrypt(LongBytes.bytes(1000), with: try FileJob.keys(1))
        let text = Data(message).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])
        let shapes = [
            text, text + "\r\n", text.replacingOccurrences(of: "=", with: ""),
            Data(message).base64EncodedString().replacingOccurrences(of: "+", with: " "),
            text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_"),
        ]
        for shape in shapes { #expect(try Cryptor.message(fromBase64: shape.utf8) == message, "\(shape.prefix(80))") }
    }

    @Test func aRunOfSpacesHasALimit() throws {
        let text = Array("AwEB".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20) + Array("AwEB".utf8)
        let error = try caughtError { _ = try Cryptor.message(fromBase64: text) }
        #expect(error?.code == .notBase64)
        #expect(error?.description.contains("at byte 1004, ") == true, "\(String(describing: error))")
    }

    @Test(arguments: [("!", 0), ("AAA%", 3), ("AAAA\u{0}", 4), ("A", 1), ("AA==AA", 4), ("AAAAé", 4)])
    func whatIsNone(text: String, offset: Int) throws {
        let error = try caughtError { _ = try Cryptor.message(fromBase64: text.utf8) }
        #expect(error?.code == .notBase64)
        #expect(error?.description.contains("at byte \(offset), ") == true, "\(String(describing: error))")
    }
}
