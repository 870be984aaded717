import CryptorFiles

/// One thing that may have happened to a message on its way, and how to undo it. Whether it did
/// happen, the HMAC tells.
struct Way: Sendable {
    let cause: Cause
    /// Whether a sound length afterwards makes it likely. It does not if there are many places.
    let isLikely: Bool
    /// What happened at this place, and what a person can do about it.
    let advice: @Sendable (Int) -> String
    /// Where in the bytes there is something to undo; empty if this did not happen to them. What a
    /// place means, only the way itself knows.
    let places: @Sendable ([UInt8], ByteLook) throws(CryptorError) -> [Int]
    /// Puts what is left in the place of the bytes. Nothing else is allocated, because they may
    /// fill half of the memory that there is to be used.
    /// - Returns: false if there is nothing to undo after all.
    let undo: @Sendable (inout [UInt8], Int) throws(CryptorError) -> Bool

    init(
        _ cause: Cause, _ advice: String, isLikely: Bool = true,
        places: @escaping @Sendable ([UInt8], ByteLook) throws(CryptorError) -> [Int],
        undo: @escaping @Sendable (inout [UInt8], Int) throws(CryptorError) -> Bool
    ) {
        self.init(cause, isLikely: isLikely, advice: { _ in advice }, places: places, undo: undo)
    }

    init(
        _ cause: Cause, isLikely: Bool, advice: @escaping @Sendable (Int) -> String,
        places: @escaping @Sendable ([UInt8], ByteLook) throws(CryptorError) -> [Int],
        undo: @escaping @Sendable (inout [UInt8], Int) throws(CryptorError) -> Bool
    ) {
        self.cause = cause
        self.isLikely = isLikely
        self.advice = advice
        self.places = places
        self.undo = undo
    }

    /// The order decides which of two names for the same thing is found.
    static let all = texts + damages

    /// Of a way that can have happened once only.
    static func once(_ applies: Bool) -> [Int] { applies ? [0] : [] }
}
