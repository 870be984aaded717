// Cipher and HMAC of one large input on two threads. The calling thread returns when both are done, so that neither
// memory nor contexts outlive the call.
extension AESCipher {
    /// Smaller inputs are not worth waking a thread for.
    package static let minimumOverlapByteCount = 512 * 1024

    /// What the cipher hands to the hash at a time: large beside the cost of a semaphore, small beside the input, and
    /// still in the second-level cache when it is hashed.
    private static let handoverByteCount = 64 * 1024

    /// Encrypts `plaintext` and adds its ciphertext to `authenticator`, which follows the cipher on another thread.
    package mutating func encrypt(
        _ plaintext: RawSpan, into output: inout OutputRawSpan, overlapping authenticator: inout HMACAuthenticator
    ) throws(OpenSSLError) {
        try output.withUnsafeMutableBytes { (buffer, count) throws(OpenSSLError) in
            let start = count
            let handover = Handover()
            let ciphertext = UnsafeRawBufferPointer(rebasing: buffer[start...])
            let sharedAuthenticator = authenticator.shared
            let hashing = SharedJob { () throws(OpenSSLError) in
                try handover.forEachRange { (range) throws(OpenSSLError) in
                    try sharedAuthenticator.update(UnsafeRawBufferPointer(rebasing: ciphertext[range]))
                }
            }
            var failure: OpenSSLError?
            do throws(OpenSSLError) {
                for offset in stride(from: 0, to: plaintext.byteCount, by: Self.handoverByteCount) {
                    let piece = plaintext.extracting(offset..<min(offset + Self.handoverByteCount, plaintext.byteCount))
                    var span = OutputRawSpan(buffer: buffer, initializedCount: count)
                    try update(piece, into: &span)
                    count = span.byteCount
                    handover.publish(upTo: count - start)
                }
            } catch {
                failure = error
            }
            // In any case the other thread has to end before its memory goes.
            handover.close()
            try hashing.finish()
            if let failure { throw failure }
        }
    }

    /// Decrypts whole blocks on another thread while this one adds them to `authenticator`, which takes longer.
    package mutating func decrypt(
        _ ciphertext: RawSpan, into output: inout OutputRawSpan, overlapping authenticator: inout HMACAuthenticator
    ) throws(OpenSSLError) {
        precondition(output.freeCapacity >= ciphertext.byteCount)
        try ciphertext.withUnsafeBytes { (source) throws(OpenSSLError) in
            try output.withUnsafeMutableBytes { (buffer, count) throws(OpenSSLError) in
                let destination = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + source.count])
                let sharedCipher = shared
                let deciphering = SharedJob { () throws(OpenSSLError) in
                    try sharedCipher.decrypt(source, into: destination)
                }
                var failure: OpenSSLError?
                do throws(OpenSSLError) { try authenticator.update(ciphertext) } catch { failure = error }
                // In any case the other thread has to end before its memory goes.
                try deciphering.finish()
                if let failure { throw failure }
                count += source.count
            }
        }
    }
}
