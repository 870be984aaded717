import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// A message file that was verified, with a keyed digest of each segment of its ciphertext, made
/// from the bytes that the HMAC saw. Segments that are read again are compared with their digests
/// before anybody uses them.
struct VerifiedContents: ~Copyable, Sendable {
    let name: FileName
    let header: MessageHeader
    let message: VerifiedMessage
    let digests: SegmentDigests
    let descriptor: FileDescriptor
    /// Where the ciphertext begins in the file.
    let ciphertextStart: Int

    var changed: CryptorError {
        FileContext(.readingInput, name).failure(
            """
            It was changed after it was verified. Any data that was returned before is authentic, \
            but may be incomplete.
            """,
            code: .authenticationFailed)
    }

    /// Appends a part of the plaintext, which must be within it.
    /// - Throws: ``changed`` if a segment is not the one that was verified. Bytes appended before
    ///   are authentic.
    func append(_ range: Range<Int>, to output: inout OutputRawSpan) throws(CryptorError) {
        let deciphered = range.clamped(to: 0..<message.ciphertextByteCount)
        if !deciphered.isEmpty {
            let size = digests.segmentByteCount
            for index in deciphered.lowerBound / size...(deciphered.upperBound - 1) / size {
                try append(deciphered, ofSegment: index, to: &output)
            }
        }
        // The last block was decrypted when its padding was checked.
        let rest = range.clamped(to: message.ciphertextByteCount..<message.plaintextByteCount)
        message.lastPlaintext.withRawSpan { last in
            let start = rest.lowerBound - message.ciphertextByteCount
            last.extracting(start..<start + rest.count).append(to: &output)
        }
    }

    /// The current contents of the file: the 16 bytes before a segment (the last block before it,
    /// or the IV, which ends the header) and the segment.
    /// - Throws: ``changed`` unless these are the verified bytes.
    private func ciphertext(_ segment: Range<Int>, ofSegment index: Int) throws(CryptorError)
        -> [UInt8]
    {
        let context = FileContext(.readingInput, name)
        let offset = ciphertextStart - FormatSize.block + segment.lowerBound
        let count = FormatSize.block + segment.count
        let ciphertext = try [UInt8](byteCapacity: count) { (output) throws(CryptorError) in
            while output.byteCount < count {
                let received = try context.call(
                    try descriptor.read(
                        upTo: count - output.byteCount, at: offset + output.byteCount, into: &output
                    ))
                guard received > 0 else { throw changed }
            }
        }
        guard try digests.match(ciphertext, ofSegment: index) else { throw changed }
        return ciphertext
    }

    /// Appends the plaintext of the part of `range` that is in this segment. Setting up a cipher
    /// for it takes about 1 µs of the 20 that a segment of 64 KiB takes.
    @_lifetime(output: copy output)
    private func append(
        _ range: Range<Int>, ofSegment index: Int, to output: inout OutputRawSpan
    ) throws(CryptorError) {
        let size = digests.segmentByteCount
        let block = FormatSize.block
        let segment = (index * size..<(index + 1) * size).clamped(
            to: 0..<message.ciphertextByteCount)
        let ciphertext = try ciphertext(segment, ofSegment: index)
        let wanted = range.clamped(to: segment)
        let offsets =
            wanted.lowerBound - segment.lowerBound..<wanted.upperBound - segment.lowerBound
        // Only whole blocks can be decrypted.
        let first = offsets.lowerBound / block * block
        let blocks = first..<(offsets.upperBound + block - 1) / block * block
        var cipher = try openSSL { () throws(OpenSSLError) in
            let previousBlock = Array(ciphertext[first..<first + block])
            return try AESCipher(
                .decrypt, key: message.keys.encryptionKey, iv: previousBlock)
        }
        let input = ciphertext.rawSpan(block + blocks.lowerBound..<block + blocks.upperBound)
        if blocks == offsets {
            return try openSSL { () throws(OpenSSLError) in try cipher.update(input, into: &output)
            }
        }
        let plaintext = try SecretBytes(byteCapacity: blocks.count) {
            (plaintext) throws(CryptorError) in
            try openSSL { () throws(OpenSSLError) in try cipher.update(input, into: &plaintext) }
        }
        plaintext.withRawSpan { plaintext in
            plaintext.extracting(droppingFirst: offsets.lowerBound - first).extracting(
                first: offsets.count
            )
            .append(to: &output)
        }
    }
}
