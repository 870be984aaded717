@testable import CryptorFormat

/// Arbitrary bytes: the result is the same at once and in chunks.
func decryptTarget(_ input: consuming FuzzInput) throws {
    let accepting = Fixture.versions(input.next() & 15)
    let chunks = input.chunkSizes()
    let message = input.rest()
    let whole = Outcome.whole(message, Fixture.credential, accepting)
    let streamed = Outcome.streamed(message, chunks, Fixture.credential, accepting)
    Outcome.expectSame(whole, streamed, "whole, in chunks")
}
