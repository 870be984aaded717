@testable import CryptorFormat
@testable import CryptorPrimitives

/// Every byte comes out once and in order, in whole blocks, and the tail is held back.
func holdbackTarget(_ input: consuming FuzzInput) throws {
    let isVersion0 = input.next() & 1 == 1
    let chunks = input.chunkSizes()
    let bytes = input.rest()
    let rules = (isVersion0 ? FormatVersion.v0UnauthenticatedHeader : .v3).rules
    var holdback = TailHoldback(rules.body)
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
