import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

/// Messages of other writers, and forged ones, through the command.
@Suite struct VectorCommandTests {
    private static let shortened = "--accept-shortened-passwords"
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Writes the secret that opens a message to a file, and returns the option that names the file.
    private func option(for secret: Secret) throws -> String {
        switch secret {
        case .password(let text):
            try place.write(text, to: "secret")
            return "--password-file secret"
        case .keys(let encryption, let hmac):
            try place.write((encryption + hmac).map { String(format: "%02x", $0) }.joined(), to: "secret")
            return "--key-file secret"
        }
    }

    @Test func everyMessageOfAnotherWriter() throws {
        let messages = try VectorFolder.readable().filter { $0.peer != nil }
        #expect(messages.count >= 50)
        for message in messages {
            let accept = "--accept v1,v0 \(try option(for: message.secret))"
            try place.write(Data(message.message), to: "message")
            try place.write(Data(message.plaintext), to: "expected")
            if message.needsShortenedPassword {
                try place.fail("$RNCRYPTOR decrypt \(accept) message", 77, saying: "message: ")
            }
            let option = message.needsShortenedPassword ? Self.shortened : ""
            try place.succeed("$RNCRYPTOR decrypt \(accept) \(option) message | cmp - expected")
            try place.succeed("rm -f out && $RNCRYPTOR decrypt \(accept) \(option) -o out message && cmp out expected")
        }
    }

    /// Who guesses the beginning of a password can forge a message. It is refused, unless the user asks for that.
    @Test func forgedMessagesAreRefused() throws {
        let forged = try VectorFolder.refused().filter { $0.forgedPlaintext != nil }
        #expect(forged.count == 15)
        for vector in forged {
            let secret = try option(for: vector.secret)
            try place.write(Data(vector.message), to: "message")
            for words in ["decrypt", "decrypt -o out", "verify", "rekey --new-key-file key"] {
                try place.fail("$RNCRYPTOR \(words) --accept 1,0 \(secret) message", 77, saying: "message: ")
            }
            let lines = "base64 -w 0 message | $RNCRYPTOR decrypt --lines --accept 1,0 \(secret)"
            #expect(try place.shell(lines).output.isEmpty)
            #expect(try !place.exists("out") && place.read("message") == Data(vector.message))
            try place.write(Data(try #require(vector.forgedPlaintext)), to: "expected")
            try place.succeed("$RNCRYPTOR decrypt --accept 1,0 \(Self.shortened) \(secret) message | cmp - expected")
        }
    }
}
