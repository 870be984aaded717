@testable import CryptorFormat

/// A message that is encrypted in chunks is the same as at once, and can be read, on one thread and on two.
func roundTripTarget(_ input: consuming FuzzInput) throws {
    Cryptor.usesSecondThread = input.next() & 1 == 1
    // Long enough for two threads. Rare, because it takes as long as thousands of others.
    let isLong = input.next() == 0xFF
    let writing = input.chunkSizes()
    let reading = input.chunkSizes()
    let header = Header(salts: nil, iv: Fixture.field(&input, FormatSize.iv))
    var plaintext = input.rest()
    if isLong { plaintext = plaintext.repeated(toAtLeast: 600 * 1024) }
    var encryptor = try Encryptor(header, keys: Fixture.keys)
    var message: [UInt8] = []
    let chunks = isLong ? ChunkSizes(sizes: writing.sizes.map { $0 * 1021 }) : writing
    for chunk in chunks.cut(plaintext) { try encryptor.update(chunk, into: &message) }
    try encryptor.finish(into: &message)
    let whole = try Cryptor.encrypt(plaintext, with: Fixture.credential, header: header)
    expect(message == whole, "in chunks it is another message")
    expect(message.count == KeyedCryptor.messageByteCount(for: plaintext.count), "another length than announced")

    let pieces = isLong ? ChunkSizes(sizes: reading.sizes.map { $0 * 1021 }) : reading
    let read = Outcome.streamed(message, pieces, Fixture.credential, [.v3])
    Outcome.expectSame(read, .plaintext(plaintext), "read again, written")
}
