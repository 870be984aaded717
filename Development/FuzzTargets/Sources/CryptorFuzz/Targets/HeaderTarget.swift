@testable import CryptorFormat

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
