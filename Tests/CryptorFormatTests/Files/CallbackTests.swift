import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// What a closure of the caller throws reaches the caller, from every function that takes one.
@Suite struct CallbackTests {
    private struct ClientGone: Error, CustomStringConvertible {
        let description = "what only the caller may show"
    }

    /// What a closure throws, and whether the function throws the right error for it.
    private typealias Throwing = (error: any Error, isRight: @Sendable (CryptorError) -> Bool)

    private static let throwing: [Throwing] = [
        (
            ClientGone(),
            {
                $0.code == .callbackFailed && $0.underlyingError is ClientGone
                    && !"\($0)".contains(ClientGone().description)
            }
        ),
        (CancellationError(), { $0.code == .cancelled && $0.underlyingError == nil }),
        // An error about something else must not be taken for one about this file.
        (
            CryptorError.corruptPadding,
            {
                $0.code == .corruptPadding
                    && $0.description == CryptorError.corruptPadding.description
                    && $0.path == nil
            }
        ),
    ]

    private func expect(
        _ throwing: Throwing, _ job: FileJob, _ work: (@escaping ProgressHandler) throws -> Void
    ) throws {
        let error = try caughtError { try work { _ in throw throwing.error } }
        #expect(
            error.map(throwing.isRight) == true, "\(throwing.error): \(String(describing: error))")
        #expect(error.map { "\($0)".contains("No file") } == false)
        #expect(try job.directory.names() == ["source"])
    }

    @Test(arguments: Role.allCases) func progress(role: Role) throws {
        let task: FileTask = [.encryptFrom, .encryptTo].contains(role) ? .encrypt : .decrypt
        for throwing in Self.throwing {
            let job = try FileJob(task, byteCount: 300_000)
            let path = role.isSource ? job.source : job.destination
            try expect(throwing, job) { progress in try role.run(job, path, progress: progress) }
        }
    }

    @Test func receive() throws {
        for throwing in Self.throwing {
            let job = try FileJob(.decrypt, byteCount: 300_000)
            let fail: ([UInt8]) throws -> Void = { _ in throw throwing.error }
            try expect(throwing, job) { _ in
                try Cryptor.decryptFile(at: job.source, with: job.credential, receive: fail)
            }
        }
    }

    /// The output of a call within a closure is not the output of the call around it.
    @Test func ofAnotherCall() throws {
        let job = try FileJob(.encrypt, byteCount: 300_000)
        try job.directory.write([1], to: "two")
        try job.directory.link("two", to: "names")
        let (two, inner) = (job.path("two"), job.path("inner"))
        let options = FileOptions(removingSource: true)
        let error = try caughtError {
            try job.run { _ in
                try Cryptor.encryptFile(at: two, to: inner, with: job.credential, options: options)
            }
        }
        #expect(
            error?.code == .inputOutput && error?.isPublished == false,
            "\(String(describing: error))")
        #expect(try job.directory.names() == ["inner", "names", "source", "two"])
    }

    @Test func inThePool() async throws {
        let pool = CryptorPool(threadCount: 1)
        for throwing in Self.throwing {
            let job = try FileJob(.decrypt, byteCount: 300_000)
            let (thrown, source, keys) = (throwing.error, job.source, job.credential)
            let error = await #expect(throws: CryptorError.self) {
                try await pool.verifyFile(at: source, with: keys) { _ in throw thrown }
            }
            #expect(error.map(throwing.isRight) == true, "\(thrown): \(String(describing: error))")
        }
    }
}
