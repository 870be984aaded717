import CryptorTestSupport
import Foundation
import Synchronization
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The caller has opened a stream that blocks, as streams do by default. Work on it can be cancelled even though the
/// other end has stopped reading.
@Suite(.unlessItHangs) struct StoppedReaderTests {
    private struct Enough: Error {}

    enum Stream: CaseIterable, Sendable {
        /// The library opens it once more, by its path in /proc.
        case pipe
        /// It has no path that can be opened.
        case socket

        func open() throws -> (reader: CInt, writer: CInt) {
            var ends: [CInt] = [-1, -1]
            switch self {
            case .pipe: try #require(Foundation.pipe(&ends) == 0)
            case .socket:
                #if canImport(Glibc)
                try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
                #else
                try #require(socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0)
                #endif
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (ends[0], ends[1])
        }
    }

    @Test(arguments: Stream.allCases, FileTask.allCases)
    func handler(stream: Stream, task: FileTask) throws {
        let job = try FileJob(task, byteCount: 4_000_000)
        let (reader, writer) = try stream.open()
        defer { for end in [reader, writer] { close(end) } }
        let last = Mutex(0)
        let error = #expect(throws: CryptorError.self) {
            try job.run(to: .descriptor(writer)) { progress in
                // The work is stuck when it has read no byte between two calls.
                let isStuck = last.withLock { last in
                    defer { last = progress.bytesDone }
                    return last == progress.bytesDone && last > 0
                }
                if isStuck { throw Enough() }
            }
        }
        #expect(error?.code == .cancelled)
        #expect(fcntl(writer, F_GETFL) & O_NONBLOCK == 0, "others have it as well")
    }

    @Test(arguments: Stream.allCases)
    func pool(stream: Stream) async throws {
        let job = try FileJob(.decrypt, byteCount: 4_000_000)
        let pool = CryptorPool(threadCount: 1)
        let (path, keys) = (job.folder.path(FileJob.sourceName), job.credential)
        let (reader, writer) = try stream.open()
        defer { for end in [reader, writer] { close(end) } }
        for attempt in ["decryptFile", "encryptFile of a sequence"] {
            let task = Task {
                if attempt == "decryptFile" {
                    try await pool.decryptFile(at: path, to: .descriptor(writer), with: keys)
                } else {
                    let chunks = AsyncStream<[UInt8]> { more in
                        for _ in 0..<40 { more.yield([UInt8](repeating: 1, count: 100_000)) }
                        more.finish()
                    }
                    try await pool.encryptFile(from: chunks, to: FileEndpoint.descriptor(writer), with: keys)
                }
            }
            try await Task.sleep(for: .milliseconds(200))
            task.cancel()
            let error = await #expect(throws: CryptorError.self, "\(attempt)") { try await task.value }
            #expect(error?.code == .cancelled, "\(attempt)")
        }
        let message = try await pool.encrypt([1, 2, 3], with: keys)
        #expect(try await pool.decrypt(message, with: keys) == [1, 2, 3])
    }

    /// A slow reader gets everything.
    @Test(arguments: Stream.allCases, FileTask.allCases)
    func slowReader(stream: Stream, task: FileTask) throws {
        let job = try FileJob(task, byteCount: 1_000_000)
        let (reader, writer) = try stream.open()
        defer { close(reader) }
        let found = Mutex<[UInt8]>([])
        let done = DispatchSemaphore(value: 0)
        Thread {
            var buffer = [UInt8](repeating: 0, count: 50_000)
            while true {
                let count = read(reader, &buffer, buffer.count)
                guard count > 0 else { break }
                found.withLock { $0 += buffer.prefix(count) }
                usleep(500)
            }
            done.signal()
        }.start()
        do {
            defer { close(writer) }
            try job.run(to: .descriptor(writer)) { _ in }
        }
        done.wait()
        #expect(try job.flaw(in: found.withLock { $0 }) == nil)
    }
}
