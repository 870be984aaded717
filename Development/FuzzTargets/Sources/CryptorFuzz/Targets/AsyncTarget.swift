@testable import CryptorFormat

/// Asynchronous sequences give what whole messages give, whatever the chunks are and whatever the source does in
/// between. A sequence that was cancelled or failed never ends as if it were complete, and throws the same error again.
func asyncTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    var accepting = Fixture.versions(input.next() & 15)
    let event = SourceEvent(input.next(), at: Int(input.next() & 31))
    let limit = Int(input.next()) * 128
    let chunks = input.chunkSizes()
    let usesCopies = choice & 4 != 0
    let isLong = choice & 0xF8 == 0xF8
    let (credential, message, isShortened) = try Fixture.message(input)
    accepting.shortenedPasswords = isShortened
    let bytes = isLong ? message.repeated(toAtLeast: 150 * 1024) : message
    let cuts = isLong ? ChunkSizes(sizes: chunks.sizes.map { $0 * 211 }) : chunks
    let source = Source(kind: Int(choice >> 3) % 3, chunks: cuts.cut(bytes), event: event)
    switch choice & 3 {
    case 0:
        try encrypt(bytes, from: source, Fixture.credential, usesCopies)
    case 1, 2:
        let (released, end) = try finished { [accepting] in
            await source.drainDecrypted(with: credential, accepting, usesCopies)
        }
        let expected = Outcome.whole(bytes, credential, accepting)
        expectEnd(end.map { _ in released }, of: source, expected, "in a sequence, whole")
        if case .plaintext(let plaintext) = expected {
            expect(plaintext.starts(with: released), "other bytes were released than the plaintext's")
        }
    default:
        let end = try finished { [accepting] in
            await source.collect(upTo: isLong ? .max : limit, with: credential, accepting)
        }
        var expected = Outcome.whole(bytes, credential, accepting)
        if !isLong, bytes.count > limit {
            if case .success = end { fail("\(bytes.count) bytes were collected, up to \(limit)") }
            if case .plaintext = expected { expected = .failure(.messageTooLong) }
            // Either error may show first.
            if case .failure(.cryptor(let error)) = end, error.code == .messageTooLong { expected = Outcome(error) }
        }
        expectEnd(end, of: source, expected, "collected, whole")
    }
}

/// How a sequence failed.
private enum StreamFailure: Error {
    case cryptor(CryptorError)
    case source
}

private struct SourceFailure: Error {}

private func encrypt(
    _ plaintext: [UInt8], from source: Source, _ credential: Credential, _ usesCopies: Bool
) throws {
    let (message, end) = try finished { await source.drainEncrypted(with: credential, usesCopies) }
    expectEnd(end.map { _ in plaintext }, of: source, .plaintext(plaintext), "encrypted")
    switch end {
    case .success:
        Outcome.expectSame(.whole(message, credential, [.v3]), .plaintext(plaintext), "read again, written")
    case .failure:
        // A part of a message must not pass for a message.
        let outcome = Outcome.whole(message, credential, [.v3])
        if case .plaintext = outcome { fail("what was interrupted is a whole message") }
    }
}

/// Without an event that ends the sequence, the end has to be the expected one. With such an event, it has to be the
/// event's failure, or the message's own if that came first.
private func expectEnd(
    _ end: Result<[UInt8], StreamFailure>, of source: Source, _ expected: Outcome, _ words: String
) {
    let mayEnd = source.event.mayEnd(after: source.chunks.count) || source.event.kind == .fails && source.kind == 0
    switch end {
    case .success(let bytes):
        expect(mayEnd, "\(words): it ended as if it were whole, with \(source.event)")
        Outcome.expectSame(.plaintext(bytes), expected, words)
    case .failure(.source):
        expect(!mayEnd && source.event.kind == .fails, "\(words): its source has not failed")
    case .failure(.cryptor(let error)):
        let code: CryptorError.Code = source.event.kind == .fails ? .invalidCredential : .cancelled
        if mayEnd || error.code != code { Outcome.expectSame(Outcome(error), expected, words) }
    }
}

/// Chunks that do not fail, fail with an error of the library, or with another one.
private struct Source: Sendable {
    let kind: Int
    let chunks: [ArraySlice<UInt8>]
    let event: SourceEvent

