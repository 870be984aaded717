import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

@testable import RNCryptorCompat

/// What decryptors return and throw, call by call, also after they have finished or failed: what
/// RNCryptor 5.1 does, or what it does instead. Each case names the function of RNCryptor.swift, or
/// of RNCryptorTests.swift, that shows it.
@Suite struct ReuseCompatTests {
    enum Kind: CaseIterable { case decryptor, decryptorV3, decryptorV3OfKeys }

    enum Call {
        /// A message, or a part of one.
        case update(Range<Int>), decrypt
        case finalData
    }

    enum Answer: Equatable {
        case nothing, data
        case error(RNCryptor.Error)
    }

    /// Calls, and what they do.
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        /// Where RNCryptor shows it.
        let source: String
        var kinds = Kind.allCases
        /// What is done to a message of 100 bytes of plaintext.
        var alter: @Sendable ([UInt8]) -> [UInt8] = { $0 }
        var isWrongSecret = false
        let calls: [(call: Call, here: Answer)]
        /// What RNCryptor does in the last calls, if that is something else.
        var there = ""
    }

    /// All of a message.
    private static let all = 0..<1000

    private static let cases = [
        Case(
            description: "finished, then finished again",
            source: "DecryptorEngineV3.finalData: OverflowingBuffer.finalData has left no bytes",
            calls: [
                (.update(all), .data), (.finalData, .data), (.finalData, .error(.hmacMismatch)),
                (.finalData, .error(.hmacMismatch)),
            ]),
        Case(
            description: "two messages in one decryptor",
            source: "RNCryptorType.oneshot, and issue 184: testTwoDecodesOnOneDecryptorV3",
            calls: [
                (.decrypt, .data), (.decrypt, .error(.hmacMismatch)),
                (.decrypt, .error(.hmacMismatch)), (.finalData, .error(.hmacMismatch)),
            ]),
        Case(
            description: "a message in chunks after another",
            source: "DecryptorEngineV3.update does not know that it has finished",
            calls: [
                (.update(all), .data), (.finalData, .data),
                (.update(all), .error(.hmacMismatch)), (.update(0..<0), .error(.hmacMismatch)),
                (.finalData, .error(.hmacMismatch)),
            ],
            there: "update returns what CCCryptorUpdate makes of it; finalData throws the same"),
        Case(
            description: "empty chunks",
            source: "Decryptor.update and DecryptorV3.update: \"May be empty.\"",
            calls: [
                (.update(0..<0), .nothing), (.update(0..<1), .nothing), (.update(0..<0), .nothing),
                (.update(1..<1000), .data), (.update(0..<0), .nothing), (.finalData, .data),
            ]),
        Case(
            description: "wrong secret",
            source: "testBadPassword; DecryptorEngineV3.finalData",
            isWrongSecret: true,
            calls: [
                (.decrypt, .error(.hmacMismatch)), (.finalData, .error(.hmacMismatch)),
                (.decrypt, .error(.hmacMismatch)),
            ]),
        Case(
            description: "altered",
            source: "DecryptorEngineV3.finalData throws before it returns the last block",
            alter: { $0.dropLast() + [$0[$0.count - 1] ^ 1] },
            calls: [
                (.update(all), .data), (.finalData, .error(.hmacMismatch)),
                (.finalData, .error(.hmacMismatch)),
            ]),
        Case(
            description: "no byte",
            source: "Decryptor.finalData: no decryptor was chosen",
            kinds: [.decryptor],
            calls: [
                (.finalData, .error(.unknownHeader)), (.update(all), .error(.unknownHeader)),
                (.finalData, .error(.unknownHeader)),
            ], there: "a message after that is decrypted"),
        Case(
            description: "no byte, version 3",
            source: "DecryptorV3.finalData: there is no engine",
            kinds: [.decryptorV3, .decryptorV3OfKeys],
            calls: [
                (.finalData, .error(.messageTooShort)), (.update(all), .error(.messageTooShort)),
                (.finalData, .error(.messageTooShort)),
            ], there: "a message after that is decrypted"),
        Case(
            description: "a part of the header",
            source: "DecryptorV3.finalData: there is no engine",
            calls: [
                (.update(0..<17), .nothing), (.finalData, .error(.messageTooShort)),
                (.update(17..<1000), .error(.messageTooShort)),
                (.finalData, .error(.messageTooShort)),
            ], there: "the rest of the message after that is decrypted"),
        Case(
            description: "too few bytes after the header",
            source: "isEqualInConsistentTime: the lengths differ",
            calls: [
                (.update(0..<50), .nothing), (.finalData, .error(.hmacMismatch)),
                (.finalData, .error(.hmacMismatch)),
            ]),
        Case(
            description: "version 2",
            source: "Decryptor.update: decryptors is empty from then on; testBadFormat",
            kinds: [.decryptor], alter: { [2] + $0.dropFirst() },
            calls: [
                (.decrypt, .error(.unknownHeader)), (.update(all), .error(.unknownHeader)),
                (.finalData, .error(.unknownHeader)),
            ]),
        Case(
            description: "version 2, for version 3",
            source: "DecryptorV3.makeEngine; testBadFormatV3",
            kinds: [.decryptorV3, .decryptorV3OfKeys], alter: { [2] + $0.dropFirst() },
            calls: [
                (.decrypt, .error(.unknownHeader)), (.update(all), .error(.unknownHeader)),
                (.finalData, .error(.unknownHeader)),
            ], there: "finalData throws messageTooShort, because no engine was made"),
        Case(
            description: "a message of the other kind",
            source: "DecryptorV3.makeEngine",
            alter: { [3, $0[1] ^ 1] + $0.dropFirst(2) },
            calls: [
                (.decrypt, .error(.invalidCredentialType)),
                (.update(all), .error(.invalidCredentialType)),
                (.finalData, .error(.invalidCredentialType)),
            ], there: "finalData throws messageTooShort, because no engine was made"),
    ]

    private func decryptor(_ kind: Kind, isWrongSecret: Bool) -> any RNCryptorType {
        let password = isWrongSecret ? "wrongpassword" : "thepassword"
        switch kind {
        case .decryptor: return RNCryptor.Decryptor(password: password)
        case .decryptorV3: return RNCryptor.DecryptorV3(password: password)
        case .decryptorV3OfKeys:
            let hmacKey = Data(repeating: isWrongSecret ? 3 : 2, count: 32)
            return RNCryptor.DecryptorV3(
                encryptionKey: Data(repeating: 1, count: 32), hmacKey: hmacKey)
        }
    }

    private func encryptor(_ kind: Kind) -> RNCryptor.EncryptorV3 {
        kind == .decryptorV3OfKeys
            ? RNCryptor.EncryptorV3(
                encryptionKey: Data(repeating: 1, count: 32),
                hmacKey: Data(repeating: 2, count: 32))
            : RNCryptor.EncryptorV3(password: "thepassword")
    }

    @Test(arguments: cases) func asInRNCryptor(_ testCase: Case) throws {
        let plaintext = Data(0..<100)
        for kind in testCase.kinds {
            let message = testCase.alter(Array(encryptor(kind).encrypt(data: plaintext)))
            let decryptor = decryptor(kind, isWrongSecret: testCase.isWrongSecret)
            var released = Data()
            for (number, (call, expected)) in testCase.calls.enumerated() {
                let result = Result {
                    switch call {
                    case .update(let range):
                        try decryptor.update(
                            withData: Data(message[range.clamped(to: 0..<message.count)]))
                    case .finalData: try decryptor.finalData()
                    case .decrypt: try decryptor.decrypt(Data(message))
                    }
                }
                let found: Answer
                switch result {
                case .success(let data):
                    released += data
                    found = data.isEmpty ? .nothing : .data
                case .failure(let error):
                    found = .error(try #require(error as? RNCryptor.Error))
                }
                #expect(found == expected, "\(testCase), \(kind), call \(number)")
            }
            let hasVerified = testCase.calls.contains {
                if case .update = $0.call { false } else { $0.here == .data }
            }
            if hasVerified { #expect(released == plaintext, "\(testCase), \(kind)") }
        }
    }
}

extension RNCryptorType {
    fileprivate func decrypt(_ message: Data) throws -> Data {
        switch self {
        case let decryptor as RNCryptor.Decryptor: try decryptor.decrypt(data: message)
        case let decryptor as RNCryptor.DecryptorV3: try decryptor.decrypt(data: message)
        default: preconditionFailure("not a decryptor")
        }
    }
}
