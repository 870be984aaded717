import CryptorFiles
import CryptorPrimitives

/// Tries a credential on what may be messages.
final class Trial {
    /// What a message is under a credential.
    enum Verdict {
        case opens
        /// The HMAC matches, and the padding is right under AES-128.
        case aes128
        /// The HMAC matches, and the padding is wrong.
        case badPadding
        case notAuthentic
    }

    /// How much may be hashed for what is not certain, so that the search ends.
    final class Effort {
        private var byteCount: Int
        /// Whether something was not allowed.
        private(set) var isUsedUp = false

        init(byteCount: Int) { self.byteCount = byteCount }

        /// Whether so many more bytes may be hashed. They count from now on.
        func allows(_ count: Int) -> Bool {
            guard byteCount >= count else {
                isUsedUp = true
                return false
            }
            byteCount -= count
            return true
        }
    }

    /// The longest message of version 0, which is read in memory.
    private static let version0ByteLimit = 256 * 1024 * 1024

    let credential: Credential
    /// What the credential is tried for; nil if it was given.
    let suspect: Suspect?
    /// Whether it has explained a message.
    var hasExplained = false
    private let shouldStop: () -> Bool
    /// Of how many salts keys are kept: lines may all have their own.
    private static let keptCount = 16
    /// Derived once for each version and salts, the latest last.
    private var derived:
        [(version: FormatVersion, salts: MessageHeader.Salts?, keys: MessageKeys)] = []

    init(_ credential: Credential, suspect: Suspect? = nil, shouldStop: @escaping () -> Bool) {
        self.credential = credential
        self.suspect = suspect
        self.shouldStop = shouldStop
    }

    /// What the message is. Its plaintext is not needed for that.
    ///
    /// A credential that was not given opens the message or is wrong: only if the padding is right
    /// is the whole message hashed.
    /// - Parameters:
    ///   - start: what the message is taken to begin with, if not with its own header.
    ///   - effort: of what is not certain; nil for what was given.
    func verdict(
        on contents: Contents, start: [UInt8]? = nil, effort: Effort?
    ) throws(CryptorError) -> Verdict {
        // A derivation is not interrupted, and may be all that a short message takes.
        if shouldStop() { throw .cancelled }
        let end = contents.byteCount
        let start = start ?? Array(contents.excerpt.prefix(FormatVersion.longestHeaderByteCount))
        do throws(CryptorError) {
            if start.first == 0 { return try verdict(onVersion0: contents, effort) }
            let reading = try credential.reading(
                of: start.rawSpan(start.indices), messageByteCount: end, end: RawSpan(),
                accepting: .all)
            guard let keys = try keys(for: reading) else { return .notAuthentic }
            let tailStart = end - reading.header.version.heldBackByteCount
            let tail = try contents.bytes(in: tailStart..<end)
            let padding = try padding(
                of: Array(tail.prefix(FormatSize.block)),
                after: blockBefore(tailStart, in: contents, reading.header), keys)
            if effort != nil, padding == .badPadding { return .notAuthentic }
            guard effort?.allows(end) != false else { return .notAuthentic }
            let authentic = try firstAuthentic(
                of: [end], in: contents, reading.answeringFirst(by: keys))
            return authentic == nil ? .notAuthentic : padding
        } catch {
            let isOfMessage = ![.cryptoLibraryFailure, .cancelled, .inputOutput].contains(
                error.code)
            if isOfMessage { return .notAuthentic }
            throw error
        }
    }

    private func verdict(
        onVersion0 contents: Contents, _ effort: Effort?
    ) throws(CryptorError) -> Verdict {
        let end = contents.byteCount
        guard end <= Self.version0ByteLimit, effort?.allows(end) != false else {
            return .notAuthentic
        }
        var plaintext = try Cryptor.decryptVersion0(contents.bytes(in: 0..<end), with: credential)
        cleanse(&plaintext)
        return .opens
    }

