@testable import CryptorFormat
import FoundationEssentials

/// Many messages at a time, arrays or `Data`: each has the result that it has alone, and none affects another.
func batchTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    let accepting = Fixture.versions(input.next() & 15)
    // Few, because keys are derived for these messages, and once more for their copies.
    let usesPassword = choice & 0x3F == 0x3F
    let count = Int(input.next()) % (usesPassword ? 3 : 40)
    var items: [BatchItem] = []
    while items.count < count, !input.isEmpty { items.append(try BatchItem(&input)) }
    let credential = usesPassword ? try password(choice) : Fixture.credential
    expect(!"\(credential)".isEmpty && Mirror(reflecting: credential).children.isEmpty, "a credential shows something")

    let plaintexts = items.map(\.bytes)
    let written: [Outcome]
    if choice & 0x40 == 0 {
        written = Cryptor.encryptAll(plaintexts, with: credential).map(Outcome.init)
    } else {
        let data = Cryptor.encryptAll(plaintexts.map { Data($0) }, with: credential)
        written = data.map { Outcome($0.map { Array($0) }) }
    }
    expect(written.count == items.count, "\(written.count) results for \(items.count) plaintexts")
    var messages = items.map(\.message)
    for (outcome, plaintext) in zip(written, plaintexts) {
        guard case .plaintext(let message) = outcome else { fail("encrypted: \(outcome)") }
        Outcome.expectSame(.whole(message, credential, [.v3]), .plaintext(plaintext), "read again, written")
        let data = Outcome { () throws(CryptorError) in
            Array(try Cryptor.decrypt(Data(message), with: credential))
        }
        Outcome.expectSame(data, .plaintext(plaintext), "read again as Data, written")
        if usesPassword { messages.append(message) }
    }

    let expected = messages.map { Outcome.whole($0, credential, accepting) }
    let read =
        choice & 0x80 == 0
        ? Cryptor.decryptAll(messages, with: credential, accepting: accepting).map(Outcome.init)
        : Cryptor.decryptAll(messages.map { Data($0) }, with: credential, accepting: accepting)
            .map { Outcome($0.map { Array($0) }) }
    expect(read.count == expected.count, "\(read.count) results for \(expected.count) messages")
    for (left, right) in zip(read, expected) { Outcome.expectSame(left, right, "among others, alone") }

    guard let plaintext = plaintexts.first else { return }
    try checkKeys(of: plaintext)
    let data = try Cryptor.encrypt(Data(plaintext), with: Fixture.credential)
    let again = Outcome.whole(Array(data), Fixture.credential, [.v3])
    Outcome.expectSame(again, .plaintext(plaintext), "read again, written as Data")
}

/// Two keys of 32 bytes each, and nothing else, make a pair, and the pair shows nothing of them.
private func checkKeys(of bytes: [UInt8]) throws {
    let halves = (bytes.prefix(bytes.count / 2), bytes.suffix(bytes.count - bytes.count / 2))
    do throws(CryptorError) {
        let keys = try KeyPair(encryptionKey: halves.0, hmacKey: halves.1)
        expect(keys.copyKeys() == (Array(halves.0), Array(halves.1)), "other keys than those that were given")
        expect(Mirror(reflecting: keys).children.isEmpty, "a key pair shows its keys")
        expect("\(keys)" == String(reflecting: keys), "a key pair shows more where it is debugged")
    } catch {
        expect(Outcome(error) == .failure(.invalidCredential) && bytes.count != 64, "\(bytes.count) bytes: \(error)")
    }
}

/// A password that is generated half of the time.
private func password(_ choice: UInt8) throws -> Credential {
    guard choice & 0x80 != 0 else { return try .password(Fixture.passwords[Int(choice >> 6) & 1]) }
    let password = try Cryptor.generatePassword()
    let groups = password.split(separator: "-", omittingEmptySubsequences: false)
    expect(groups.count == 6 && groups.allSatisfy { $0.utf8.count == 5 }, "no six groups of five: \(password)")
    return try .password(password)
}

private struct BatchItem {
    let bytes: [UInt8]
    let message: [UInt8]

    init(_ input: inout FuzzInput) throws {
        let choice = input.next()
        bytes = input.take(Int(input.next()))
        let version = Fixture.version(choice)
        let header = Header(
            version: version, salts: nil, iv: [UInt8](repeating: choice, count: FormatSize.iv))
        switch choice >> 2 & 3 {
        case 0: message = bytes
        case 1:
            let whole = bytes.count - bytes.count % version.rules.blockByteCount
            message = try Fixture.authenticated(header, Array(bytes.prefix(whole)))
        default:
            message = try Cryptor.encrypt(bytes, with: Fixture.credential, header: header)
        }
    }
}
