import CCryptorSanitizers

/// What the tests were built with: see `scripts/test --sanitize`.
package enum Sanitizer: CaseIterable, Sendable {
    case address, thread, undefinedBehavior

    package var isPresent: Bool {
        switch self {
        case .address: has_address_sanitizer()
        case .thread: has_thread_sanitizer()
        case .undefinedBehavior: has_undefined_behavior_sanitizer()
        }
    }

    /// Those that there are.
    package static let present = allCases.filter(\.isPresent)

    /// The variable with its options.
    package var variable: String {
        switch self {
        case .address: "ASAN_OPTIONS"
        case .thread: "TSAN_OPTIONS"
        case .undefinedBehavior: "UBSAN_OPTIONS"
        }
    }

    /// Whether every access to memory is looked at: that takes several times as long.
    package static let watchesMemory = address.isPresent || thread.isPresent
}

/// How often to repeat what is random or takes long: less often where each time takes longer, but never not at all.
package func repetitions(_ count: Int) -> Int {
    Sanitizer.watchesMemory ? max(1, count / 4) : count
}
