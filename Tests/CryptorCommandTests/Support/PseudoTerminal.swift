import CCryptorTerminal
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The command at a terminal, with a person at the keys.
final class PseudoTerminal {
    private let controller: Int32
    private let process: pid_t
    private var isFinished = false
    /// The output that nobody has waited for yet. It is kept as bytes, because a read may end
    /// within a character.
    private var output: [UInt8] = []

    /// The output that nobody has waited for yet, as text.
    var screen: String { String(decoding: output, as: UTF8.self) }

    /// All output so far, as text.
    private(set) var everything = ""

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a script of `sh` with a terminal of its own as its standard streams.
    init(_ script: String, in directory: URL) throws {
        var process: pid_t = 0
        controller = start_at_terminal(
            "cd '\(directory.path)' && RNCRYPTOR='\(BuiltCommand.path)' && \(script)", &process)
        guard controller >= 0 else {
            throw Failure(description: "no pseudo-terminal: error \(errno)")
        }
        self.process = process
    }

    deinit {
        close(controller)
        guard !isFinished else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Waits until `text` appears on the screen, after the text that was waited for before.
    func wait(for text: String, seconds: Int32 = 120) throws {
        while true {
            let screen = screen
            if let range = screen.range(of: text) {
                output.removeFirst(screen[..<range.upperBound].utf8.count)
                return
            }
            guard readSome(milliseconds: seconds * 1000) else {
                throw Failure(description: "'\(text)' never came; the screen shows '\(screen)'")
            }
        }
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(controller, bytes, bytes.count)
    }

    /// Whether the terminal shows what is typed.
    var echoes: Bool {
        get { settings.map { $0.c_lflag & tcflag_t(ECHO) != 0 } ?? false }
        set {
            guard var settings else { return }
            if newValue {
                settings.c_lflag |= tcflag_t(ECHO)
            } else {
                settings.c_lflag &= ~tcflag_t(ECHO)
            }
            tcsetattr(controller, TCSANOW, &settings)
        }
    }

    private var settings: termios? {
        var settings = termios()
        return tcgetattr(controller, &settings) == 0 ? settings : nil
    }

    /// Returns the exit status, or the negated number of a signal; the screen then holds the rest
    /// of the output. A command that says nothing for two minutes is killed.
    func finish() -> Int32 {
        while readSome(milliseconds: 120_000) {}
        var status: Int32 = 0
        if waitpid(process, &status, WNOHANG) == 0 {
            var request = pollfd(fd: controller, events: 0, revents: 0)
            // If all processes have closed the terminal, the command is about to end.
            if poll(&request, 1, 0) == 0 || request.revents & Int16(POLLHUP) == 0 {
                kill(process, SIGKILL)
            }
            while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        }
        isFinished = true
        return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
    }

    private func readSome(milliseconds: Int32) -> Bool {
        var request = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, milliseconds) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(controller, &buffer, buffer.count)
        guard count > 0 else { return false }
        output += buffer.prefix(count)
        everything += String(decoding: buffer.prefix(count), as: UTF8.self)
        return true
    }
}
