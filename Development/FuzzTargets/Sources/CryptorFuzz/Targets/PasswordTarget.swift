@testable import CryptorFormat
@testable import CryptorPrimitives

/// Messages under a password of one reading or of three, arbitrary or with the HMAC of one of the readings. A message
/// under all bytes of the password is opened; others are opened only by a caller that accepts shortened readings.
func passwordTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    let password = Array(Fixture.passwords[Int(choice & 1)].utf8)
    let credential = try Credential.password(utf8: password)
    let strict = Acceptance(Set(FormatVersion.allCases))
    let lenient = Acceptance(strict.versions, shortenedPasswords: true)
    let chunks = input.chunkSizes()
    guard choice & 2 != 0 else {
        let message = input.rest()
        for accepting in [strict, lenient] {
            Outcome.expectSame(
                .whole(message, credential, accepting), .streamed(message, chunks, credential, accepting),
                "whole, in chunks")
        }
        return
    }
    let version = Fixture.version(choice >> 2)
    let salts = Header.Salts(
        encryption: Fixture.field(&input, FormatSize.salt), hmac: Fixture.field(&input, FormatSize.salt))
    let header = Header(version: version, salts: salts, iv: Fixture.field(&input, FormatSize.iv))
    var ciphertext = input.rest()
    ciphertext.removeLast(ciphertext.count % version.rules.blockByteCount)
    let text = String(decoding: password, as: UTF8.self)
    let counts = [password.count, text.utf16.count, text.unicodeScalars.count]
    let used = version == .v3 ? password.count : counts[Int(choice >> 4) % counts.count]
    let keys = try KeyDerivation.keys(
        password: SecretBytes(copying: Array(password.prefix(used)).span.bytes), salts: salts)
    let message = try Fixture.authenticated(header, ciphertext, keys: keys)
    let underKeys = Header(version: version, salts: nil, iv: header.iv)
    let opened = Outcome.whole(try Fixture.authenticated(underKeys, ciphertext, keys: keys), .keys(keys), strict)
    // A wrong shape shows before any key is derived.
    let isOpenedByBoth = used == password.count || opened == .failure(.invalidMessageLength)
    for (accepting, expected) in [
        (lenient, opened), (strict, isOpenedByBoth ? opened : .failure(.authenticationFailed)),
    ] {
        let whole = Outcome.whole(message, credential, accepting)
        Outcome.expectSame(whole, .streamed(message, chunks, credential, accepting), "whole, in chunks")
        Outcome.expectSame(whole, expected, "under the password, under its keys")
    }
}