    /// The first of the ends at which a message is authentic, whatever its padding. For all of
    /// them, the contents are read once.
    private func firstAuthentic(
        of ends: [Int], in contents: Contents, _ reading: Reading
    ) throws(CryptorError) -> Int? {
        var hashes: [MessageHash] = []
        for end in ends { hashes.append(try MessageHash(reading, end: end)) }
        let start = reading.header.byteCount
        _ = try contents.forEachPiece(in: start..<(ends.max() ?? start)) {
            (piece) throws(CryptorError) in
            for hash in hashes { try hash.add(piece) }
            return true
        }
        for hash in hashes where try hash.isAuthentic() { return hash.end }
        return nil
    }

    /// Hashes one message, of which the pieces may be of any length, and more may follow it.
    private final class MessageHash {
        let end: Int
        private var reader: MessageReader
        /// How much of the message is still to come.
        private var missingByteCount: Int
        /// What has come and is not hashed: less than a block, or in the tail.
        private var rest: [UInt8] = []
        private let tailByteCount: Int

        init(_ reading: Reading, end: Int) throws(CryptorError) {
            reader = try MessageReader(reading)
            self.end = end
            missingByteCount = end - reading.header.byteCount
            tailByteCount = reading.header.version.heldBackByteCount
        }

        func add(_ piece: [UInt8]) throws(CryptorError) {
            let ciphertext = missingByteCount - tailByteCount
            if rest.isEmpty, piece.count <= ciphertext, piece.count % FormatSize.block == 0 {
                _ = try reader.hash(piece, besideCaller: false)
                return missingByteCount -= piece.count
            }
            rest += piece.prefix(missingByteCount)
            missingByteCount -= min(missingByteCount, piece.count)
            let held = max(0, tailByteCount - missingByteCount)
            let count = max(0, rest.count - held) / FormatSize.block * FormatSize.block
            _ = try reader.hash(Array(rest.prefix(count)), besideCaller: false)
            rest = Array(rest.dropFirst(count))
        }

        func isAuthentic() throws(CryptorError) -> Bool {
            // Of a file that was changed while it was read, not all may have come.
            guard missingByteCount == 0 else { return false }
            let tail = rest
            do throws(CryptorError) {
                _ = try reader.finish(tail.rawSpan(tail.indices))
                return true
            } catch {
                if error.code == .corruptPadding { return true }
                if error.code == .authenticationFailed { return false }
                throw error
            }
        }
    }

    /// Nil if several candidates may open the message, so that nobody knows yet what to derive.
    private func keys(for reading: Reading) throws(CryptorError) -> MessageKeys? {
        let header = reading.header
        if let found = derived.first(where: {
            $0.version == header.version && $0.salts == header.salts
        }) {
            return found.keys
        }
        guard !reading.hasSeveralCandidates else { return nil }
        let keys = try reading.requests[0].keys()
        if derived.count == Self.keptCount { derived.removeFirst() }
        derived.append((header.version, header.salts, keys))
        return keys
    }

    // MARK: The last block

    /// What CBC adds to the block at this offset: the block before it, or the IV.
    private func blockBefore(
        _ offset: Int, in contents: Contents, _ header: MessageHeader
    ) throws(CryptorError) -> [UInt8] {
        guard offset > header.byteCount else { return header.iv }
        return try contents.bytes(in: offset - FormatSize.block..<offset)
    }

