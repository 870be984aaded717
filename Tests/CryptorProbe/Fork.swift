import CCryptorProbe
import CryptorFiles
import CryptorSystem
import Foundation

/// A process, its child and its grandchild write messages with objects that were made and used
/// before the forks. Each message has a line: who wrote it, with what, the salts if there are any,
/// the IV.
struct Fork {
    private let cryptor: KeyedCryptor
    private let keys: Credential
    private let password: Credential

    static func run() throws {
        let fork = try Fork()
        fork.write("before")
        let child = try inChild {
            fork.write("child")
            guard let grandchild = try? inChild({ fork.write("grandchild") }) else { _exit(2) }
            fork.write("child")
            if probe_wait(grandchild) != 0 { _exit(3) }
        }
        fork.write("parent")
        let status = probe_wait(child)
        guard status == 0 else {
            throw Probe.Failure(description: "the child ended with \(status)")
        }
    }

    private init() throws {
        let pair = try MessageKeys.random()
        cryptor = try KeyedCryptor(pair)
        keys = .keys(pair)
        password = try .password("correct horse battery staple")
    }

    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    static func inChild(_ body: @escaping () -> Void) throws -> pid_t {
        let work = Work(body)
        let child = probe_fork(
            { work in if let work { Unmanaged<Work>.fromOpaque(work).takeUnretainedValue().body() }
            },
            Unmanaged.passUnretained(work).toOpaque())
        return try withExtendedLifetime(work) {
            guard child > 0 else { throw Probe.Failure(description: "fork: error \(errno)") }
            return child
        }
    }

    /// Writes more messages than a context keeps random blocks for. Those without a context come
    /// first: two processes then draw the same numbers of bytes, so that a generator that both have
    /// gives them the same IVs.
    private func write(_ who: String) {
        for _ in 0..<40 { write(who, "keys", try? Cryptor.encrypt([1, 2, 3], with: keys)) }
        for _ in 0..<2 { write(who, "password", try? Cryptor.encrypt([1, 2, 3], with: password)) }
        for _ in 0..<40 { write(who, "keyed", try? cryptor.encrypt([1, 2, 3])) }
    }

    private func write(_ who: String, _ kind: String, _ message: [UInt8]?) {
        guard let message else { _exit(4) }
        func hex(_ range: Range<Int>) -> String {
            message[range].map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        }
        let fields = message[1] == 1 ? [hex(2..<10), hex(10..<18), hex(18..<34)] : [hex(2..<18)]
        let line = Array("\(who) \(kind) \(fields.joined(separator: " "))\n".utf8)
        // One call writes the line, so that the lines of the three processes do not mix.
        guard Foundation.write(STDOUT_FILENO, line, line.count) == line.count else { _exit(5) }
    }
}

/// Forks while other threads are in the middle of work. The child has none of these threads, and
/// does all kinds of work itself, on the calling thread.
enum ThreadedFork {
    static func run(rounds: Int) throws {
        let operations = try Operations(byteCount: 800_000)
        // What a process looks up once has been looked up, as in a server that has answered
        // requests. And each thread has drawn its first random bytes: while it does that, it holds
        // a lock of OpenSSL that nobody could release in a child.
        try operations.performAll(number: 0)
        let isWarm = DispatchSemaphore(value: 0)
        for number in 1...3 {
            Thread.detachNewThread {
                try? operations.performAll(number: number)
                isWarm.signal()
                while true { try? operations.performAll(number: number) }
            }
        }
        for _ in 1...3 { isWarm.wait() }
        // Keys of others' salts are looked up, whose lock is held now and then.
        let cryptor = try KeyedCryptor(.password("shared"))
        let messages = try (1...2).map { _ in try Cryptor.encrypt([1], with: .password("shared")) }
        @Sendable func readOthers() throws {
            for message in messages { _ = try cryptor.decrypt(message) }
        }
        Thread.detachNewThread { while true { try? readOthers() } }
        for round in 1...rounds {
            // Each fork comes at another point of the threads' work. That lock is held only now and
            // then.
            for attempt in 1...5 {
                usleep(UInt32(200 + (round * 5 + attempt) * 977 % 3000))
                try wait(
                    for: Fork.inChild { if (try? readOthers()) == nil { _exit(2) } }, in: round)
            }
            usleep(UInt32(1000 + round * 977 % 20_000))
            let child = try Fork.inChild {
                do {
                    try readOthers()
                    try operations.performAll(number: 4)
                    Cores.pretendToHaveMore()
                    var work = LargeWork()
                    guard !work.reserveCores(forNext: 1 << 20).includeSecond else {
                        throw Probe.Failure(description: "a worker is called")
                    }
                } catch {
                    print("round \(round): \(error)")
                    fflush(nil)
                    _exit(2)
                }
            }
            try wait(for: child, in: round)
        }
        print("\(rounds) rounds")
        fflush(nil)
        _exit(0)
    }

    /// Forks while other threads draw random bytes all the time.
    static func drawInChildren(of rounds: Int) throws {
        let keys = Credential.keys(try .random())
        let cryptor = try KeyedCryptor(.random())
        @Sendable func draw() throws {
            _ = try Cryptor.encrypt([1], with: keys)
            _ = try cryptor.encrypt([1])
        }
        try draw()
        let isWarm = DispatchSemaphore(value: 0)
        for _ in 1...3 {
            Thread.detachNewThread {
                try? draw()
                isWarm.signal()
                while true { try? draw() }
            }
        }
        for _ in 1...3 { isWarm.wait() }
        for round in 1...rounds {
            usleep(UInt32(100 + round * 977 % 1000))
            try wait(for: Fork.inChild { if (try? draw()) == nil { _exit(2) } }, in: round)
        }
        print("\(rounds) rounds")
        fflush(nil)
        _exit(0)
    }

    /// Forks in a closure in the middle of large work, and leaves the work in the child by
    /// throwing.
    static func unwindInChildren(of rounds: Int) throws {
        Cores.pretendToHaveMore()
        let operations = try Operations(byteCount: 6 << 20)
        let (keys, source) = (Credential.keys(try .random()), "\(operations.directory)/plain")
        for round in 1...rounds {
            var child: pid_t?
            do {
                try Cryptor.encryptFile(at: source, to: "/dev/null", with: keys) { progress in
                    guard child == nil, progress.bytesDone > round << 18 else { return }
                    child = probe_fork_here()
                    if child == 0 { throw CancellationError() }
                }
            } catch {
                _exit(child == 0 && error.code == .cancelled ? 0 : 2)
            }
            guard let child else { throw Probe.Failure(description: "round \(round): no child") }
            try wait(for: child, in: round)
        }
        print("\(rounds) rounds")
        fflush(nil)
        _exit(0)
    }

    private static func wait(for child: pid_t, in round: Int) throws {
        let status = probe_wait(child)
        guard status == 0 else {
            throw Probe.Failure(description: "round \(round): the child ended with \(status)")
        }
    }
}
