import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Testing

/// This library and the PyPI package `rncryptor` read each other's messages.
@Suite(.enabled(if: PythonPeer.isGiven, "CRYPTORFORMAT_PYTHON names no Python with rncryptor"))
struct PythonPeerTests {
    private let cases: [(text: String, password: String)]

    init() {
        var generator = SeededGenerator()
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz äöüß éèê 漢字 🔐🗝️ \n\t\0")
        func text(ofAtLeast byteCount: Int) -> String {
            var text = ""
            while text.utf8.count < byteCount {
                text.append(alphabet[Int.random(in: alphabet.indices, using: &generator)])
            }
            return text
        }
        let passwords = [
            "p", "correct horse battery staple", "kennwort mit ä und 漢字 🔐", String(repeating: "x", count: 100),
        ]
        let lengths = Array(0...17) + [31, 32, 33, 47, 48, 49, 255, 256, 1000, 5000]
        cases =
            lengths.enumerated().map { (text(ofAtLeast: $0.element), passwords[$0.offset % passwords.count]) }
            + ["0", "fifteen bytes..", "sixteen bytes...", "ünïcödé"].map { ($0, "password") }
    }

    @Test func theyReadOurs() throws {
        let requests = try cases.map { test in
            let message = try Cryptor.encrypt(Array(test.text.utf8), with: .password(test.password))
            return PythonPeer.Request.decrypt(message, password: test.password)
        }
        let answers = try PythonPeer.answers(to: requests)
        #expect(answers.count == cases.count)
        for (test, answer) in zip(cases, answers) {
            #expect(Array(answer.utf8) == Array(test.text.utf8), "\(test), \(SeededGenerator())")
        }
    }

    @Test func weReadTheirs() throws {
        let answers = try PythonPeer.answers(to: cases.map { .encrypt($0.text, password: $0.password) })
        #expect(answers.count == cases.count)
        for (test, answer) in zip(cases, answers) {
            let (message, credential) = (try [UInt8](hex: answer), try Credential.password(test.password))
            let plaintext = try Cryptor.decrypt(message, with: credential)
            #expect(plaintext == Array(test.text.utf8), "\(test), \(SeededGenerator())")
            let reading = try ChunkedDecryption(message, with: credential, .fixed(7))
            #expect(reading.verifiedPlaintext == Array(test.text.utf8), "\(test), \(SeededGenerator())")
        }
    }
}
