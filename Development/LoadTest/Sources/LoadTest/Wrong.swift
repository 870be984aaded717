import CryptorFormat
import Synchronization

/// What must not happen: a wrong output, or something left behind.
struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ words: String) { description = words }
}

/// What went wrong on any thread, and what was done.
final class Findings: Sendable {
    private let wrong = Mutex<[String]>([])
    private let counts = Mutex<[String: Int]>([:])

    /// Keeps only the first few, which say enough.
    func note(_ words: String) {
        wrong.withLock { if $0.count < 20 { $0.append(words) } }
    }

    func count(_ what: String, _ number: Int = 1) {
        counts.withLock { $0[what, default: 0] += number }
    }

    var all: [String] { wrong.withLock { $0 } }
    var done: [(what: String, number: Int)] {
        counts.withLock { $0 }.sorted { $0.key < $1.key }.map { (what: $0.key, number: $0.value) }
    }

    /// Does `work`, and notes what it throws.
    func watch(_ name: String, _ work: () throws -> Void) {
        do { try work() } catch { note("\(name): \(error)") }
    }
}
