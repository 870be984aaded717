import CryptorFormat
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Encrypts what a server sends as it arrives, and writes the message to a file: no plaintext gets to the disk, and no
/// more than a chunk of it is in memory.
final class EncryptedDownload: NSObject, URLSessionDataDelegate, Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct State: ~Copyable {
        /// Nil once it has finished.
        var encryptor: Encryptor?
        let file: FileHandle
        var message: [UInt8] = []
        var receivedByteCount = 0
        var failure: (any Error)?
        var whenDone: CheckedContinuation<Int, any Error>?

        mutating func writeMessage() throws {
            try file.write(contentsOf: Data(message))
            message.removeAll(keepingCapacity: true)
        }

        /// Completes the message. Without that it has no tag, so a download that was cut off never passes for complete.
        mutating func finish() throws -> Int {
            if let encryptor = encryptor.take() {
                try encryptor.finish(into: &message)
                try writeMessage()
            }
            return receivedByteCount
        }
    }

    private let state: Mutex<State>

    private init(into file: FileHandle, with credential: Credential) throws {
        let encryptor = try Encryptor(credential)
        state = Mutex(State(encryptor: encryptor, file: file))
    }

    /// - Returns: the number of bytes that the server sent.
    static func run(_ url: URL, into file: FileHandle, with credential: Credential) async throws -> Int {
        let download = try EncryptedDownload(into: file, with: credential)
        // The delegate is called on this queue, with one chunk after the other.
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: .ephemeral, delegate: download, delegateQueue: queue)
        defer { session.finishTasksAndInvalidate() }
        return try await withCheckedThrowingContinuation { continuation in
            download.state.withLock { $0.whenDone = continuation }
            session.dataTask(with: url).resume()
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode
        if status != 200 {
            state.withLock {
                $0.failure = Failure(description: "The server answered \(status.map(String.init) ?? "nothing").")
            }
        }
        completionHandler(status == 200 ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive chunk: Data) {
        let isWritten = state.withLock { state in
            do {
                state.receivedByteCount += chunk.count
                try state.encryptor?.update(chunk, into: &state.message)
                try state.writeMessage()
                return true
            } catch {
                state.failure = error
                return false
            }
        }
        if !isWritten { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (continuation, result) = state.withLock { state in
            let result: Result<Int, any Error>
            if let failure = state.failure ?? error {
                result = .failure(failure)
            } else {
                do { result = .success(try state.finish()) } catch { result = .failure(error) }
            }
            return (state.whenDone.take(), result)
        }
        continuation?.resume(with: result)
    }
}
