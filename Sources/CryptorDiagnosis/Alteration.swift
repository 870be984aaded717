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

    /// What shows that it happened. Only bytes make it certain without the HMAC.
    enum Evidence {
        /// Bytes that no message has, as text has them.
        case bytes
        /// A sound length afterwards, which makes it likely.
        case length
        /// The HMAC alone: there are many sites, and one of them has a sound length by chance.
        case hmac
    }

    let cause: Cause
    let evidence: Evidence
    /// What happened there, and what a person can do about it. A command in quotes makes what the
    /// decoder does, so that the commands of several steps may follow each other in a pipe.
    let advice: @Sendable (Site, ByteLook) -> String
    /// What to say in place of that if the result is the message: 'decrypt' reads the text. Empty
    /// if nothing is wrong with it.
    let adviceIfRead: String?
    /// If the advice reads each line: the causes that may follow, whose advice leaves lines as
    /// lines, or whose text is read there.
    let followers: Set<Cause>?
    /// What there is to undo; empty if this did not happen to the bytes.
    let sites: @Sendable (ByteLook) -> [Site]
    /// Makes a decoder of the bytes to keep; nil if they stay as they are.
    let decoder: @Sendable (Site) -> Decoder?

    init(
        _ cause: Cause, evidence: Evidence, _ advice: String, followers: Set<Cause>? = nil,
        sites: @escaping @Sendable (ByteLook) -> [Site],
        decoder: @escaping @Sendable () -> Decoder? = { nil }
    ) {
        self.init(
            cause, evidence: evidence, advice: { _, _ in advice }, followers: followers,
            sites: sites,
            decoder: { _ in decoder() })
    }

    init(
        _ cause: Cause, evidence: Evidence,
        advice: @escaping @Sendable (Site, ByteLook) -> String, ifRead: String? = nil,
        followers: Set<Cause>? = nil, sites: @escaping @Sendable (ByteLook) -> [Site],
        decoder: @escaping @Sendable (Site) -> Decoder? = { _ in nil }
    ) {
        self.cause = cause
        self.evidence = evidence
        self.advice = advice
        adviceIfRead = ifRead
        self.followers = followers
        self.sites = sites
        self.decoder = decoder
    }

    /// The order decides which of two names for the same thing is found.
    static let all = texts + damages
}
