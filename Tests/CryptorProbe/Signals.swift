#if os(Linux)
import CryptorFiles
import Foundation

/// A program that leaves all signals as the system sets them, so that SIGPIPE and SIGXFSZ would end
/// it. It prints a line for each write that fails: where to, the system's error number, and what is
/// different afterwards.
enum Signals {
    static func run(in directory: String) throws {
        let plaintext = [UInt8](repeating: 7, count: 300_000)
        let keys = Credential.keys(try .random())
        let (source, message) = ("\(directory)/plaintext", "\(directory)/message")
        try Data(plaintext).write(to: URL(fileURLWithPath: source))
        try Cryptor.encryptFile(at: source, to: message, with: keys)

        func tell(_ name: String, _ work: () throws -> Void) {
            let before = state()
            var number: Int32?
            do { try work() } catch { number = (error as? CryptorError)?.systemErrorNumber }
            print(
                "\(name): \(number.map { "\($0)" } ?? "none")"
                    + (state() == before ? "" : ", something is different")
            )
        }
        func write(to descriptor: CInt) throws {
            try Cryptor.encryptFile(at: source, to: .descriptor(descriptor), with: keys)
        }
        // The first write meets no reader; or the reader goes when the pipe is full, in the middle
        // of a write.
        tell("pipe") { try write(to: Self.pipeWithoutReader()) }
        tell("reader goes") { try write(to: Self.pipeWhoseReaderGoes()) }
        tell("socket") { try write(to: Self.socketWithoutPeer()) }
        tell("decrypt") {
            try Cryptor.decryptFile(
                at: message, to: .descriptor(Self.pipeWithoutReader()), with: keys)
        }
        // One that waits for this thread stays.
        block(SIGPIPE)
        raise(SIGPIPE)
        tell("pipe, one pending") { try write(to: Self.pipeWithoutReader()) }
        print("pending: \(isPending(SIGPIPE))")

        var limit = rlimit(rlim_cur: 100_000, rlim_max: rlim_t(bitPattern: -1))
        guard setrlimit(__rlimit_resource_t(1), &limit) == 0 else {
            throw Probe.Failure(description: "no limit")
        }
        tell("file") { try Cryptor.encryptFile(at: source, to: "\(directory)/other", with: keys) }
        tell("open file") {
            let file = open("\(directory)/open", O_WRONLY | O_CREAT, 0o600)
            defer { close(file) }
            try write(to: file)
        }
        tell("spool") {
            let pipe = Pipe()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: message))
            Thread.detachNewThread { try? pipe.fileHandleForWriting.write(contentsOf: bytes) }
            defer { withExtendedLifetime(pipe) {} }
            _ = try VerifiedFile(
                at: .descriptor(pipe.fileHandleForReading.fileDescriptor), with: keys)
        }
        print("pending: \(isPending(SIGXFSZ))")
    }

    /// The mask of this thread, and what the process does with the two signals.
    private static func state() -> [Int] {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        return (1..<32).map { Int(sigismember(&mask, $0)) }
            + [SIGPIPE, SIGXFSZ].map { number in
                var action = sigaction()
                sigaction(number, nil, &action)
                return action.__sigaction_handler.sa_handler == nil ? 0 : 1
            }
    }

    private static func block(_ number: CInt) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static func isPending(_ number: CInt) -> Bool {
        var set = sigset_t()
        sigpending(&set)
        return sigismember(&set, number) == 1
    }

    private static func pipeEnds() -> (read: CInt, write: CInt) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        return (ends[0], ends[1])
    }

    private static func pipeWithoutReader() -> CInt {
        let ends = pipeEnds()
        close(ends.read)
        return ends.write
    }

    private static func pipeWhoseReaderGoes() -> CInt {
        let ends = pipeEnds()
        Thread.detachNewThread {
            var byte: UInt8 = 0
            _ = read(ends.read, &byte, 1)
            usleep(200_000)
            close(ends.read)
        }
        return ends.write
    }

    private static func socketWithoutPeer() -> CInt {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return -1 }
        close(ends[0])
        return ends[1]
    }
}
#endif
