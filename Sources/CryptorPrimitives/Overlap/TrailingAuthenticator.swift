import CryptorSystem

/// An HMAC that trails the bytes that it authenticates: a helper may hash them while the caller makes the next ones.
package struct TrailingAuthenticator: ~Copyable, Sendable {
    /// How much is copied for the helper at a time. On a virtual machine, waking it costs as much as hashing 16 KiB.
    private static let copiedByteCount = 128 * 1024
    /// How much is handed over at a time if the memory stays where it is.
    private static let borrowedByteCount = 256 * 1024

    package let hash: HMACAuthenticator.Hash
    /// Has the HMAC until a helper is wanted for the first time.
    private var own: HMACAuthenticator?
    /// Has the HMAC from then on.
    private var relay: Relay<HashStep>?
    /// The bytes that have been copied and not handed over yet.
    private var copied: [UInt8] = []

    package init(_ authenticator: consuming HMACAuthenticator) {
        hash = authenticator.hash
        own = consume authenticator
    }

    /// Adds bytes. If a helper may hash them, they are copied.
    package mutating func update(_ bytes: RawSpan, besideCaller: Bool = false) throws(OpenSSLError) {
        guard besideCaller else {
            // The HMAC is used in place, without being moved out and back, because there are many small chunks.
            if relay == nil, copied.isEmpty { return try own?.update(bytes) ?? () }
            return try withAuthenticator { (authenticator) throws(OpenSSLError) in try authenticator.update(bytes) }
        }
        var offset = 0
        while offset < bytes.byteCount {
            let end = min(offset + Self.copiedByteCount - copied.count, bytes.byteCount)
            copied.append(contentsOf: bytes.extracting(offset..<end))
            offset = end
            if copied.count == Self.copiedByteCount { try handOverCopied(besideCaller: true) }
        }
    }

    /// Adds bytes, which a helper may hash while the caller reads them.
    /// - Returns: an array that is not needed any more, to be filled with other bytes; nil if there is none yet.
    package mutating func update(_ bytes: [UInt8], besideCaller: Bool) throws(OpenSSLError) -> [UInt8]? {
        guard besideCaller || relay != nil else {
            try withAuthenticator { (authenticator) throws(OpenSSLError) in try authenticator.update(bytes) }
            return bytes
        }
        try handOverCopied(besideCaller: besideCaller)
        guard case .owned(let done) = try handOver(.owned(bytes), besideCaller: besideCaller) else { return nil }
        return done
    }

    /// Adds what `body` appends to `output`. The helper hashes one part while `body` makes the next.
    /// - Parameter body: called again and again until it returns false.
    package mutating func follow(
        _ output: inout OutputRawSpan, _ body: (inout OutputRawSpan) throws(OpenSSLError) -> Bool
    ) throws(OpenSSLError) {
        try handOverCopied(besideCaller: true)
        try output.withUnsafeMutableBytes { (buffer, count) throws(OpenSSLError) in
            try catchingUp { (authenticator) throws(OpenSSLError) in
                var hasMore = true
                while hasMore {
                    let start = count
                    var span = OutputRawSpan(buffer: buffer, initializedCount: count)
                    defer { count = span.byteCount }
                    hasMore = try body(&span)
                    let part = UnsafeRawBufferPointer(rebasing: buffer[start..<span.byteCount])
                    _ = try authenticator.handOver(.borrowed(part), besideCaller: true)
                }
            }
        }
    }

    /// Adds `bytes` part by part. The helper hashes each part while `body` does something else with it.
    package mutating func lead(
        _ bytes: RawSpan, _ body: (RawSpan) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        try handOverCopied(besideCaller: true)
        try bytes.withUnsafeBytes { (buffer) throws(OpenSSLError) in
            try catchingUp { (authenticator) throws(OpenSSLError) in
                for start in stride(from: 0, to: buffer.count, by: Self.borrowedByteCount) {
                    let end = min(start + Self.borrowedByteCount, buffer.count)
                    let part = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                    _ = try authenticator.handOver(.borrowed(part), besideCaller: true)
                    try body(part.bytes)
                }
            }
        }
    }

    /// Appends the tag. Nothing can be added afterwards.
    package mutating func finish(into output: inout OutputRawSpan) throws(OpenSSLError) {
        try withAuthenticator { (authenticator) throws(OpenSSLError) in try authenticator.finish(into: &output) }
    }

    /// Whether the tag equals `expected`, compared in constant time. Nothing can be added afterwards.
    package mutating func finish(matching expected: RawSpan) throws(OpenSSLError) -> Bool {
        var matches = false
        try withAuthenticator { (authenticator) throws(OpenSSLError) in
            matches = try authenticator.finish(matching: expected)
        }
        return matches
    }

    // MARK: On the way to the helper

    private mutating func handOverCopied(besideCaller: Bool) throws(OpenSSLError) {
        guard !copied.isEmpty else { return }
        let piece = HashPiece.owned(copied)
        copied = []
        guard case .owned(var bytes) = try handOver(piece, besideCaller: besideCaller) else { return }
        bytes.removeAll(keepingCapacity: true)
        copied = bytes
    }

    /// - Returns: a piece that has been hashed, if there is one.
    private mutating func handOver(
        _ piece: consuming HashPiece, besideCaller: Bool
    ) throws(OpenSSLError) -> HashPiece? {
        if let own = own.take() { relay = Relay(HashStep(authenticator: own)) }
        return try relay?.pass(piece, besideCaller: besideCaller) ?? nil
    }

    /// Returns when all that was added has been hashed.
    private mutating func catchUp() throws(OpenSSLError) {
        try handOverCopied(besideCaller: false)
        while try relay?.next() != nil {}
    }

    /// Calls `body`, which hands over borrowed memory. When this returns or throws, no thread reads it any more.
    private mutating func catchingUp(
        _ body: (inout TrailingAuthenticator) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        do throws(OpenSSLError) { try body(&self) } catch {
            try? catchUp()
            throw error
        }
        try catchUp()
    }

    private mutating func withAuthenticator(
        _ body: (inout HMACAuthenticator) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        if var authenticator = own.take() {
            let result = Result { () throws(OpenSSLError) in
                if !copied.isEmpty { try authenticator.update(copied) }
                copied.removeAll(keepingCapacity: true)
                try body(&authenticator)
            }
            own = consume authenticator
            return try result.get()
        }
        try catchUp()
        try relay?.withStep { (step) throws(OpenSSLError) in try body(&step.authenticator) }
    }
}

// Neither private nor within the type, because the compiler of Swift 6.3 would crash.
package enum HashPiece: @unchecked Sendable {
    // Unchecked: borrowed memory stays valid until the piece has come out of the relay.
    case owned([UInt8])
    case borrowed(UnsafeRawBufferPointer)
}

package struct HashStep: RelayStep, ~Copyable {
    var authenticator: HMACAuthenticator

    package mutating func process(_ piece: inout HashPiece) throws(OpenSSLError) {
        switch piece {
        case .owned(let bytes): try authenticator.update(bytes)
        case .borrowed(let bytes): try authenticator.update(bytes.bytes)
        }
    }
}
