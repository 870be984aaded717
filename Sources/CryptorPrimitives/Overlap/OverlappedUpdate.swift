// Cipher and HMAC of one large input on two threads. The calling thread returns when both are done, so that neither
// memory nor contexts outlive the call.
extension AESCipher {
    /// Smaller inputs are not worth waking a thread for.
    package static let minimumOverlapByteCount = 512 * 1024

    /// What the cipher hands to the hash at a time: large beside the cost of waking a thread, which on a virtual machine is
    /// that of 16 KiB, and small beside the input, since the last piece is hashed with no cipher beside.
    private static func handoverByteCount(for byteCount: Int) -> Int {
        min(max(byteCount / 16, 64 * 1024), 1024 * 1024) & -blockByteCount
    }

    /// Encrypts `plaintext` and adds its ciphertext to `authenticator`, which follows the cipher on another thread.
    @_lifetime(output: copy output)
    package mutating func encrypt(
        _ plaintext: RawSpan, into output: inout OutputRawSpan, overlapping authenticator: inout HMACAuthenticator
    ) throws(OpenSSLError) {
        try output.withUnsafeMutableBytes { (buffer, count) throws(OpenSSLError) in
            let start = count
            let handover = Handover()
            let ciphertext = UnsafeRawBufferPointer(rebasing: buffer[start...])
            let sharedAuthenticator = authenticator.shared
            let pieceByteCount = Self.handoverByteCount(for: plaintext.byteCount)
            try SharedJob.run { () throws(OpenSSLError) in
                try handover.forEachRange { (range) throws(OpenSSLError) in
                    try sharedAuthenticator.update(UnsafeRawBufferPointer(rebasing: ciphertext[range]))
                }
            } beside: { () throws(OpenSSLError) in
                // Nobody waits for what will not come.
                defer { handover.close() }
                for offset in stride(from: 0, to: plaintext.byteCount, by: pieceByteCount) {
                    let piece = plaintext.extracting(offset..<min(offset + pieceByteCount, plaintext.byteCount))
                    var span = OutputRawSpan(buffer: buffer, initializedCount: count)
                    try update(piece, into: &span)
                    count = span.byteCount
                    handover.publish(upTo: count - start)
                }
            }
        }
    }

    /// Decrypts whole blocks on another thread while this one adds them to `authenticator`, which takes longer.
    @_lifetime(output: copy output)
    package mutating func decrypt(
        _ ciphertext: RawSpan, into output: inout OutputRawSpan, overlapping authenticator: inout HMACAuthenticator
    ) throws(OpenSSLError) {
        precondition(output.freeCapacity >= ciphertext.byteCount)
        try ciphertext.withUnsafeBytes { (source) throws(OpenSSLError) in
            try output.withUnsafeMutableBytes { (buffer, count) throws(OpenSSLError) in
                let destination = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + source.count])
                let sharedCipher = shared
                try SharedJob.run { () throws(OpenSSLError) in
                    try sharedCipher.decrypt(source, into: destination)
                } beside: { () throws(OpenSSLError) in
                    try authenticator.update(ciphertext)
                }
                count += source.count
            }
        }
    }
}
