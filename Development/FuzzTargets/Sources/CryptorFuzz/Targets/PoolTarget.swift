@testable import CryptorFormat
import FoundationEssentials

/// A pool with several calls at a time, some of them cancelled: each gets what `Cryptor` gives, or `cancelled` if it
/// was, and nothing waits for the pool when all calls have ended.
func poolTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    // Only an input with a pool of its own starts and ends threads.
    let pool = choice & 0x1F == 0x1F ? newPool(choice >> 6) : pools[Int(choice >> 6)]
    var calls: [PoolCall] = []
    while calls.count < 8, !input.isEmpty { calls.append(try PoolCall(&input, number: calls.count)) }
    let work = calls
    try finished {
        await withTaskGroup(of: Void.self) { group in
            for call in work {
                group.addTask {
                    if call.cancellation == .before { cancelThisTask() }
                    let calling = Task { await call.run(on: pool) }
                    await withTaskCancellationHandler {
                        if call.cancellation == .during { cancelThisTask() }
                        await calling.value
                    } onCancel: {
                        calling.cancel()
                    }
                }
            }
        }
    }
    expect(pool.messages.count == 0 && pool.files.count == 0, "something still waits for the pool")
}

private let pools = (UInt8(0)..<4).map(newPool)

/// A pool of one thread or of two, which derives the keys of few messages together, or of several.
private func newPool(_ kind: UInt8) -> CryptorPool {
    CryptorPool(threadCount: Int(kind & 1) + 1, pairsAtATime: (Int(kind) + 1, Int(kind) + 1))
}

private struct PoolCall: Sendable {
    enum Kind: Int, CaseIterable {
        case encrypt, decrypt, encryptData, decryptData, files, damagedFile
    }

    enum Cancellation: Int, CaseIterable {
        case none, alsoNone, before, during
    }

    let kind: Kind
    let cancellation: Cancellation
    let plaintext: [UInt8]
    let message: [UInt8]
    let credential: Credential
    let number: Int
    /// For files: the number of the call of the progress handler that throws; 0 for none.
    let throwsAt: Int
    let takingAttributes: Bool
    let removingSource: Bool
    let isBase64: Bool

    init(_ input: inout FuzzInput, number: Int) throws {
        let choice = input.next()
        let size = input.next()
        self.number = number
        kind = Kind.allCases[Int(choice % 6)]
        cancellation = Cancellation.allCases[Int(choice >> 4) & 3]
        throwsAt = size & 7 == 7 ? Int(size >> 3) & 7 : 0
        takingAttributes = size & 8 != 0
        removingSource = size & 16 != 0
        isBase64 = size & 32 != 0
        let bytes = input.take(Int(size))
        // More bytes than a small message has for the pool.
        plaintext = choice & 0xC0 == 0xC0 ? bytes.repeated(toAtLeast: 70 * 1024) : bytes
        // The pool derives keys for few messages only.
        let isOfPassword = choice & 0x88 == 0x88 && size & 1 == 1
        let salts = isOfPassword ? Fixture.salts : nil
        let header = Header(salts: salts, iv: [UInt8](repeating: choice, count: FormatSize.iv))
        let (credential, keys) =
            isOfPassword ? Fixture.passwordCredentials[Int(choice >> 6) & 1] : (Fixture.credential, Fixture.keys)
        var message: [UInt8] = try Cryptor.encrypt(plaintext, header: header, keys: keys)
        if choice & 0x40 != 0, choice & 4 != 0 { message[Int(size) % message.count] ^= 1 << (choice & 7) }
        self.message = message
        self.credential = credential
    }

    func run(on pool: CryptorPool) async {
        do {
            switch kind {
            case .encrypt: try await check(pool.encrypt(plaintext, with: credential))
            case .encryptData: try await check(Array(pool.encrypt(Data(plaintext), with: credential)))
            case .decrypt:
                let message = message
                await check { () async throws(CryptorError) in try await pool.decrypt(message, with: credential) }
            case .decryptData:
                let message = Data(message)
                await check { () async throws(CryptorError) in
                    Array(try await pool.decrypt(message, with: credential))
                }
            case .files: try await throughFiles(pool)
            case .damagedFile: try await damagedFile(pool)
            }
        } catch let error as CryptorError {
            expect(error.code == .cancelled && mayBeCancelled, "\(kind): \(error)")
        } catch {
            fail("\(kind): \(error)")
        }
    }

