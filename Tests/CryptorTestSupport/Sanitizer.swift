import CCryptorProbe
import Testing

/// The sanitizers that the tests can be built with: see `scripts/test --sanitize`.
package enum Sanitizer: CaseIterable, Sendable {
    case address, thread, undefinedBehavior

    package var isPresent: Bool {
        switch self {
        case .address: probe_has_address_sanitizer()
        case .thread: probe_has_thread_sanitizer()
        case .undefinedBehavior: probe_has_undefined_behavior_sanitizer()
        }
    }

    /// The sanitizers that these tests were built with.
    package static let present = allCases.filter(\.isPresent)

    /// The environment variable with its options.
    package var variable: String {
        switch self {
        case .address: "ASAN_OPTIONS"
        case .thread: "TSAN_OPTIONS"
        case .undefinedBehavior: "UBSAN_OPTIONS"
        }
    }

    /// Whether a sanitizer checks every memory access. The tests then take several times as long.
    package static let watchesMemory = address.isPresent || thread.isPresent
}

/// How often to repeat what is random or takes long: less often under a sanitizer that checks every
/// memory access, but at least once.
package func repetitions(_ count: Int) -> Int {
    Sanitizer.watchesMemory ? max(1, count / 4) : count
}

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. The limit measures nothing: all tests begin at once, each spends
    /// most of its time waiting for others, and a machine may be emulated.
    package static var unlessItHangs: Self { .timeLimit(.minutes(40)) }
}
