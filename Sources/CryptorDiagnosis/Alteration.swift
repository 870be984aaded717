/// One thing that may have happened to a message on its way, and how to undo it. Whether it did
/// happen, the HMAC tells.
struct Alteration: Sendable {
    /// Something to undo in certain bytes.
    struct Site {
        /// The bytes to keep, and to decode if there is a decoder.
        var part: Range<Int>
        /// Where a byte is missing, if that is what happened.
        var offset = 0
    }

    let cause: Cause
    /// Whether a sound length afterwards makes it likely. It does not if there are many sites.
    let isLikely: Bool
    /// What happened there, and what a person can do about it.
    let advice: @Sendable (Site) -> String
    /// What there is to undo; empty if this did not happen to the bytes.
    let sites: @Sendable (ByteLook) -> [Site]
    /// Makes a decoder of the bytes to keep; nil if they stay as they are.
    let decoder: @Sendable (Site) -> Decoder?

    init(
        _ cause: Cause, _ advice: String, isLikely: Bool = true,
        sites: @escaping @Sendable (ByteLook) -> [Site],
        decoder: @escaping @Sendable () -> Decoder? = { nil }
    ) {
        self.init(
            cause, isLikely: isLikely, advice: { _ in advice }, sites: sites,
            decoder: { _ in decoder() })
    }

    init(
        _ cause: Cause, isLikely: Bool, advice: @escaping @Sendable (Site) -> String,
        sites: @escaping @Sendable (ByteLook) -> [Site],
        decoder: @escaping @Sendable (Site) -> Decoder? = { _ in nil }
    ) {
        self.cause = cause
        self.isLikely = isLikely
        self.advice = advice
        self.sites = sites
        self.decoder = decoder
    }

    /// The order decides which of two names for the same thing is found.
    static let all = texts + damages
}
