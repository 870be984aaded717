import Foundation
import Testing

/// A run that a change waits for repeats what is random only a few times. A thorough one
/// (`scripts/test --thorough`), before a release and once a week, finds what happens rarely.
package enum Thoroughness {
    package static let isThorough =
        ProcessInfo.processInfo.environment["CRYPTORFORMAT_TEST_THOROUGH"] != nil
}

/// How often to repeat what is random, or how many of many similar cases to try.
package func rounds(_ few: Int, thorough many: Int) -> Int {
    Thoroughness.isThorough ? many : few
}

/// Some of many similar cases, others in each run; in a thorough run all of them.
package func sample<Case>(_ few: Int, of cases: [Case]) -> [Case] {
    guard !Thoroughness.isThorough, few < cases.count else { return cases }
    var generator = SeededGenerator()
    return Array(cases.shuffled(using: &generator).prefix(few))
}

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. The limit measures nothing: all tests begin at once, each spends
    /// most of its time waiting for others, and a machine may be emulated.
    package static var unlessItHangs: Self { .timeLimit(.minutes(40)) }
}
