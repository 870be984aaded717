import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Uses ephemeral sessions, because others cache plaintext on the disk.
enum HTTP {
    private static let session = URLSession(configuration: .ephemeral)

    /// The body of a response, as it comes; throws if it is shorter than announced. A download task
    /// would write it to the disk. Chunks wait in memory if they come faster than they are taken.
    static func chunks(of url: URL) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            let session = URLSession(
                configuration: .ephemeral, delegate: Receiver(continuation), delegateQueue: nil)
            let task = session.dataTask(with: url)
            continuation.onTermination = { _ in task.cancel() }
            task.resume()
            session.finishTasksAndInvalidate()
        }
    }

    static func put(_ file: URL, at url: URL) async throws {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let (_, response) = try await session.upload(for: request, fromFile: file)
        try check(response)
    }

    static func check(_ response: URLResponse?) throws {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else { throw URLError(.badServerResponse) }
    }
}

/// Passes on what a task receives.
private final class Receiver: NSObject, URLSessionDataDelegate {
    private let continuation: AsyncThrowingStream<Data, any Error>.Continuation

    init(_ continuation: AsyncThrowingStream<Data, any Error>.Continuation) {
        self.continuation = continuation
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        continuation.yield(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        do {
            if let error { throw error }
            try HTTP.check(task.response)
            continuation.finish()
        } catch {
            continuation.finish(throwing: error)
        }
    }
}
