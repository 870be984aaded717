/// Counts what went wrong and prints a line for each check.
struct Checks {
    private(set) var failures = 0

    mutating func check(_ name: String, _ isRight: () throws -> Bool) {
        do {
            report(name, try isRight(), "wrong result")
        } catch {
            report(name, false, "thrown: \(error)")
        }
    }

    /// Passes if `body` throws `expected`, and nothing else.
    mutating func check<Failure: Error & Equatable>(_ name: String, throws expected: Failure, _ body: () throws -> Void)
    {
        do {
            try body()
            report(name, false, "nothing was thrown")
        } catch {
            report(name, error as? Failure == expected, "thrown: \(error)")
        }
    }

    private mutating func report(_ name: String, _ isRight: Bool, _ problem: String) {
        if !isRight { failures += 1 }
        print(isRight ? "ok      \(name)" : "FAILED  \(name): \(problem)")
    }
}
