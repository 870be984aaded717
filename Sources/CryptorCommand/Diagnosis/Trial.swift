import CryptorFiles
import CryptorPrimitives

/// Tries a credential on what may be messages.
struct Trial {
    /// What a message is under a credential.
    enum Verdict {
        case opens
        /// The HMAC matches, and the padding is right under AES-128.
        case aes128
        /// The HMAC matches, and the padding is wrong.
        case badPadding
        case notAuthentic
    }

    /// How much may be hashed for what was only suspected, so that the search ends.
    struct Effort {
        private var byteCount = 1 << 30

        /// Whether so many more bytes may be hashed. They count from now on.
        mutating func allows(_ count: Int) -> Bool {
            guard byteCount >= count else { return false }
            byteCount -= count
            return true
        }
    }

    let credential: Credential
    /// Derived once for each version and salts.
    private var derived: [(version: FormatVersion, salts: MessageHeader.Salts?, keys: MessageKeys)]

    init(_ credential: Credential) {
        self.credential = credential
        derived = []
    }

    /// What the message is. Its plaintext is not needed for that.
    ///
    /// A suspect credential opens the message or is wrong: only if the padding is right is the
    /// whole message hashed.
    /// - Parameters:
    ///   - start: what the message is taken to begin with, if not with its own header.
    ///   - effort: of a suspect credential.
    mutating func verdict(
        on message: ArraySlice<UInt8>, start: ArraySlice<UInt8>? = nil, effort: inout Effort?
    ) throws(CryptorError) -> Verdict {
        // A derivation is not interrupted, and may be all that a short message takes.
        if Interruption.signal != 0 { throw .cancelled }
        let start = start ?? message.prefix(FormatVersion.longestHeaderByteCount)
        do throws(CryptorError) {
            if start.first == 0 {
                guard effort?.allows(message.count) != false else { return .notAuthentic }
                _ = try Cryptor.decryptVersion0(message, with: credential)
                return .opens
            }
            let reading = try withRawSpan(of: start) { (start) throws(CryptorError) in
                try credential.reading(
                    of: start, messageByteCount: message.count, end: RawSpan(),
                    accepting: .everyVersion)
            }
            guard let keys = try keys(for: reading) else { return .notAuthentic }
            let header = reading.header
            let body = message.dropFirst(header.byteCount)
            let padding = try padding(ofLastBlockIn: body, header, keys)
            if effort != nil, padding == .badPadding { return .notAuthentic }
            guard effort?.allows(message.count) != false else { return .notAuthentic }
            return try isAuthentic(body, reading.answeringFirst(by: keys)) ? padding : .notAuthentic
        } catch {
            if [.cryptoLibraryFailure, .cancelled].contains(error.code) { throw error }
            return .notAuthentic
        }
    }

    /// - Parameter body: ciphertext and tag, of a length that has been checked.
    private func isAuthentic(
        _ body: ArraySlice<UInt8>, _ reading: Reading
    ) throws(CryptorError) -> Bool {
        var reader = try MessageReader(reading)
        let tail = body.suffix(reading.header.version.heldBackByteCount)
        let ciphertext = body.startIndex..<tail.startIndex
        try Interruption.pieces(of: ciphertext) { (piece) throws(CryptorError) in
            _ = try reader.hash(Array(body[piece]), besideCaller: false)
        }
        do throws(CryptorError) {
            try withRawSpan(of: tail) { (tail) throws(CryptorError) in
                _ = try reader.finish(tail)
            }
            return true
        } catch {
            if error.code == .corruptPadding { return true }
            if error.code == .authenticationFailed { return false }
            throw error
        }
    }

    /// Nil if several candidates may open the message, so that nobody knows yet what to derive.
    private mutating func keys(for reading: Reading) throws(CryptorError) -> MessageKeys? {
        let header = reading.header
        if let found = derived.first(where: {
            $0.version == header.version && $0.salts == header.salts
        }) {
            return found.keys
        }
        guard !reading.hasSeveralCandidates else { return nil }
        let keys = try reading.requests[0].keys()
        derived.append((header.version, header.salts, keys))
        return keys
    }

    // MARK: The last block

