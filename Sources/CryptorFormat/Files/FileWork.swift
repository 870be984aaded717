import CryptorPrimitives

/// Work on files that were opened and found fit for it, and what is left of it: to derive keys, which may be done for several
/// at a time, and the rest.
enum FileWork<Value>: @unchecked Sendable {
    // Unchecked: its parts follow each other, and one thread at a time has it.

    case withKeys(KeySource, (KeyPair) throws(CryptorError) -> Value)
    /// Of a message that only its HMAC tells which password was meant.
    case searching(() throws(CryptorError) -> Value)

    /// What keys are to be derived from.
    var keySource: KeySource? { if case .withKeys(let source, _) = self { source } else { nil } }

    /// - Parameter keys: if they have been derived.
    func finish(_ keys: KeyPair? = nil) throws(CryptorError) -> Value {
        switch self {
        case .withKeys(let source, let rest):
            if let keys { return try rest(keys) }
            return try rest(try source.keys())
        case .searching(let rest):
            return try rest()
        }
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
