@testable import CryptorFormat

/// The result of a message: plaintext, or the code of an error.
enum Outcome: Equatable, CustomStringConvertible {
    case plaintext([UInt8])
    case failure(CryptorError.Code)

    init(_ body: () throws(CryptorError) -> [UInt8]) {
        do throws(CryptorError) {
            self = .plaintext(try body())
        } catch {
            self.init(error)
        }
    }

    init(_ error: CryptorError) {
        let words = error.description
        expect(
            !words.isEmpty && !words.contains(where: \.isNewline), "not a line of text: \(words)")
        self = .failure(error.code)
    }

    /// Decrypts by one call.
    static func whole(_ message: [UInt8], _ credential: Credential, _ accepting: Acceptance)
        -> Outcome
    {
        Outcome { () throws(CryptorError) in
            try Cryptor.decrypt(message, with: credential, accepting: accepting)
        }
    }

    /// Decrypts by a stream, in chunks.
    static func streamed(
        _ message: [UInt8], _ chunks: ChunkSizes, _ credential: Credential, _ accepting: Acceptance
    ) -> Outcome {
        Outcome { () throws(CryptorError) in
            var decryptor = try Decryptor(credential, accepting: accepting)
            var plaintext: [UInt8] = []
            for chunk in chunks.cut(message) {
                try decryptor.update(chunk, unverifiedInto: &plaintext)
            }
            try decryptor.finish(into: &plaintext)
            return plaintext
        }
    }

    var description: String {
        switch self {
        case .plaintext(let bytes): "plaintext of \(bytes.count) bytes"
        case .failure(let code): "\(code)"
        }
    }

    static func expectSame(_ left: Outcome, _ right: Outcome, _ words: String) {
        expect(
            left == right || left.isRefinement(of: right) || right.isRefinement(of: left),
            "\(words): \(left), \(right)"
        )
    }

    /// Whoever knows all of a message whose version is not accepted may see that it is no such
    /// message at all.
    private func isRefinement(of other: Outcome) -> Bool {
        let refined: [CryptorError.Code] = [.invalidMessageLength, .unsupportedVersion]
        guard other == .failure(.versionNotAccepted), case .failure(let code) = self else {
            return false
        }
        return refined.contains(code)
    }
}
