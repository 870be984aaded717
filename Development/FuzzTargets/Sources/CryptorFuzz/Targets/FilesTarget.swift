@testable import CryptorFormat

/// Files give what whole messages give when they are verified, and decrypted into a pipe, which takes two passes.
func filesTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    let accepting = Fixture.versions(input.next() & 15)
    var message: [UInt8]
    if choice & 1 == 0 {
        message = input.rest()
    } else {
        let version = Fixture.version(choice >> 1)
        let header = Header(version: version, salts: nil, iv: Fixture.field(&input, FormatSize.iv))
        message = try Fixture.authenticated(header, input.rest())
    }
    // A longer message might fill the pipe, which nobody reads meanwhile.
    guard message.count < 32 * 1024 else { return }
    let expected = Outcome.whole(message, Fixture.credential, accepting)

    let file = try UnnamedFile(message)
    let source = FileEndpoint.descriptor(file.descriptor)
    let verified = Outcome { () throws(CryptorError) in
        let count = try Cryptor.verifyFile(at: source, with: Fixture.credential, accepting: accepting)
        guard case .plaintext(let plaintext) = expected, plaintext.count == count else {
            fail("\(count) bytes verified")
        }
        return plaintext
    }
    Outcome.expectSame(verified, expected, "verified, whole")

    file.rewind()
    try inspect(source, message)

    file.rewind()
    let pipe = try Pipe()
    let decrypted = Outcome { () throws(CryptorError) in
        try Cryptor.decryptFile(
            at: source, to: .descriptor(pipe.writeEnd), with: Fixture.credential, accepting: accepting)
        return []
    }
    let released = pipe.finish()
    switch (decrypted, expected) {
    case (.plaintext, .plaintext(let plaintext)): expect(released == plaintext, "other bytes reached the pipe")
    default:
        Outcome.expectSame(decrypted, expected, "as a file, whole")
        expect(released.isEmpty, "\(released.count) bytes of a refused message reached the pipe")
    }
}

/// An inspection without a credential tells what the start of the message says, whether its length is known before or
/// not.
private func inspect(_ source: FileEndpoint, _ message: [UInt8]) throws {
    let pipe = try Pipe(giving: message)
    // Version 0 does not say whether a password was used.
    let ifPassword = try? Header(parsing: message)
    let ifKeys = try? Header(parsing: message, version0UsesPassword: false)
    for endpoint in [source, .descriptor(pipe.readEnd)] {
        do {
            let inspection = try Cryptor.inspectFile(at: endpoint)
            if let keys = inspection.headerIfKeys {
                expect(keys == ifKeys && inspection.header == ifPassword && keys != ifPassword, "\(inspection)")
            } else {
                expect(inspection.header == ifKeys, "\(inspection.header) is not its start")
            }
            expect(inspection.messageByteCount == message.count, "\(inspection.messageByteCount) of \(message.count)")
            let isWhole = inspection.shapeError == nil
            expect(isWhole == (inspection.plaintextByteCount != nil), "\(inspection)")
        } catch {
            expect(ifKeys == nil, "its header was read otherwise: \(error)")
        }
    }
}