    /// What a message is if it is authentic.
    private func padding(
        ofLastBlockIn body: ArraySlice<UInt8>, _ header: MessageHeader, _ keys: MessageKeys
    ) throws(CryptorError) -> Verdict {
        let blocks = body.dropLast(header.version.heldBackByteCount - FormatSize.block)
        let last = Array(blocks.suffix(FormatSize.block))
        // The block before it, or the IV, is what CBC adds to it.
        let before = Array(blocks.dropLast(FormatSize.block).suffix(FormatSize.block))
        let iv = before.isEmpty ? header.iv : before
        var plaintext: [UInt8] = []
        try openSSL { () throws(OpenSSLError) in
            var cipher = try AESCipher(.decrypt, key: keys.encryptionKey, iv: iv)
            try cipher.update(last, replacing: &plaintext)
        }
        defer { plaintext.cleanse() }
        if Self.paddedByteCount(plaintext) != nil { return .opens }
        try openSSL { () throws(OpenSSLError) in
            var cipher = try AESCipher(decryptingWithHalfOf: keys.encryptionKey, iv: iv)
            try cipher.update(last, replacing: &plaintext)
        }
        guard let count = Self.paddedByteCount(plaintext) else { return .badPadding }
        // One byte of padding is right by chance once in 256 times: it tells something after text
        // only.
        let isLikely = count < 15 || TerminalText.isHarmless(Array(plaintext.prefix(count)))
        return isLikely ? .aes128 : .badPadding
    }

    private static func paddedByteCount(_ block: [UInt8]) -> Int? {
        PKCS7Padding.plaintextByteCount(ofLastBlock: block.rawSpan(block.indices))
    }

    // MARK: A message that ends before its bytes do

    /// How many bytes of a message are looked at for its end.
    private static let longSearchByteCount = 1024 * 1024
    private static let shortSearchByteCount = 64 * 1024

    /// Where the message ends that these bytes begin with; nil if no start of them is one.
    /// - Parameter isShort: whether only the end of many bytes is searched.
    mutating func end(
        ofMessageIn bytes: ArraySlice<UInt8>, isShort: Bool, effort: inout Effort?
    ) throws(CryptorError) -> Int? {
        let start = Array(bytes.prefix(FormatVersion.longestHeaderByteCount))
        guard
            let reading = try? credential.reading(
                startOf: start.rawSpan(start.indices), accepting: .everyVersion),
            let keys = try? keys(for: reading)
        else { return nil }
        let header = reading.header
        for end in try ends(bytes, header, under: keys, isShort: isShort) where end < bytes.endIndex
        {
            if try verdict(on: bytes[..<end], effort: &effort) == .opens { return end }
        }
        return nil
    }

    /// Where a message may end by the padding before its tag: after one block in 256, and wherever
    /// it ends.
    private func ends(
        _ bytes: ArraySlice<UInt8>, _ header: MessageHeader, under keys: MessageKeys,
        isShort: Bool
    ) throws(CryptorError) -> [Int] {
        let tagByteCount = header.version.heldBackByteCount - FormatSize.block
        let start = bytes.startIndex + header.byteCount
        let blockCount = (bytes.endIndex - tagByteCount - start) / FormatSize.block
        guard blockCount > 0 else { return [] }
        let isAll = !isShort && bytes.count <= Self.longSearchByteCount
        let searched = isAll ? blockCount : min(blockCount, Self.shortSearchByteCount / 16)
        var ranges = [blockCount - searched..<blockCount]
        if searched < blockCount, !isShort {
            for block in Self.likelyEnds(
                bytes, from: start, tagByteCount: tagByteCount, before: blockCount - searched)
            {
                ranges.append(block..<block + 1)
            }
        }
        var ends: [Int] = []
        for range in ranges {
            let first = start + range.lowerBound * FormatSize.block
            let ciphertext = Array(bytes[first..<first + range.count * FormatSize.block])
            let before = Array(bytes[first - FormatSize.block..<first])
            var plaintext: [UInt8] = []
            try openSSL { () throws(OpenSSLError) in
                var cipher = try AESCipher(.decrypt, key: keys.encryptionKey, iv: before)
                try cipher.update(ciphertext, replacing: &plaintext)
            }
            defer { plaintext.cleanse() }
            for block in 0..<range.count where plaintext[block * 16 + 15] <= 16 {
                let last = Array(plaintext[block * 16..<block * 16 + 16])
                guard Self.paddedByteCount(last) != nil else { continue }
                ends.append(first + (block + 1) * FormatSize.block + tagByteCount)
            }
        }
        return ends
    }

    /// The blocks after which a tag and then a run of zeros, or another header, may follow.
    private static func likelyEnds(
        _ bytes: ArraySlice<UInt8>, from start: Int, tagByteCount: Int, before limit: Int
    ) -> [Int] {
        let zeros = bytes.lastIndex(where: { $0 != 0 }) ?? start
        let atZeros = (zeros + 1 - tagByteCount - start) / FormatSize.block
        // The last bytes of the tag may be zeros as well.
        var blocks = (atZeros - 2...atZeros + 1).filter { (0..<limit).contains($0) }
        for block in 0..<limit where blocks.count < 4096 {
            let end = start + (block + 1) * FormatSize.block + tagByteCount
            guard end + 1 < bytes.endIndex else { break }
            if bytes[end] == bytes[bytes.startIndex], bytes[end + 1] <= 1 { blocks.append(block) }
        }
        return blocks
    }
}
