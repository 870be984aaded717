@testable import CryptorFormat
@testable import CryptorPrimitives
import FoundationEssentials

/// Reads of any ranges of a `VerifiedFile`, in any order, between changes of the file: a read gives the plaintext that
/// was verified, and nothing any more once a change was noticed.
func verifiedTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    var accepting = Fixture.versions(input.next() & 15)
    let script = input.take(Int(input.next()))
    let isLong = choice & 3 == 3
    let (credential, short, isShortened) = try Fixture.message(input)
    accepting.shortenedPasswords = isShortened
    // A message of several segments has the plaintext of the short one again and again.
    var message = short
    if isLong, case .plaintext(let unit) = Outcome.whole(short, credential, accepting),
        accepting.versions.contains(.v3)
    {
        let header = Header(salts: credential.isPassword ? Fixture.salts : nil, iv: Array(short.suffix(FormatSize.iv)))
        message = try Cryptor.encrypt(
            unit.repeated(toAtLeast: 200 * 1024), with: credential, header: header)
    }
    let expected = Outcome.whole(message, credential, accepting)
    let file = try UnnamedFile(message)
    let way = Int(choice >> 2) & 7
    let isPiped = 3...4 ~= way && message.count < Pipe.byteCount
    let opened = open(file, message, way: way, isPiped: isPiped, credential, accepting)
    switch (opened, expected) {
    case (.failure(let error), _):
        let wasCancelled = error.code == .cancelled || error.code == .messageTooLong
        if !wasCancelled { Outcome.expectSame(Outcome(error), expected, "opened, whole") }
    case (.success, .failure(let code)):
        fail("it was opened, and is refused as a whole: \(code)")
    case (.success(let verified), .plaintext(let plaintext)):
        expect(verified.plaintextByteCount == plaintext.count, "\(verified), and it has \(plaintext.count)")
        expect("\(verified)".contains("\(plaintext.count)"), "\(verified)")
        expect(verified.header.iv == Array(message[..<verified.header.byteCount].suffix(FormatSize.iv)), "another IV")
        var reader = RangeReader(verified, plaintext, file, message, isSpooled: isPiped)
        try reader.follow(FuzzInput(script))
    }
}

/// Opens the file in one of several ways. Some are refused, or cancelled.
private func open(
    _ file: UnnamedFile, _ message: [UInt8], way: Int, isPiped: Bool, _ credential: Credential,
    _ accepting: Acceptance
) -> Result<VerifiedFile, CryptorError> {
    Result { () throws(CryptorError) in
        switch way {
        case 0: return try VerifiedFile(at: file.path, with: credential, accepting: accepting)
        case 1: return try VerifiedFile(at: URL(filePath: file.path), with: credential, accepting: accepting)
        case 2:
            let calls = Counter()
            return try VerifiedFile(at: file.path, with: credential, accepting: accepting) { _ in
                if calls.next() == 2 { throw SystemFailure() }
            }
        case 3...4 where isPiped:
            guard let pipe = try? Pipe(giving: message) else { fail("no pipe") }
            var accepting = accepting
            accepting.spoolByteLimit = way == 3 ? nil : 1024
            return try VerifiedFile(at: .descriptor(pipe.readEnd), with: credential, accepting: accepting)
        default:
            return try VerifiedFile(
                at: .descriptor(file.descriptor), with: credential, accepting: accepting)
        }
    }
}

private struct RangeReader: ~Copyable {
    private let verified: VerifiedFile
    private let plaintext: [UInt8]
    private let file: UnnamedFile
    private let message: [UInt8]
    /// What the file holds now.
    private var content: [UInt8]
    private let isSpooled: Bool
    private var wasRefused = false

    init(_ verified: VerifiedFile, _ plaintext: [UInt8], _ file: UnnamedFile, _ message: [UInt8], isSpooled: Bool) {
        self.verified = verified
        self.plaintext = plaintext
        self.file = file
        self.message = message
        self.content = message
        self.isSpooled = isSpooled
    }

    mutating func follow(_ script: consuming FuzzInput) throws {
        while !script.isEmpty {
            let step = script.next()
            let place = (Int(script.next()) << 8 | Int(script.next())) * 5
            switch step & 7 {
            case 0:
                let offset = place % message.count
                if offset >= content.count { try restore() }
                content[offset] ^= 1 << (step >> 5)
                try file.write(content[offset], at: offset)
            case 1 where step & 0x10 != 0:
                content = Array(content.prefix(place))
                try file.truncate(to: content.count)
            case 2:
                try restore()
            default:
                let length = step & 8 == 0 ? Int(script.next()) : Int(script.next()) * 1021
                // Some ranges begin behind the end.
                let start = place % (plaintext.count + 2) - (step == 0xFF ? 1 : 0)
                read(start..<start + length, step >> 4)
            }
        }
    }

    private mutating func restore() throws {
        content = message
        try file.truncate(to: 0)
        lseek(file.descriptor, 0, SEEK_SET)
        guard writeBytes(message, to: file.descriptor) else { throw SystemFailure() }
    }

    private mutating func read(_ range: Range<Int>, _ form: UInt8) {
        let isInside = 0...plaintext.count ~= range.lowerBound
        let wanted = isInside ? Array(plaintext[range.clamped(to: 0..<plaintext.count)]) : []
        let start: [UInt8] = [1, 2, 3]
        var output = start
        do throws(CryptorError) {
            switch form & 3 {
            case 0: output += try verified.read(range)
            case 1: try verified.read(range, into: &output)
            case 2: output += try verified.readData(range)
            default:
                // Half of these have no room for the last byte.
                let isTight = form & 4 != 0 && !wanted.isEmpty
                do throws(CryptorError) {
                    let room = wanted.count - (isTight ? 1 : 0)
                    try output.appendBytes(capacity: room) { (output) throws(CryptorError) in
                        try verified.read(range, into: &output)
                    }
                } catch {
                    let isPrefix = wanted.starts(with: output.dropFirst(start.count))
                    expect(isPrefix, "\(error.code) after bytes that are not its own")
                    output = start
                    if isTight, isInside {
                        return expect(error.code == .outputTooSmall, "no room: \(error.code)")
                    }
                    throw error
                }
            }
            expect(isInside, "a range that begins at \(range.lowerBound) was read, of \(plaintext.count)")
            expect(output == start + wanted, "\(range): other bytes than those that were verified")
            expect(!wasRefused, "\(range): read after a change was noticed")
        } catch {
            expect(output == start, "\(error.code) left bytes behind")
            guard isInside else { return expect(error.code == .invalidRange, "\(range): \(error.code)") }
            expect(error.code == .authenticationFailed, "\(range): \(error)")
            expect(wasRefused || content != message && !isSpooled, "refused, and nothing was changed")
            wasRefused = true
        }
    }
}
