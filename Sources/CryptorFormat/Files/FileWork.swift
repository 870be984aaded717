import CryptorPrimitives

/// Work on files that were opened and found fit for it, and what is left of it: to derive keys, which may be done for several
/// at a time, and the rest.
struct FileWork<Value>: @unchecked Sendable {
    // Unchecked: its parts follow each other, and one thread at a time has it.

    /// What keys are to be derived from; nil if only the HMAC of the message tells which password was meant.
    let keySource: KeySource?
    let rest: (KeyPair?) throws(CryptorError) -> Value

    /// - Parameter keys: if they have been derived.
    func finish(_ keys: KeyPair? = nil) throws(CryptorError) -> Value {
        if let keys { return try rest(keys) }
        return try rest(try keySource?.keys())
    }
}

/// What is done with files apart from the bytes.
struct FileOptions {
    var concurrency = Concurrency.automatic
    var progress: FileProgress.Handler?
    /// Whether the source is removed once the output is in a file.
    var removesSource = false
    /// Whether the output may take the source's place.
    var replacesSource = false
    /// Whether base64 text is decoded.
    var acceptsBase64 = false
    /// See ``InputFile``.
    var keepsOpen = false
}
