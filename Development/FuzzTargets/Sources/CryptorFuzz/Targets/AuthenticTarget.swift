@testable import CryptorFormat

/// Arbitrary ciphertext of any version with a right HMAC: padding, length and version are judged the same at once and
/// in chunks, and a plaintext, encrypted again, gives the same message.
func authenticTarget(_ input: consuming FuzzInput) throws {
    let version = Fixture.version(input.next())
    let fits = input.next() & 1 == 0
    let chunks = input.chunkSizes()
    let header = Header(version: version, salts: nil, iv: Fixture.field(&input, FormatSize.iv))
    var ciphertext = input.rest()
    if fits { ciphertext.removeLast(ciphertext.count % version.rules.blockByteCount) }
    let message = try Fixture.authenticated(header, ciphertext)
    let all = Acceptance(Set(FormatVersion.allCases))

    let whole = Outcome.whole(message, Fixture.credential, all)
    Outcome.expectSame(whole, .streamed(message, chunks, Fixture.credential, all), "whole, in chunks")
    switch whole {
    case .plaintext(let plaintext):
        let again = try Cryptor.encrypt(plaintext, with: Fixture.credential, header: header)
        expect(again == message, "encrypted again, it is another message")
    case .failure(let code):
        let isShape = ciphertext.isEmpty || !ciphertext.count.isMultiple(of: version.rules.blockByteCount)
        expect(
            isShape ? code == .invalidMessageLength : code == .corruptPadding,
            "\(version), \(ciphertext.count) bytes of ciphertext: \(code)")
        expect(version != .v0UnauthenticatedHeader, "version 0 has neither blocks nor padding: \(code)")
    }
    var forged = message
    forged[forged.count - 1] ^= 1
    let refusal = Outcome.whole(forged, Fixture.credential, all)
    Outcome.expectSame(refusal, .streamed(forged, chunks, Fixture.credential, all), "forged, whole, in chunks")
    if case .plaintext = refusal { fail("a forged message was read") }
}
