import CCryptorProbe
import CryptorAsync
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import Dispatch

/// A program for tests that need a process of their own, to fork or to search all of its memory.
@main
enum Probe {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        #if os(Linux)
        if words.contains("--same-pid") { probe_keep_pid() }
        if words.contains("--without-mark") { probe_refuse_wiping() }
        #endif
        switch words.first {
        case "fork": try Fork.run()
        case "threaded-fork": try ThreadedFork.run(rounds: Int(words[1]) ?? 1)
        case "random-fork":
            // A program may have registered handlers before it used the library, and use the
            // library in them.
            if words.contains("--with-handlers") {
                probe_call_at_forks { _ = try? Cryptor.generatePassword() }
            }
            try ThreadedFork.drawInChildren(of: Int(words[1]) ?? 1)
        case "unwinding-fork": try ThreadedFork.unwindInChildren(of: Int(words[1]) ?? 1)
        #if os(Linux)
        case "signals": try Signals.run(in: words[1])
        #endif
        case "exit": try Exit.run(words[1], after: Int(words[2]) ?? 0)
        case "operations": try Operations(byteCount: 1_200_000).performAll(number: 0)
        case "remove": try Directory(at: words[1]).remove(words[2])
        case "secrets": try SecretSearch.run(words[1])
        case "reset": try tellReset()
        #if os(Linux)
        case "allocations":
            guard probe_watch_allocations() else {
                throw Failure(description: "OpenSSL has allocated already")
            }
            try Faults(words[1]).failEachAllocation()
        case "call-faults": try Faults(words[1]).failEachCall()
        #endif
        case "worker": tellWhetherAJobIsDone()
        case "threads": try Threads.run(words[1], isSerial: words[2] == "serial")
        case "providers": try Providers.run(words[1])
        case "constant-time": try ConstantTime.run(words[1])
        case "low-descriptors": try LowDescriptors.run(in: words[1])
        default: preconditionFailure("CryptorProbe: unknown words \(words)")
        }
    }

    /// Prints whether a job for a worker has been done when it has been added.
    private static func tellWhetherAJobIsDone() {
        let done = DispatchSemaphore(value: 0)
        let workers = Workers(threadLimit: 1)
        defer { workers.close() }
        workers.add { done.signal() }
        print(done.wait(timeout: .now()) == .success)
    }

    /// Prints whether HMAC contexts can be used again, the lengths of plaintext for which messages
    /// are wrong, and whether a pool releases contexts that it has no place for. Where an HMAC
    /// cannot be used again, each holds its key.
    private static func tellReset() throws {
        let keys = try MessageKeys.random()
        let cryptor = try KeyedCryptor(keys)
        let wrong = (0..<100).filter { count in
            let plaintext = [UInt8](repeating: 7, count: count)
            return (try? Cryptor.decrypt(cryptor.encrypt(plaintext), with: .keys(keys)))
                != plaintext
                || (try? cryptor.decrypt(Cryptor.encrypt(plaintext, with: .keys(keys))))
                    != plaintext
        }
        weak var key: SecretBytes?
        do {
            let hmacKey = SecretBytes.copy(of: [UInt8](repeating: 1, count: 32))
            key = hmacKey
            let pool = KeyPair(
                encryptionKey: .copy(of: [UInt8](repeating: 2, count: 32)), hmacKey: hmacKey,
                keepsEngines: true)
            DispatchQueue.concurrentPerform(iterations: 70) { _ in try? pool.prepare() }
            try pool.prepare()
        }
        print("sound: \(HMACAuthenticator.canBeginAgain), wrong: \(wrong), released: \(key == nil)")
    }

    struct Failure: Error { let description: String }
}
