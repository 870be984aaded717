@testable import CryptorFormat
@testable import CryptorPrimitives

/// Arbitrary bytes as a header: a header that was read, written again, gives the same bytes, and
/// what follows does not matter.
func headerTarget(_ input: consuming FuzzInput) throws {
    _ = input.next()
    let bytes = input.rest()
    do {
        let header = try MessageHeader(parsing: bytes)
        expect(
            Fixture.bytes(of: header) == Array(bytes.prefix(header.byteCount)),
            "the header is another than its bytes")
        let alone = try MessageHeader(parsing: bytes.prefix(header.byteCount))
        expect(alone == header, "what follows the header changes it")
        for count in 0..<header.byteCount {
            do {
                _ = try MessageHeader(parsing: bytes.prefix(count))
                fail("a header of \(count) bytes was read")
            } catch {
                expect(
                    error.code == .invalidMessageLength, "\(count) bytes of a header: \(error.code)"
                )
            }
        }
    } catch {
        expect(!error.description.isEmpty, "an error without words")
    }
}

/// A message, arbitrary or authentic, of any version, gives the same at once, in chunks, and by a
/// `KeyedCryptor`. Its plaintext, encrypted again, gives the same message. Altered, it is refused.
func decryptTarget(_ input: consuming FuzzInput) throws {
    let accepting = Fixture.versions(input.next() & 15)
    let chunks = input.chunkSizes()
    let (credential, message) = try Fixture.message(input)
    let whole = expectSameInAllWays(message, chunks, credential, accepting)
    try expectVersion0(message, credential)
    if case .plaintext(let plaintext) = whole, !credential.writesUnderPassword {
        let header = try MessageHeader(parsing: message)
        let keys = try Fixture.keys(for: header, under: credential)
        let again: [UInt8] = try Cryptor.encrypt(plaintext, header: header, keys: keys)
        expect(again == message, "encrypted again, it is another message")
    }
    guard var forged = Optional(message), !forged.isEmpty else { return }
    forged[forged.count - 1] ^= 1
    let refusal = expectSameInAllWays(forged, chunks, credential, accepting)
    if case .plaintext = refusal, case .plaintext = whole { fail("a forged message was read") }
    try expectVersion0(forged, credential)
}

private func expectSameInAllWays(
    _ message: [UInt8], _ chunks: ChunkSizes, _ credential: Credential, _ accepting: Acceptance
) -> Outcome {
    let whole = Outcome.whole(message, credential, accepting)
    Outcome.expectSame(whole, .streamed(message, chunks, credential, accepting), "whole, in chunks")
    if !credential.writesUnderPassword {
        let keyed = Outcome { () throws(CryptorError) in
            try Fixture.keyed.decrypt(message, accepting: accepting)
        }
        Outcome.expectSame(whole, keyed, "Cryptor, KeyedCryptor")
    }
    return whole
}

/// What starts as version 0 is read by one function, as the model says, and by no other. That
/// function reads nothing else.
private func expectVersion0(_ message: [UInt8], _ credential: Credential) throws {
    let found = Outcome { () throws(CryptorError) in
        try Cryptor.decryptVersion0(message, with: credential)
    }
    guard message.starts(with: [0, 0]) else {
        if case .plaintext = found { fail("not of version 0, and read as such") }
        return
    }
    if case .plaintext = Outcome.whole(message, credential, .all) {
        fail("of version 0, and read like others")
    }
    guard !credential.writesUnderPassword else { return }
    let expected = try Version0Model.outcome(message, Fixture.keys)
    expect(found == expected, "version 0: \(found), expected \(expected)")
}
