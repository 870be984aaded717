/// Lines that follow each other and may be one message, which was wrapped: the first begins like
/// one, and all but the last have its length.
package struct WrappedText {
    private static let shortestLineByteCount = 40
    /// The most bytes of all lines.
    private static let byteLimit = 32 * 1024 * 1024
    /// How many lines of one message begin like it by chance, at most: for each, all is decoded.
    private static let mostLookalikes = 16

    /// What the lines are together.
    package private(set) var text: [UInt8] = []
    /// The length of the first line, if the next one may belong to the message.
    private var lineByteCount: Int?
    /// What the message begins with.
    private var beginning: [UInt8] = []
    private var lookalikeCount = 0
    private let decode: Diagnoser.LineDecoder

    package init(decodingLines decoder: @escaping Diagnoser.LineDecoder) {
        decode = decoder
    }

    /// Whether the next line may belong to the message.
    package var mayContinue: Bool { lineByteCount != nil && text.count < Self.byteLimit }

    /// Takes a line if it is the first, or may belong to the message.
    /// - Returns: whether it was taken.
    package mutating func take(_ line: [UInt8]) -> Bool {
        let line = Array(line[ByteLook.withoutMargins(line)])
        let isText = !line.isEmpty && line.allSatisfy(ByteSet.wordsOfBase64.contains)
        let message = isText ? decode(line) : nil
        if text.isEmpty {
            text = line
            if let message, line.count >= Self.shortestLineByteCount,
                line.count.isMultiple(of: 4), MessageShape(message).mayBegin,
                !MessageShape(message).isSound
            {
                lineByteCount = line.count
                beginning = Array(message.prefix(2))
            }
            return true
        }
        guard mayContinue, let first = lineByteCount, isText, line.count <= first else {
            return false
        }
        // Another message begins, or by chance its bytes are these.
        if message?.starts(with: beginning) == true {
            lookalikeCount += 1
            if text.count == first || lookalikeCount > Self.mostLookalikes || isSound {
                return false
            }
        }
        text += line
        if line.count < first { lineByteCount = nil }
        return true
    }

    private var isSound: Bool { decode(text).map { MessageShape($0).isSound } ?? false }
}
