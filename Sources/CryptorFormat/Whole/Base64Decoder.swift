import CryptorPrimitives

/// Decodes base64 text that comes in chunks, leniently: either alphabet, line breaks, and no
/// padding. Memory does not grow with the text.
///
/// A careless URL decoder turns plus signs into spaces. So spaces have two readings:
/// - **Plus signs**, in one line, or in lines that all have the length of the first, a multiple of
///   four, except for the last. Those before the text are white space, and so are those behind it
///   unless they complete a message.
/// - **White space** at the beginning and at the end of lines. Within a line they are none.
///
/// A space within a line decides, or a line of another length. Until then, what differs is decoded
/// in both ways and held back.
package struct Base64Decoder {
    /// The longest run of spaces that is accepted. A message looks random, so the probability of
    /// 1,000 plus signs in a row is 64 to the power of -1,000, and nobody indents lines that far. A
    /// file is recognised as text by its first 1,024 bytes, which a longer indentation would fill.
    static let maximumSpaceCount = 1000

    /// How many bytes are held back. In so much text with spaces for plus signs, some are within a
    /// line, however short the lines are.
    private static let heldByteLimit = 16 * 1024

    /// The text is not base64.
    package struct Failure: Error {
        /// Of the first byte that is not, counted from 0.
        package let offset: Int
        /// How many characters there are if that is one more than base64 text may have: some are
        /// missing or were added.
        package private(set) var characterCount: Int?

        /// The same if there are enough for a message. In less text, a byte is at fault.
        package var characterCountOfMessage: Int? {
            characterCount.flatMap {
                $0 / 4 * 3 >= FormatVersion.shortestMessageByteCount ? $0 : nil
            }
        }

        fileprivate init(offset: Int, characterCount: Int? = nil) {
            self.offset = offset
            self.characterCount = characterCount
        }
    }

    package init() {}

    /// What was decoded in one reading.
    private struct Groups {
        /// The bits of the last characters, and how many characters there are without padding.
        private var bits: UInt32 = 0
        private(set) var characterCount = 0

        mutating func take(_ sixBits: UInt8, into bytes: inout [UInt8]) {
            bits = bits << 6 | UInt32(sixBits)
            characterCount += 1
            if characterCount.isMultiple(of: 4) { append(3, of: bits, to: &bytes) }
        }

        mutating func takePlusSigns(_ count: Int, into bytes: inout [UInt8]) {
            for _ in 0..<count { take(Base64Character.plus, into: &bytes) }
        }

        /// Appends the bytes of an incomplete last group.
        func finish(into bytes: inout [UInt8]) {
            let rest = characterCount % 4
            if rest > 1 { append(rest - 1, of: bits << UInt32(6 * (4 - rest)), to: &bytes) }
        }

        /// Appends the highest bytes of a group of 24 bits.
        private func append(_ count: Int, of bits: UInt32, to bytes: inout [UInt8]) {
            for index in 0..<count {
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * index)))
            }
        }
    }

    private enum Spaces {
        case either, whiteSpace, plusSigns
    }

    /// What spaces are. While they may be either, `groups` takes them for white space.
    private var spaces = Spaces.either
    private var groups = Groups()
    /// The other reading, once it differs, and the bytes that are held back of both.
    private var groupsWithPlusSigns: Groups?
    /// Whether there is another reading: asked for each character, the optional itself is slower.
    private var isHoldingBack = false
    private var held: [UInt8] = []
    private var heldWithPlusSigns: [UInt8] = []

    private var offset = 0
    private var isPadded = false
    private var isAtLineStart = true
    /// The number of spaces since the last character or line break, and of those that ended the
    /// last line.
    private var spaceCount = 0
    private var endingSpaceCount = 0
    /// Where the line begins, and the lengths of the first line and the one before, with their
    /// spaces.
    private var lineStart = 0
    private var firstLineByteCount: Int?
    private var lastLineByteCount = 0
    private var isFirstLineIndented = false
    /// Whether the text so far has several lines.
    package private(set) var hasSeveralLines = false

    /// Whether spaces stand for plus signs, for certain.
    package var hasSpacesForPlusSigns: Bool { spaces == .plusSigns }

    /// Appends the bytes that are complete.
    package mutating func decode(_ text: [UInt8], into bytes: inout [UInt8]) throws(Failure) {
        do throws(Failure) { try decodeEach(text, into: &bytes) } catch {
            dropHeldBytes()
            throw error
        }
    }

    private mutating func decodeEach(_ text: [UInt8], into bytes: inout [UInt8]) throws(Failure) {
        for character in text {
            let meaning = Base64Character.meaning(of: character)
            switch meaning {
            case 0..<64:
                if isAtLineStart || spaceCount > 0 { try endWhiteSpace(into: &bytes) }
                guard !isPadded else { throw Failure(offset: offset) }
                if isHoldingBack {
                    takeTwice(meaning, into: &bytes)
                } else {
                    groups.take(meaning, into: &bytes)
                }
            case Base64Character.padding:
                if isAtLineStart || spaceCount > 0 { try endWhiteSpace(into: &bytes) }
                isPadded = true
            case Base64Character.space:
                guard spaceCount < Self.maximumSpaceCount else { throw Failure(offset: offset) }
                spaceCount += 1
            case Base64Character.lineBreak:
                if !isAtLineStart {
                    endingSpaceCount = spaceCount
                    lastLineByteCount = offset - lineStart
                }
                isAtLineStart = true
                spaceCount = 0
                lineStart = offset + 1
            default:
                throw Failure(offset: offset)
            }
            offset += 1
        }
    }

    /// Appends the bytes of an incomplete last group.
    package mutating func finish(into bytes: inout [UInt8]) throws(Failure) {
        let count = isAtLineStart ? endingSpaceCount : spaceCount
        let endingCounts = isPadded ? [0] : [0, count]
        if let other = groupsWithPlusSigns {
            let mayBePlusSigns = endingCounts.contains {
                Self.isMessage(other.characterCount + $0)
            }
            let arePlusSigns = mayBePlusSigns && !Self.isMessage(groups.characterCount)
            decide(arePlusSigns ? .plusSigns : .whiteSpace, into: &bytes)
        }
        if spaces != .whiteSpace, !isPadded, !Self.isMessage(groups.characterCount),
            Self.isMessage(groups.characterCount + count)
        {
            groups.takePlusSigns(count, into: &bytes)
            spaces = .plusSigns
        }
        // A single character is less than a byte.
        guard groups.characterCount % 4 != 1 else {
            throw Failure(offset: offset, characterCount: groups.characterCount)
        }
        groups.finish(into: &bytes)
    }

    /// Whether so many characters may be a message, whose length is 2 modulo 16.
    private static func isMessage(_ characterCount: Int) -> Bool {
        characterCount % 4 != 1 && characterCount * 6 / 8 % FormatSize.block == 2
    }

    /// In both readings.
    @inline(never)
    private mutating func takeTwice(_ sixBits: UInt8, into bytes: inout [UInt8]) {
        groups.take(sixBits, into: &held)
        groupsWithPlusSigns?.take(sixBits, into: &heldWithPlusSigns)
        if max(held.count, heldWithPlusSigns.count) >= Self.heldByteLimit {
            decide(.whiteSpace, into: &bytes)
        }
    }

    // MARK: Spaces

    /// Called before a character that follows a line break or a space.
    private mutating func endWhiteSpace(into bytes: inout [UInt8]) throws(Failure) {
        var count = spaceCount
        if !isAtLineStart {
            guard spaces != .whiteSpace else { throw Failure(offset: offset) }
            decide(.plusSigns, into: &bytes)
        } else if groups.characterCount == 0 {
            isFirstLineIndented = count > 0
            count = 0
        } else {
            hasSeveralLines = true
            count += endingSpaceCount
            if !mayHavePlusSignsInLines() {
                guard spaces != .plusSigns else { throw Failure(offset: offset) }
                decide(.whiteSpace, into: &bytes)
            }
        }
        if count > 0, !isPadded { takeSpaces(count, into: &bytes) }
        spaceCount = 0
        isAtLineStart = false
    }

    /// Whether spaces may be plus signs by the line that has ended, which is not the last one.
    private mutating func mayHavePlusSignsInLines() -> Bool {
        let first = firstLineByteCount ?? lastLineByteCount
        firstLineByteCount = first
        return first == lastLineByteCount && first.isMultiple(of: 4) && !isFirstLineIndented
    }

    private mutating func takeSpaces(_ count: Int, into bytes: inout [UInt8]) {
        switch spaces {
        case .whiteSpace: break
        case .plusSigns: groups.takePlusSigns(count, into: &bytes)
        case .either:
            if groupsWithPlusSigns == nil {
                groupsWithPlusSigns = groups
                isHoldingBack = true
                // Growing would leave copies behind, of keys as well.
                held.reserveCapacity(Self.heldByteLimit + 3)
                heldWithPlusSigns.reserveCapacity(
                    Self.heldByteLimit + 2 * Self.maximumSpaceCount)
            }
            groupsWithPlusSigns?.takePlusSigns(count, into: &heldWithPlusSigns)
        }
    }

    private mutating func decide(_ spaces: Spaces, into bytes: inout [UInt8]) {
        self.spaces = spaces
        guard let other = groupsWithPlusSigns else { return }
        if spaces == .plusSigns {
            groups = other
            bytes += heldWithPlusSigns
        } else {
            bytes += held
        }
        dropHeldBytes()
    }

    private mutating func dropHeldBytes() {
        groupsWithPlusSigns = nil
        isHoldingBack = false
        cleanse(&held)
        cleanse(&heldWithPlusSigns)
        held = []
        heldWithPlusSigns = []
    }
}
