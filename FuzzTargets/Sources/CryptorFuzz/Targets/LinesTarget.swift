import CryptorFormat
@testable import CryptorPrimitives

/// Lines of standard input, however they are cut up: each is read once and in order, those that are too long are
/// refused by their numbers, and the output is in the order of the input, on any number of threads.
func linesTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    let byteLimit = Int(input.next()) * (choice & 4 == 0 ? 1 : 300)
    let batch = (lines: 1 + Int(input.next() & 31), bytes: 1 + Int(input.next()) * 16)
    let chunks = input.chunkSizes()
    let short = input.rest()
    let text = choice & 0xF0 == 0xF0 ? short.repeated(toAtLeast: 90 * 1024) : short
    let expected = lines(of: text, upTo: byteLimit)
    try withStandardInput(giving: text, in: chunks) {
        if choice & 3 == 3 {
            run(LinePipelineRun(jobs: 1 + Int(choice >> 2) % 3), byteLimit: byteLimit, expected)
        } else {
            read(byteLimit: byteLimit, batch, expected)
        }
    }
}

/// Nil for a line that is too long.
private func lines(of text: [UInt8], upTo byteLimit: Int) -> [[UInt8]?] {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    if lines.last == [] { lines.removeLast() }
    return lines.map { $0.count <= byteLimit ? $0 : nil }
}

private func read(byteLimit: Int, _ batch: (lines: Int, bytes: Int), _ expected: [[UInt8]?]) {
    var reader = LineReader(byteLimit: byteLimit)
    var found: [[UInt8]?] = []
    var isAtEnd = false
    while !isAtEnd {
        let lines = reader.read(atMost: batch.lines, byteCount: batch.bytes, mayWait: true)
        if let failure = lines.failure { fail("\(failure.message)") }
        let texts = texts(of: lines)
        let byteCounts = texts.map { $0?.count ?? 0 }
        expect(texts.count <= batch.lines, "\(texts.count) lines, up to \(batch.lines)")
        let before = byteCounts.dropLast().reduce(0, +)
        expect(before < batch.bytes, "more than one line beyond \(batch.bytes): \(byteCounts)")
        expect(lines.isAtEnd || !texts.isEmpty, "no line, and not at the end")
        isAtEnd = lines.isAtEnd
        found += texts
    }
    expect(found == expected, "\(found.count) lines were read of \(expected.count), or others")
}

/// Nil for a line that is too long.
private func texts(of lines: LineReader.Lines) -> [[UInt8]?] {
    (0..<lines.count).map { lines.tooLong.contains($0) ? nil : Array(lines[$0]) }
}

private final class LinePipelineRun: Sendable {
    private let jobs: Int
    private let output = Lock<[UInt8]>([])

    init(jobs: Int) { self.jobs = jobs }

    var written: [UInt8] { output.withLock { $0 } }

    /// Whether a line has to be refused.
    static func isRefused(_ line: [UInt8]?) -> Bool { line.map { $0.first == UInt8(ascii: "!") } ?? true }

    /// A text that differs from the line, so that nothing passes through by mistake.
    static func answer(_ line: [UInt8]) -> [UInt8] { line.reversed() + [UInt8(ascii: "\n")] }

    func run(byteLimit: Int) throws(CommandError) {
        let pool = CryptorPool(threadCount: jobs)
        var pipeline = LinePipeline(output: { [self] in write($0) }, on: pool, jobs: jobs, lineCount: 32) { lines in
            var outcome = LinePipeline.Outcome()
            for (index, line) in texts(of: lines).enumerated() {
                if let line, !Self.isRefused(line) {
                    outcome.output += Self.answer(line)
                } else {
                    outcome.failures.append((index, CommandError(.malformed, "refused")))
                }
            }
            return outcome
        }
        try pipeline.run(byteLimit: byteLimit)
    }

    private func write(_ bytes: [UInt8]) -> Int32? {
        output.withLock { $0 += bytes }
        return nil
    }
}

private func run(_ run: LinePipelineRun, byteLimit: Int, _ expected: [[UInt8]?]) {
    let refused = expected.enumerated().filter { LinePipelineRun.isRefused($1) }.map { $0.offset + 1 }
    do throws(CommandError) {
        try run.run(byteLimit: byteLimit)
        expect(refused.isEmpty, "\(refused.count) lines were to be refused")
    } catch {
        expect(
            error.message.hasPrefix("\(refused.count) of \(expected.count) lines failed"),
            "\(error.message), and \(refused.count) of \(expected.count) were to be refused")
        expect(error.status == .malformed, "status \(error.status)")
    }
    let answers = expected.flatMap { line in
        line.flatMap { LinePipelineRun.isRefused($0) ? nil : LinePipelineRun.answer($0) } ?? []
    }
    expect(run.written == answers, "other lines were written, or in another order")
    expect(Report.takeComplaints() == refused.map { "line \($0): refused" }, "other lines were complained of")
}

/// Gives the text as packets of a socket, each of which one read(2) gets.
private func withStandardInput(giving text: [UInt8], in chunks: ChunkSizes, _ body: () -> Void) throws {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else { throw SystemFailure() }
    // How many small packets fit into a socket, and how many bytes into one packet.
    let (packetLimit, byteLimit) = (48, 60 * 1024)
    var rest = text[...]
    for chunk in chunks.cut(Array(text.prefix(8 * 1024))).prefix(packetLimit) where !chunk.isEmpty {
        guard writeBytes(Array(chunk), to: ends[1]) else { throw SystemFailure() }
        rest = rest.dropFirst(chunk.count)
    }
    while !rest.isEmpty {
        guard writeBytes(Array(rest.prefix(byteLimit)), to: ends[1]) else { throw SystemFailure() }
        rest = rest.dropFirst(byteLimit)
    }
    close(ends[1])
    guard dup2(ends[0], STDIN_FILENO) == STDIN_FILENO else { throw SystemFailure() }
    close(ends[0])
    body()
    // The next input must not get what is left of this one.
    close(STDIN_FILENO)
    guard open("/dev/null", O_RDONLY) == STDIN_FILENO else { throw SystemFailure() }
}