    private var mayBeCancelled: Bool { cancellation == .before || cancellation == .during || throwsAt > 0 }

    private func check(_ written: [UInt8]) {
        Outcome.expectSame(.whole(written, credential, [.v3]), .plaintext(plaintext), "read again, written by a pool")
    }

    private func check(_ body: () async throws(CryptorError) -> [UInt8]) async {
        let result: Result<[UInt8], CryptorError>
        do throws(CryptorError) { result = .success(try await body()) } catch { result = .failure(error) }
        if case .failure(let error) = result, error.code == .cancelled, mayBeCancelled { return }
        Outcome.expectSame(Outcome(result), .whole(message, credential, [.v3, .v2]), "by a pool, whole")
    }

    private func name(_ word: String) -> String { "\(word)-\(number)" }

    private var progress: CryptorPool.ProgressHandler? {
        guard throwsAt > 0 else { return nil }
        let calls = Counter()
        return { [throwsAt] _ in if calls.next() == throwsAt { throw SystemFailure() } }
    }

    private func throughFiles(_ pool: CryptorPool) async throws {
        let path = { WorkingFolder.path(of: name($0)) }
        defer { for word in ["plain", "message", "again", "rekeyed"] { _ = removeFile(Array(path(word).utf8)) } }
        try WorkingFolder.write(plaintext, to: name("plain"))
        let (source, message) = (path("plain"), path("message"))
        try await nothingLeft(at: "message") {
            do {
                try await pool.encryptFile(
                    at: source, to: message, with: credential,
                    options: FileOptions(
                        takingAttributes: takingAttributes, removingSource: removingSource, base64: isBase64),
                    progress: progress)
            } catch {
                expect(WorkingFolder.read(name("plain")) == plaintext, "what failed removed its source")
                throw error
            }
        }
        let left = WorkingFolder.read(name("plain"))
        expect(left == (removingSource ? nil : plaintext), "the source is another than it should be")
        let count = try await pool.verifyFile(
            at: message, with: credential, options: FileOptions(base64: isBase64), progress: progress)
        expect(count == plaintext.count, "\(count) bytes verified of \(plaintext.count)")
        try await nothingLeft(at: "again") {
            try await pool.decryptFile(
                at: message, to: path("again"), with: credential,
                options: FileOptions(takingAttributes: takingAttributes, base64: isBase64), progress: progress)
        }
        expect(WorkingFolder.read(name("again")) == plaintext, "another plaintext came out of a pool's files")
        try await nothingLeft(at: "rekeyed") {
            try await pool.rekeyFile(
                at: message, to: path("rekeyed"), from: credential, into: Fixture.otherCredential,
                options: FileOptions(base64: isBase64), progress: progress)
        }
        var rekeyed = WorkingFolder.read(name("rekeyed")) ?? []
        if isBase64 { rekeyed = try Cryptor.message(fromBase64: rekeyed) }
        Outcome.expectSame(
            .whole(rekeyed, Fixture.otherCredential, [.v3]), .plaintext(plaintext), "rekeyed by a pool, written")
    }

    private func damagedFile(_ pool: CryptorPool) async throws {
        let (source, destination) = (WorkingFolder.path(of: name("damaged")), WorkingFolder.path(of: name("output")))
        defer { for path in [source, destination] { _ = removeFile(Array(path.utf8)) } }
        try WorkingFolder.write(message, to: name("damaged"))
        await check { () async throws(CryptorError) in
            try await pool.decryptFile(at: source, to: destination, with: credential, progress: progress)
            return WorkingFolder.read(name("output")) ?? []
        }
        if case .failure = Outcome.whole(message, credential, [.v3, .v2]) {
            expect(WorkingFolder.read(name("output")) == nil, "a refused message left a file")
        }
    }

    private func nothingLeft(at word: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            expect(WorkingFolder.read(name(word)) == nil, "what failed left the file \(word)")
            throw error
        }
    }
}
