import CCryptorProbe
import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import Foundation

/// Forks while other threads are in the middle of work. The child has none of these threads, and does all kinds of work
/// itself, on the calling thread.
enum ThreadedFork {
    static func run(rounds: Int) throws {
        let operations = try Operations(byteCount: 800_000)
        // What a process looks up once has been looked up, as in a server that has answered requests. And each thread
        // has drawn its first random bytes: while it does that, it holds a lock of OpenSSL that nobody could release in
        // a child.
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
        for round in 1...rounds {
            // Each fork comes at another point of the threads' work.
            usleep(UInt32(1000 + round * 977 % 20_000))
            let child = try Fork.inChild {
                do {
                    try operations.performAll(number: 4)
                    Cores.pretendToHaveMore()
                    var secondThread = SecondThread()
                    guard !secondThread.reserveCores(forNext: 1 << 20).includeSecond else {
                        throw Probe.Failure(description: "a worker is called")
                    }
                } catch {
                    print("round \(round): \(error)")
                    fflush(nil)
                    _exit(2)
                }
            }
            let status = probe_wait(child)
            guard status == 0 else {
                throw Probe.Failure(description: "round \(round): the child ended with \(status)")
            }
        }
        print("\(rounds) rounds")
        fflush(nil)
        _exit(0)
    }
}
