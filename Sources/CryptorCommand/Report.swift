import CryptorFormat
import Dispatch
import Synchronization

/// Writes results to standard output and complaints to standard error, where it also shows a line of progress, which
/// the next output replaces.
///
/// One thread writes at a time: a pipe or a terminal may take only a part of a text at once, and the rest must not be
/// mixed with texts of other threads. Names are quoted where they are put into a text (``Word/shown``). If a control
/// character is left in a text, from a message of the system or of OpenSSL, it is escaped.
enum Report {
    static func tell(_ text: String) throws(CommandError) {
        try write(Array(withoutControls(text, keepingNewlines: true).utf8))
    }

    /// Writes to standard output.
    static func write(_ bytes: [UInt8]) throws(CommandError) {
        guard let number = write(bytes, to: STDOUT_FILENO) else { return }
        throw Interruption.signal == nil
            ? .unwritable(.standardOutput, number) : .interrupted(writingTo: .standardOutput)
    }

    /// Writes all of `bytes`; see ``writeAll(_:to:evenAfterSignal:)``.
    /// - Returns: nil, or an error number.
    static func write(_ bytes: [UInt8], to descriptor: Int32, evenAfterSignal: Bool = false) -> Int32? {
        takingTurns {
            clearPassingLine()
            return writeAll(bytes, to: descriptor, evenAfterSignal: evenAfterSignal)
        }
    }

    /// Writes a note, which is no failure, to standard error.
    static func note(_ text: String) {
        _ = write(
            Array("rncryptor: note: \(withoutControls(text, keepingNewlines: false))\n".utf8), to: STDERR_FILENO,
            evenAfterSignal: true)
    }

    static func complain(_ error: CommandError) {
        var text = "rncryptor: error: \(withoutControls(error.message, keepingNewlines: false))\n"
        for line in error.details { text += "\(withoutControls(line, keepingNewlines: false))\n" }
        if let hint = error.hint { text += "rncryptor: hint: \(withoutControls(hint, keepingNewlines: true))\n" }
        _ = write(Array(text.utf8), to: STDERR_FILENO, evenAfterSignal: true)
    }

    // MARK: The passing line

    private static let isPassingLineShown = Atomic<Bool>(false)

    /// Shows a line on standard error until something else is written. It is left out if this would have to wait.
    static func showPassing(_ line: String) {
        guard turn.wait(timeout: .now()) == .success else { return }
        defer { turn.signal() }
        // A terminal that is held by Ctrl-S is not ready, for example.
        guard isReady(STDERR_FILENO, toRead: false, timeout: 0) else { return }
        isPassingLineShown.store(true, ordering: .relaxed)
        _ = writeAll(Array("\r\(line)\u{1B}[K".utf8), to: STDERR_FILENO)
    }

    /// Removes the line, if one is shown.
    static func clearPassing() {
        guard isPassingLineShown.load(ordering: .relaxed) else { return }
        takingTurns { clearPassingLine() }
    }

    private static func clearPassingLine() {
        guard isPassingLineShown.exchange(false, ordering: .relaxed) else { return }
        _ = writeAll(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO, evenAfterSignal: true)
    }

    // MARK: Turns

    private static let turn = DispatchSemaphore(value: 1)
    private static let patience = DispatchTimeInterval.milliseconds(100)

    /// Waits until no other thread writes, then calls `body`. After a signal it no longer waits: the other thread may
    /// be held up, such as by a pipe that nobody reads.
    private static func takingTurns<Result>(_ body: () -> Result) -> Result {
        var isOurs = turn.wait(timeout: .now()) == .success
        while !isOurs, Interruption.signal == nil { isOurs = turn.wait(timeout: .now() + patience) == .success }
        defer { if isOurs { turn.signal() } }
        return body()
    }
}

/// The text with its control characters escaped, since a terminal would obey them.
func withoutControls(_ text: String, keepingNewlines: Bool) -> String {
    let isHarmless = { (scalar: Unicode.Scalar) in
        scalar.properties.generalCategory != .control || keepingNewlines && scalar == "\n"
    }
    guard !text.unicodeScalars.allSatisfy(isHarmless) else { return text }
    return text.unicodeScalars.map { scalar in
        isHarmless(scalar) ? String(scalar) : scalar.utf8.map { "\\x" + hexadecimal([$0]) }.joined()
    }.joined()
}

/// Writes all of `bytes`.
///
/// After a signal it waits for no reader, and returns EINTR. The signal interrupts only the thread that receives it;
/// the other threads check for it every 100 ms.
/// - Parameter evenAfterSignal: whether to go on after a signal as long as there is no need to wait.
/// - Returns: nil, or an error number.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, evenAfterSignal: Bool = false) -> Int32? {
    let descriptor = Interruption.comesHere ? descriptor : UnblockedTerminals.descriptor(for: descriptor)
    var rest = bytes[...]
    while !rest.isEmpty {
        let isReady = isReady(descriptor, toRead: false, timeout: 100)
        let mayWait = Interruption.signal == nil
        guard mayWait || evenAfterSignal && isReady else { return EINTR }
        guard isReady else { continue }
        // A pipe that is ready has room for PIPE_BUF bytes.
        let count = writeBytes(descriptor, mayWait && Interruption.comesHere ? rest : rest.prefix(Int(PIPE_BUF)))
        guard count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN) else { return errno }
        rest = rest.dropFirst(max(0, count))
    }
    return nil
}

/// Terminals among our descriptors, opened once more so that a write to them does not wait. A terminal that is held by
/// Ctrl-S, or has room for only a part of a line, would otherwise block a thread that no signal interrupts.
private enum UnblockedTerminals {
    private static let known = Mutex<[Int32: Int32]>([:])

    static func descriptor(for descriptor: Int32) -> Int32 {
        known.withLock { known in
            if let other = known[descriptor] { return other }
            guard isatty(descriptor) == 1 else { return descriptor }
            let path = Array("/proc/self/fd/\(descriptor)".utf8)
            let other = openFile(path, O_WRONLY | O_NONBLOCK | O_NOCTTY)
            known[descriptor] = other >= 0 ? other : descriptor
            return known[descriptor] ?? descriptor
        }
    }
}
