@testable import CryptorFormat

/// `KeyedCryptor` gives what `Cryptor` gives, byte for byte and error for error.
private let keyed = Result { try KeyedCryptor(Fixture.keys) }

func keyedTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    let accepting = Fixture.versions(input.next() & 15)
    var message: [UInt8]
    if choice & 1 == 0 {
        message = input.rest()
    } else {
        let version = Fixture.version(choice >> 1)
        let header = Header(version: version, salts: nil, iv: Fixture.field(&input, FormatSize.iv))
        var ciphertext = input.rest()
        if choice & 8 == 0 { ciphertext.removeLast(ciphertext.count % version.rules.blockByteCount) }
        message = try Fixture.authenticated(header, ciphertext)
    }
    let cryptor = try keyed.get()
    let outcome = Outcome { () throws(CryptorError) in try cryptor.decrypt(message, accepting: accepting) }
    Outcome.expectSame(outcome, .whole(message, Fixture.credential, accepting), "KeyedCryptor, Cryptor")

    let encrypted = try cryptor.encrypt(message)
    Outcome.expectSame(.whole(encrypted, Fixture.credential, [.v3]), .plaintext(message), "read again, written")
    let again = Outcome { () throws(CryptorError) in try cryptor.decrypt(encrypted) }
    Outcome.expectSame(again, .plaintext(message), "read again by KeyedCryptor, written")
}