    /// What a message is if it is authentic and this is its last block.
    private func padding(
        of block: [UInt8], after before: [UInt8], _ keys: MessageKeys
    ) throws(CryptorError) -> Verdict {
        var plaintext: [UInt8] = []
        defer { cleanse(&plaintext) }
        try openSSL { () throws(OpenSSLError) in
            var cipher = try AESCipher(.decrypt, key: keys.encryptionKey, iv: before)
            try cipher.update(block, replacing: &plaintext)
        }
        if Self.paddedByteCount(plaintext) != nil { return .opens }
        try openSSL { () throws(OpenSSLError) in
            var cipher = try AESCipher(decryptingWithHalfOf: keys.encryptionKey, iv: before)
            try cipher.update(block, replacing: &plaintext)
        }
        guard let count = Self.paddedByteCount(plaintext) else { return .badPadding }
        // One byte of padding is right by chance once in 256 times: it tells something after text
        // only.
        return count < 15 || Array(plaintext.prefix(count)).isHarmlessText ? .aes128 : .badPadding
    }

    // MARK: The plaintext

    /// Whether the plaintext of an authentic message looks like a message, or like its base64 text.
    func holdsMessage(_ message: Contents) throws(CryptorError) -> Bool {
        guard let header = MessageShape(message).header else { return false }
        let reading = try credential.reading(
            of: message.excerpt.rawSpan(0..<header.byteCount), messageByteCount: message.byteCount,
            end: RawSpan(), accepting: .all)
        guard let keys = try keys(for: reading) else { return false }
        let end = message.byteCount - (header.version.heldBackByteCount - FormatSize.block)
        func plaintext(_ range: Range<Int>) throws(CryptorError) -> [UInt8] {
            let ciphertext = try message.bytes(in: range)
            let before = try blockBefore(range.lowerBound, in: message, header)
            return try openSSL { () throws(OpenSSLError) in
                var plaintext: [UInt8] = []
                var cipher = try AESCipher(.decrypt, key: keys.encryptionKey, iv: before)
                try cipher.update(ciphertext, replacing: &plaintext)
                return plaintext
            }
        }
        var last = try plaintext(end - FormatSize.block..<end)
        var start = try plaintext(header.byteCount..<min(end, header.byteCount + 64))
        defer {
            cleanse(&last)
            cleanse(&start)
        }
        guard let count = Self.paddedByteCount(last) else { return false }
        let byteCount = end - header.byteCount - FormatSize.block + count
        let inner = MessageShape(start: start.prefix(byteCount), end: [], byteCount: byteCount)
        if inner.isSound { return true }
        guard byteCount >= 64, let decoded = Decoding.base64()(start, false) else { return false }
        return MessageShape(decoded).header != nil
    }

    private static func paddedByteCount(_ block: [UInt8]) -> Int? {
        PKCS7Padding.plaintextByteCount(ofLastBlock: block.rawSpan(block.indices))
    }

    // MARK: A message that ends before the contents do

    /// In how many bytes at the end each block is looked at.
    private static let longSearchByteCount = 1024 * 1024
    private static let shortSearchByteCount = 64 * 1024
    /// How many blocks before them are looked at.
    private static let likelyEndLimit = 4096

    /// Where the message ends that the contents begin with; nil if no start of them is one.
    func end(ofMessageIn contents: Contents, effort: Effort) throws(CryptorError) -> Int? {
        if shouldStop() { throw .cancelled }
        let start = Array(contents.excerpt.prefix(FormatVersion.longestHeaderByteCount))
        guard
            let reading = try? credential.reading(
                startOf: start.rawSpan(start.indices), accepting: .all),
            let keys = try? keys(for: reading)
        else { return nil }
        let ends = try ends(of: contents, reading.header, under: keys).filter { end in
            end < contents.byteCount && effort.allows(end)
        }
        return try firstAuthentic(of: ends, in: contents, reading.answeringFirst(by: keys))
    }

