import CCryptorProbe
import Testing

/// The sanitizers that the tests can be built with: see `Development/sanitized-tests`.
package enum Sanitizer: CaseIterable, Sendable {
    case address, thread, undefinedBehavior

    package var isPresent: Bool {
        switch self {
        case .address: probe_has_address_sanitizer()
        case .thread: probe_has_thread_sanitizer()
        case .undefinedBehavior: probe_has_undefined_behavior_sanitizer()
        }
    }

    /// Why a test is skipped without one.
    package static let need: Comment = "they need a sanitizer"

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
