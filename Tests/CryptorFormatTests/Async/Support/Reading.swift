@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// What came out of an asynchronous sequence, which is asked a few times more after it has failed or ended.
struct Reading {
    private(set) var chunks: [[UInt8]] = []
    private(set) var error: (any Error)?
    /// The result of each later `next()`; nil for an end.
    private(set) var later: [String?] = []

    var bytes: [UInt8] { chunks.flatMap { $0 } }
    var code: CryptorError.Code? { (error as? CryptorError)?.code }

    /// Whether the sequence stayed failed or ended.
    var isSticky: Bool { later.allSatisfy { $0 == error.map { "\($0)" } } && later.count == 3 }

    init<Source: AsyncSequence>(_ source: Source) async where Source.Element == [UInt8] {
        var iterator = source.makeAsyncIterator()
        do {
            while let chunk = try await iterator.next(isolation: nil) { chunks.append(chunk) }
        } catch {
            self.error = error
        }
        for _ in 0..<3 {
            do {
                later.append(try await iterator.next(isolation: nil).map { "released \($0.count) bytes" })
            } catch {
                later.append("\(error)")
            }
        }
    }
}
