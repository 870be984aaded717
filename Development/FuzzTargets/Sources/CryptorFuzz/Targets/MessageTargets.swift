@testable import CryptorFormat
@testable import CryptorPrimitives

/// Arbitrary bytes as a header: a header that was read, written again, gives the same bytes, and what follows does not
/// matter.
func headerTarget(_ input: consuming FuzzInput) throws {
    let usesPassword = input.next() & 1 == 0
    let bytes = input.rest()
    do {
        let header = try Header(parsing: bytes, version0UsesPassword: usesPassword)
        expect(
            Fixture.bytes(of: header) == Array(bytes.prefix(header.byteCount)), "the header is another than its bytes")
        let alone = try Header(parsing: bytes.prefix(header.byteCount), version0UsesPassword: usesPassword)
        expect(alone == header, "what follows the header changes it")
        for count in 0..<header.byteCount {
            do {
                _ = try Header(parsing: bytes.prefix(count), version0UsesPassword: usesPassword)
                fail("a header of \(count) bytes was read")
            } catch {
                expect(error.code == .invalidMessageLength, "\(count) bytes of a header: \(error.code)")
            }
        }
    } catch {
        expect(!error.description.isEmpty, "an error without words")
    }
}

/// Every byte comes out once and in order, in whole blocks, and the tail is held back.
func holdbackTarget(_ input: consuming FuzzInput) throws {
    let isVersion0 = input.next() & 1 == 1
    let chunks = input.chunkSizes()
    let bytes = input.rest()
    let rules = (isVersion0 ? FormatVersion.v0UnauthenticatedHeader : .v3).rules
    var holdback = TailHoldback(rules)
    var released: [UInt8] = []
    for chunk in chunks.cut(bytes) {
        let announced = holdback.releasableByteCount(adding: chunk.count)
        let before = released.count
        withRawSpan(of: chunk) { chunk in
            holdback.add(chunk) { span in
                expect(span.byteCount % rules.blockByteCount == 0, "\(span.byteCount) bytes are no whole blocks")
                released.append(contentsOf: Array(copying: span))
            }
        }
        expect(released.count - before == announced, "\(announced) announced, \(released.count - before) released")
    }
    expect(released + holdback.held == bytes, "released and held are not what came")
    let expected = bytes.count - rules.tailByteCount
    expect(
        released.count == (expected > 0 ? expected - expected % rules.blockByteCount : 0),
        "\(released.count) bytes of \(bytes.count) released")
}

/// A message, arbitrary or authentic, of any version, gives the same at once, in chunks, and by a `KeyedCryptor`. Its
/// plaintext, encrypted again, gives the same message. Altered, it is refused.
func decryptTarget(_ input: consuming FuzzInput) throws {
    let accepting = Fixture.versions(input.next() & 15)
    let chunks = input.chunkSizes()
    let (credential, message) = try Fixture.message(input)
    let whole = expectSameInAllWays(message, chunks, credential, accepting)
    if case .plaintext(let plaintext) = whole, !credential.writesUnderPassword {
        let header = try Header(parsing: message, version0UsesPassword: false)
        let again = try Cryptor.encrypt(plaintext, with: credential, header: header)
        expect(again == message, "encrypted again, it is another message")
    }
    guard var forged = Optional(message), !forged.isEmpty else { return }
    forged[forged.count - 1] ^= 1
    let refusal = expectSameInAllWays(forged, chunks, credential, accepting)
    if case .plaintext = refusal, case .plaintext = whole { fail("a forged message was read") }
}

private func expectSameInAllWays(
    _ message: [UInt8], _ chunks: ChunkSizes, _ credential: Credential, _ accepting: Acceptance
) -> Outcome {
    let whole = Outcome.whole(message, credential, accepting)
    Outcome.expectSame(whole, .streamed(message, chunks, credential, accepting), "whole, in chunks")
    if !credential.writesUnderPassword {
        let keyed = Outcome { () throws(CryptorError) in try Fixture.keyed.decrypt(message, accepting: accepting) }
        Outcome.expectSame(whole, keyed, "Cryptor, KeyedCryptor")
    }
    return whole
}

/// A message that is encrypted in chunks is the same as at once, and can be read, on one thread and on two.
func roundTripTarget(_ input: consuming FuzzInput) throws {
    Cryptor.usesSecondThread = input.next() & 1 == 1
    // Long enough for two threads. Rare, because it takes as long as thousands of others.
    let isLong = input.next() == 0xFF
    let writing = input.chunkSizes(times: isLong ? 1021 : 1)
    let reading = input.chunkSizes(times: isLong ? 1021 : 1)
    let header = Header(salts: nil, iv: input.iv())
    var plaintext = input.rest()
    if isLong { plaintext = plaintext.repeated(toAtLeast: 600 * 1024) }
    var encryptor = try Encryptor(header, keys: Fixture.keys)
    var message: [UInt8] = []
    for chunk in writing.cut(plaintext) { try encryptor.update(chunk, into: &message) }
    try encryptor.finish(into: &message)
    let whole = try Cryptor.encrypt(plaintext, with: Fixture.credential, header: header)
    expect(message == whole, "in chunks it is another message")
    expect(message.count == Fixture.keyed.messageByteCount(for: plaintext.count), "another length than announced")
    let read = Outcome.streamed(message, reading, Fixture.credential, [.v3])
    Outcome.expectSame(read, .plaintext(plaintext), "read again, written")
}

/// Every engine gives the keys of `PKCS5_PBKDF2_HMAC(3)`, for passwords and salts of any length, shared or not.
func keyDerivationTarget(_ input: consuming FuzzInput) throws {
    let iterations = 1 + Int(input.next() & 15)
    let count = 1 + Int(input.next() % 17)
    var password = SecretBytes(copying: [UInt8]().span.bytes)
    var requests: [PBKDF2.Request] = []
    var expected: [[UInt8]] = []
    for index in 0..<count {
        let lengths = input.next()
        // About every other request shares the password object of the request before.
        if index == 0 || lengths & 1 == 1 {
            let bytes = input.take(Int(input.next()))
            password = SecretBytes(copying: bytes.span.bytes)
        }
        let salt = input.take(lengths & 2 == 0 ? 8 : Int(lengths))
        requests.append(PBKDF2.Request(password: password, salt: salt))
        let key = try PBKDF2.deriveKey(password: password, salt: salt, iterations: iterations, engine: .openSSL)
        expected.append(key.withRawSpan { Array(copying: $0) })
    }
    for engine in PBKDF2.Engine.allCases where engine.isAvailable && engine != .openSSL {
        let keys = try PBKDF2.deriveKeys(for: requests, iterations: iterations, engine: engine)
        let bytes = keys.map { key in key.withRawSpan { Array(copying: $0) } }
        expect(bytes == expected, "\(engine): other keys than OpenSSL's, for \(count) requests")
    }
}
