import CryptorPrimitives

/// Work on files that have been opened and found fit for it. Two steps are left: to derive the keys, which may be done
/// for several messages at a time, and the rest.
struct FileWork<Value>: @unchecked Sendable {
    // Unchecked: the steps follow each other, and only one thread at a time has them.

    /// What to derive the keys from; nil if only the HMAC of the message tells which reading of the password was meant.
    let keySource: KeySource?
    let rest: (KeyPair?) throws(CryptorError) -> Value

    /// - Parameter keys: the keys, if they have been derived.
    func finish(_ keys: KeyPair? = nil) throws(CryptorError) -> Value {
        if let keys { return try rest(keys) }
        return try rest(try keySource?.keys())
    }
}

/// Options for work on a file.
struct FileOptions {
    var concurrency = Concurrency.automatic
    var progress: FileProgress.Handler?
    /// Whether the source is removed once the output is in a file.
    var removesSource = false
    /// Whether the output takes the source's place.
    var replacesSource = false
    /// Whether base64 text is decoded.
    var acceptsBase64 = false
    /// Whether the source can be read after the caller has closed its descriptor.
    var keepsOpen = false
}
