import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Files on a pool.
@Suite(.unlessItHangs) struct PoolFileTests {
    private let password: Credential
    private let keys: Credential
    private let folder: TemporaryFolder
    private let pool = CryptorPool(threadCount: 1)

    init() throws {
        password = try .password("correct horse battery staple")
        keys = try FileJob.keys(1)
        folder = try TemporaryFolder()
    }

    @Test func allOfTheFunctions() async throws {
        let plaintext = LongBytes.bytes(300_000)
        try folder.write(plaintext, to: "plain")
        let (plain, message) = (folder.path("plain"), folder.path("message"))
        let calls = Tally()
        try await pool.encryptFile(at: plain, to: message, with: keys) { _ in calls.add() }
        #expect(calls.count > 0)
        try await pool.rekeyFile(at: message, to: message, from: keys, into: password)
        #expect(try await pool.verifyFile(at: message, with: password) == plaintext.count)
        #expect(try await pool.inspectFile(at: message).header.usesPassword)
        try await pool.decryptFile(at: message, to: folder.path("copy"), with: password)
        #expect(firstDifference(try folder.read("copy"), plaintext) == nil)
        let text = folder.path("text")
        let options = FileOptions(overwriting: true, removingSource: true, base64: true)
        try await pool.encryptFile(at: folder.path("copy"), to: text, with: keys, options: options)
        #expect(try await pool.inspectFile(at: text, options: options).isBase64)
        #expect(try folder.names() == ["message", "plain", "text"])
    }

    /// Many files at once, with as many threads as files, and with fewer.
    @Test(arguments: [1, 3, 50])
    func manyFiles(threadCount: Int) async throws {
        let pool = CryptorPool(threadCount: threadCount)
        let names = (0..<50).map { "file \($0)" }
        for (index, name) in names.enumerated() { try folder.write(LongBytes.bytes(1000 * index), to: name) }
        let (password, path) = (password, folder.path)
        try await withThrowingTaskGroup { group in
            for name in names {
                group.addTask {
                    try await pool.encryptFile(at: "\(path)/\(name)", to: "\(path)/\(name).rnc", with: password)
                    try await pool.decryptFile(at: "\(path)/\(name).rnc", to: "\(path)/\(name).copy", with: password)
                }
            }
            try await group.waitForAll()
        }
        for (index, name) in names.enumerated() {
            #expect(try sameBytes(folder.read("\(name).copy"), LongBytes.bytes(1000 * index)), "\(name)")
        }
    }

    /// A task that is cancelled while its file waits ends at once, and nothing is opened.
    @Test func cancelledWhileItWaits() async throws {
        try folder.write([1, 2, 3], to: "plain")
        let blocker = await Blocker(occupying: pool.files)
        let (pool, source, destination, keys) = (pool, folder.path("plain"), folder.path("message"), keys)
        let task = Task { try await pool.encryptFile(at: source, to: destination, with: keys) }
        await until { pool.files.count == 1 }
        task.cancel()
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled && pool.files.count == 0)
        blocker.open()
        #expect(try folder.names() == ["plain"])
    }

    @Test func cancelledUnderWay() async throws {
        try folder.write(LongBytes.bytes(3 << 20), to: "plain")
        let (pool, source, destination, keys) = (pool, folder.path("plain"), folder.path("message"), keys)
        let (started, hasStarted) = (Tally(), DispatchSemaphore(value: 0))
        let task = Task {
            try await pool.encryptFile(at: source, to: destination, with: keys) { _ in
                started.add()
                if started.count == 1 { hasStarted.wait() }
            }
        }
        await until { started.count == 1 }
        task.cancel()
        hasStarted.signal()
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(try folder.names() == ["plain"])
    }

    /// Files are refused for nothing but what is wrong with them, however full the pool is.
    @Test func filesAlwaysWait() async throws {
        let pool = CryptorPool(threadCount: 1, maximumPendingCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        try folder.write([1, 2, 3], to: "plain")
        let (source, password, path) = (folder.path("plain"), password, folder.path)
        try await withThrowingTaskGroup { group in
            for number in 0..<10 {
                group.addTask { try await pool.encryptFile(at: source, to: "\(path)/\(number)", with: password) }
            }
            try await group.waitForAll()
        }
        blocker.open()
    }
}