    /// Where a message may end by the padding before its tag: after one block in 256, and wherever
    /// it ends. What is near the end of the contents comes first, since not all may be tried.
    private func ends(
        of contents: Contents, _ header: MessageHeader, under keys: MessageKeys
    ) throws(CryptorError) -> [Int] {
        let tagByteCount = header.version.heldBackByteCount - FormatSize.block
        let start = header.byteCount
        let blockCount = (contents.byteCount - tagByteCount - start) / FormatSize.block
        guard blockCount > 0 else { return [] }
        let isAll = suspect == nil && contents.byteCount <= Self.longSearchByteCount
        let searched =
            isAll ? blockCount : min(blockCount, Self.shortSearchByteCount / FormatSize.block)
        let first = start + (blockCount - searched) * FormatSize.block
        let ciphertext = try contents.bytes(in: first..<start + blockCount * FormatSize.block)
        var ends = try paddedEnds(
            of: ciphertext, after: blockBefore(first, in: contents, header), keys
        ).reversed().map { first + $0 + tagByteCount }
        guard suspect == nil, first > start else { return ends }
        ends += try likelyEnds(of: contents, header, before: first) {
            (block, before) throws(CryptorError) in
            try !paddedEnds(of: block, after: before, keys).isEmpty
        }
        return ends
    }

    /// Where blocks end that have a right padding, in whole blocks.
    private func paddedEnds(
        of ciphertext: [UInt8], after before: [UInt8], _ keys: MessageKeys
    ) throws(CryptorError) -> [Int] {
        var plaintext: [UInt8] = []
        defer { cleanse(&plaintext) }
        try openSSL { () throws(OpenSSLError) in
            var cipher = try AESCipher(.decrypt, key: keys.encryptionKey, iv: before)
            try cipher.update(ciphertext, replacing: &plaintext)
        }
        let size = FormatSize.block
        return stride(from: size, through: plaintext.count, by: size).filter { end in
            // Few blocks get as far as a copy.
            plaintext[end - 1] <= size
                && Self.paddedByteCount(Array(plaintext[end - size..<end])) != nil
        }
    }

    /// The ends of messages after which a run of zeros, or another header, may follow.
    /// - Parameters:
    ///   - limit: where the last block ends, at most.
    ///   - isLast: whether a block may be the last one, from what follows another block.
    private func likelyEnds(
        of contents: Contents, _ header: MessageHeader, before limit: Int,
        isLast: (_ block: [UInt8], _ before: [UInt8]) throws(CryptorError) -> Bool
    ) throws(CryptorError) -> [Int] {
        let size = FormatSize.block
        let tagByteCount = header.version.heldBackByteCount - size
        let version = header.version.rawValue
        var ends: [Int] = []
        var count = 0
        var zeros = header.byteCount
        // The bytes of which some have been looked at, and where they begin.
        var window: [UInt8] = []
        var offset = 0
        /// The next end to look at.
        var next = header.byteCount + size + tagByteCount
        _ = try contents.forEachPiece { (piece) throws(CryptorError) in
            if let last = piece.lastIndex(where: { $0 != 0 }) {
                zeros = offset + window.count + last + 1
            }
            window += piece
            while next + 1 < offset + window.count, next - tagByteCount <= limit {
                let index = next - offset
                if window[index] == version, window[index + 1] <= 1, count < Self.likelyEndLimit {
                    count += 1
                    let last = index - tagByteCount - size
                    let before =
                        next == header.byteCount + size + tagByteCount
                        ? header.iv : Array(window[last - size..<last])
                    if try isLast(Array(window[last..<last + size]), before) { ends.append(next) }
                }
                next += size
            }
            let kept = window.suffix(2 * size + tagByteCount + size)
            offset += window.count - kept.count
            window = Array(kept)
            return true
        }
        // The last bytes of the tag may be zeros as well.
        let blocks = (zeros - tagByteCount - header.byteCount) / size
        var atZeros: [Int] = []
        for number in max(0, blocks - 2)...max(0, blocks + 1) {
            let block = header.byteCount + number * size
            guard block + size <= limit,
                try isLast(
                    contents.bytes(in: block..<block + size),
                    blockBefore(block, in: contents, header))
            else { continue }
            atZeros.append(block + size + tagByteCount)
        }
        return atZeros + ends
    }
}
