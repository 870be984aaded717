import CryptorPrimitives

/// A message that may be read: its header, which was checked, and what the candidates try on it.
/// ``Credential`` makes it. Making one derives no key: a *driver* has that done, which opens a
/// whole message, a file or a stream, on its own thread or on a pool's.
package struct Reading: Sendable {
    package let header: MessageHeader
    /// One for each candidate that may open the message, at least one, in their order.
    package private(set) var requests: [KeyRequest]
    private let cache: KeyCache?

    init(_ header: MessageHeader, requests: [KeyRequest], cache: KeyCache?) {
        self.header = header
        self.requests = requests
        self.cache = cache
    }

    /// Whether only the HMAC at the end of the message shows which candidate opens it.
    package var hasSeveralCandidates: Bool { requests.count > 1 }

    /// The requests in the order in which a whole message tries them: known keys first.
    var attempts: [KeyRequest] {
        guard hasSeveralCandidates else { return requests }
        return requests.filter { $0.answer != nil } + requests.filter { $0.answer == nil }
    }

    /// The same reading, with the keys of all candidates. Deriving them together takes less time
    /// than one after the other.
    package func answered() throws(CryptorError) -> Reading {
        var answered = self
        answered.requests = zip(requests, try KeyRequest.keys(for: requests)).map {
            request, keys in request.answered(by: keys)
        }
        return answered
    }

    /// The same reading, with the keys of its first candidate, which may be the only one.
    package func answeringFirst(by keys: MessageKeys) -> Reading {
        var answered = self
        answered.requests[0] = requests[0].answered(by: keys)
        return answered
    }

    /// The same reading, with one of its candidates alone.
    func trying(_ request: KeyRequest) -> Reading {
        var trying = self
        trying.requests = [request]
        return trying
    }

    /// Called once the message was authentic under the keys of a candidate.
    func keep(_ keys: MessageKeys, of request: KeyRequest) {
        cache?.keep(keys, of: request.credentialIndex, for: header)
    }
}