    private static let pool = CryptorPool(threadCount: 1)

    private var unfailing: ChunkSource<Never> { ChunkSource(chunks: chunks, event: event, failure: nil) }
    /// Fails with an error that nothing else here throws.
    private var failing: ChunkSource<CryptorError> {
        ChunkSource(chunks: chunks, event: event, failure: .invalidCredential)
    }
    private var failingOtherwise: ChunkSource<any Error> {
        ChunkSource(chunks: chunks, event: event, failure: SourceFailure())
    }

    typealias Drained = (released: [UInt8], end: Result<[UInt8], StreamFailure>)

    func drainEncrypted(with credential: Credential, _ usesCopies: Bool) async -> Drained {
        let room = StreamPiece.maximumByteCount + 48
        return switch kind {
        case 0: await drain(unfailing.encrypted(with: credential, on: Self.pool), room, usesCopies)
        case 1: await drain(failing.encrypted(with: credential, on: Self.pool), room, usesCopies)
        default: await drain(failingOtherwise.encrypted(with: credential, on: Self.pool), room, usesCopies)
        }
    }

    func drainDecrypted(
        with credential: Credential, _ accepting: Acceptance, _ usesCopies: Bool
    ) async -> Drained {
        let room = StreamPiece.maximumByteCount + 16
        return switch kind {
        case 0:
            await drain(
                unfailing.decryptedUnverified(with: credential, accepting: accepting, on: Self.pool), room, usesCopies)
        case 1:
            await drain(
                failing.decryptedUnverified(with: credential, accepting: accepting, on: Self.pool), room, usesCopies)
        default:
            await drain(
                failingOtherwise.decryptedUnverified(with: credential, accepting: accepting, on: Self.pool), room,
                usesCopies)
        }
    }

    func collect(
        upTo limit: Int, with credential: Credential, _ accepting: Acceptance
    ) async -> Result<[UInt8], StreamFailure> {
        do {
            let plaintext =
                switch kind {
                case 0:
                    try await Cryptor.decrypt(
                        collecting: unfailing, upTo: limit, with: credential, accepting: accepting, on: Self.pool)
                case 1:
                    try await Cryptor.decrypt(
                        collecting: failing, upTo: limit, with: credential, accepting: accepting, on: Self.pool)
                default:
                    try await Cryptor.decrypt(
                        collecting: failingOtherwise, upTo: limit, with: credential, accepting: accepting,
                        on: Self.pool)
                }
            return .success(plaintext)
        } catch {
            return .failure(failure(error))
        }
    }

    private func failure(_ error: any Error) -> StreamFailure {
        if error is SourceFailure { return .source }
        guard let error = error as? CryptorError else { fail("an error of another kind: \(error)") }
        return .cryptor(error)
    }

    /// - Parameters:
    ///   - room: the most bytes that come at a time.
    ///   - usesCopies: whether two copies of an iterator take turns.
    private func drain<Bytes: AsyncSequence>(
        _ bytes: Bytes, _ room: Int, _ usesCopies: Bool
    ) async -> Drained where Bytes.Element == [UInt8] {
        var iterators = [bytes.makeAsyncIterator()]
        if usesCopies { iterators.append(iterators[0]) }
        var released: [UInt8] = []
        var turn = 0
        func next() async throws -> [UInt8]? {
            turn += 1
            let index = turn % iterators.count
            var iterator = iterators[index]
            defer { iterators[index] = iterator }
            return try await iterator.next(isolation: nil)
        }
        do {
            while let piece = try await next() {
                expect(!piece.isEmpty && piece.count <= room, "\(piece.count) bytes came at a time")
                released += piece
            }
        } catch {
            let first = failure(error)
            for _ in 0..<2 {
                do {
                    if let piece = try await next() { fail("after \(first) came \(piece.count) bytes") }
                    fail("after \(first) it ended as if it were whole")
                } catch {
                    switch (first, failure(error)) {
                    case (.source, .source): break
                    case (.cryptor(let first), .cryptor(let second)) where first == second: break
                    default: fail("after \(first) came \(error)")
                    }
                }
            }
            return (released, .failure(first))
        }
        do {
            if let piece = try await next() { fail("after the end came \(piece.count) bytes") }
        } catch {
            fail("after the end came \(error)")
        }
        return (released, .success(released))
    }
}
