@testable import CryptorFormat
import FoundationEssentials

/// The file functions among files, links and folders of a few names, in any order, with any options: a destination
/// appears complete or not at all, nothing else changes, and nothing is left behind.
func folderTarget(_ input: consuming FuzzInput) throws {
    WorkingFolder.clear()
    for _ in 0..<10 where !input.isEmpty {
        let choice = input.next()
        let names = input.next()
        let (first, second) = (name(names), name(names >> 4))
        switch choice & 15 {
        case 0:
            let bytes = input.take(Int(input.next()))
            // Only longer files report progress.
            try? WorkingFolder.write(choice & 0x30 == 0x30 ? bytes.repeated(toAtLeast: 70 * 1024) : bytes, to: first)
        case 1, 2:
            let header = Header(
                version: Fixture.version(choice >> 4), salts: nil, iv: Fixture.field(&input, FormatSize.iv))
            let short = input.take(Int(input.next()))
            let plaintext = choice & 0x80 == 0 ? short : short.repeated(toAtLeast: 70 * 1024)
            let message = try Cryptor.encrypt(plaintext, with: Fixture.credential, header: header)
            try? WorkingFolder.write(choice & 0x40 == 0 ? message : Cryptor.base64Text(of: message), to: first)
        case 3: change(choice >> 4, first, second)
        default: try FileStep(choice, &input, from: first, to: second).run()
        }
    }
    for name in FolderContent().entries.keys { chmod(WorkingFolder.path(of: name), 0o700) }
}

private func name(_ choice: UInt8) -> String { ["a", "b", "c", "d"][Int(choice & 3)] }

/// Changes the folder as another program might. A change that fails is left out.
private func change(_ choice: UInt8, _ first: String, _ second: String) {
    let (from, to) = (WorkingFolder.path(of: first), WorkingFolder.path(of: second))
    switch choice & 7 {
    case 0, 1: symlink(first, to)
    case 2, 3: link(from, to)
    case 4: mkdir(to, 0o700)
    case 5: chmod(from, choice & 8 == 0 ? 0o640 : 0o4600)
    case 6: symlink("nowhere", to)
    default: if unlink(from) != 0 { rmdir(from) }
    }
}

private struct FileStep {
    enum Kind: Int, CaseIterable {
        case encrypt, decrypt, rekey, verify, inspect, receive
        case encryptURL, decryptURL, rekeyURL, verifyURL, encryptPaths, open
    }

    private let kind: Kind
    private let source: String
    private let destination: String
    private let accepting: Acceptance
    private let overwriting: Bool
    private let takingAttributes: Bool
    private let removingSource: Bool
    private let isBase64: Bool
    private let usesAnonymousFiles: Bool
    private let throwsAt: Int
    private let calls = Counter()

    init(_ choice: UInt8, _ input: inout FuzzInput, from source: String, to destination: String) {
        let flags = input.next()
        kind = Kind.allCases[Int(choice & 15) - 4]
        self.source = source
        self.destination = destination
        accepting = Fixture.versions(choice >> 4)
        overwriting = flags & 1 != 0
        takingAttributes = flags & 2 != 0
        removingSource = flags & 4 != 0
        isBase64 = flags & 8 != 0
        usesAnonymousFiles = flags & 32 == 0
        throwsAt = flags & 0xC0 == 0xC0 ? Int(input.next() & 7) : 0
    }

    private var from: FileEndpoint { .path(WorkingFolder.path(of: source)) }
    private var to: FileEndpoint { .pathBytes(Array(WorkingFolder.path(of: destination).utf8)) }
    private var urls: (from: URL, to: URL) {
        (URL(filePath: WorkingFolder.path(of: source)), URL(filePath: WorkingFolder.path(of: destination)))
    }
    private var paths: (from: String, to: String) {
        (WorkingFolder.path(of: source), WorkingFolder.path(of: destination))
    }

    private func progress(_ state: FileProgress) throws {
        expect(state.totalBytes.map { state.bytesDone <= $0 } ?? true, "\(state)")
        if calls.next() == throwsAt { throw SystemFailure() }
    }

    func run() throws {
        let before = FolderContent()
        let input = before.bytes(of: source)
        let failure: CryptorError?
        do throws(CryptorError) {
            try TemporaryFile.$usesAnonymousFiles.withValue(usesAnonymousFiles) {
                Result { () throws(CryptorError) in try call(before, input) }
            }.get()
            failure = nil
        } catch {
            _ = Outcome(error)
            failure = error
        }
        let after = FolderContent()
        if let failure, !failure.isPublished {
            expect(after == before, "\(kind): \(failure): the folder is another than before")
            return
        }
        switch kind {
        case .verify, .verifyURL, .inspect, .receive, .open: expect(after == before, "\(kind): the folder is another")
        default: try expectPublished(before, after, input, failure)
        }
    }

    private func call(_ before: FolderContent, _ input: [UInt8]?) throws(CryptorError) {
        switch kind {
        case .encrypt:
            try Cryptor.encryptFile(
                at: from, to: to, with: Fixture.credential,
                options: FileOptions(
                    overwriting: overwriting, takingAttributes: takingAttributes, removingSource: removingSource,
                    base64: isBase64), progress: progress)
        case .decrypt:
            try Cryptor.decryptFile(
                at: from, to: to, with: Fixture.credential, accepting: accepting,
                options: FileOptions(
                    overwriting: overwriting, takingAttributes: takingAttributes, removingSource: removingSource,
                    base64: isBase64), progress: progress)
        case .rekey:
            try Cryptor.rekeyFile(
                at: from, to: to, from: Fixture.credential, into: Fixture.otherCredential, accepting: accepting,
                options: FileOptions(overwriting: overwriting, base64: isBase64), progress: progress)
        case .encryptURL:
            try Cryptor.encryptFile(
                at: urls.from, to: urls.to, with: Fixture.credential, options: FileOptions(overwriting: overwriting),
                progress: progress)
        case .decryptURL:
            try Cryptor.decryptFile(
                at: urls.from, to: urls.to, with: Fixture.credential, accepting: accepting,
                options: FileOptions(overwriting: overwriting),
                progress: progress)
        case .rekeyURL:
            try Cryptor.rekeyFile(
                at: urls.from, to: urls.to, from: Fixture.credential, into: Fixture.otherCredential,
                accepting: accepting, options: FileOptions(overwriting: overwriting), progress: progress)
        case .encryptPaths:
            try Cryptor.encryptFile(
                at: paths.from, to: paths.to, with: Fixture.credential, options: FileOptions(overwriting: overwriting),
                progress: progress)
        case .verify, .verifyURL:
            let count =
                kind == .verify
                ? try Cryptor.verifyFile(
                    at: from, with: Fixture.credential, accepting: accepting, options: FileOptions(base64: isBase64),
                    progress: progress)
                : try Cryptor.verifyFile(
                    at: urls.from, with: Fixture.credential, accepting: accepting, progress: progress)
            expect(plaintext(of: input)?.count == count, "\(count) bytes verified")
        case .inspect:
            let inspection = try Cryptor.inspectFile(
                at: from, options: FileOptions(base64: isBase64), progress: progress)
            guard let message = message(input), !inspection.header.usesPassword else { return }
            expect(inspection.messageByteCount == message.count, "\(inspection.messageByteCount) of \(message.count)")
            guard case .plaintext(let plaintext) = whole(message) else { return }
            let isPossible = inspection.plaintextByteCount?.contains(plaintext.count) == true
            expect(isPossible, "\(inspection), \(plaintext.count)")
            expect(!inspection.mayNeedShortenedPassword, "keys are not shortened")
        case .receive:
            var received: [UInt8] = []
            try Cryptor.decryptFile(
                at: from, with: Fixture.credential, accepting: accepting, options: FileOptions(base64: isBase64),
                progress: progress
            ) { bytes in
                received += bytes
                expect(plaintext(of: input)?.starts(with: received) == true, "bytes that are no verified plaintext")
                if throwsAt == 7 { throw SystemFailure() }
            }
            expect(plaintext(of: input) == received, "other bytes were received")
        case .open:
            let verified = try VerifiedFile(
                at: from, with: Fixture.credential, accepting: accepting, progress: progress)
            expect(try verified.read(0..<Int.max) == plaintext(of: input), "other bytes were read")
        }
    }

    /// The message in a file, decoded.
    private func message(_ input: [UInt8]?) -> [UInt8]? {
        guard let input else { return nil }
        guard HeaderReader.isBase64Text(input) else { return input }
        return try? Cryptor.message(fromBase64: input)
    }

    private func whole(_ message: [UInt8]) -> Outcome {
        .whole(message, Fixture.credential, accepting)
    }

    private func plaintext(of input: [UInt8]?) -> [UInt8]? {
        guard let message = message(input), case .plaintext(let plaintext) = whole(message) else { return nil }
        return plaintext
    }

    /// Checks that the destination, or what its links lead to, is what it should be, and that nothing else has changed.
    private func expectPublished(
        _ before: FolderContent, _ after: FolderContent, _ input: [UInt8]?, _ failure: CryptorError?
    ) throws {
        guard let end = before.end(of: destination), let input, let output = after.bytes(of: destination) else {
            fail("\(kind): it says that it wrote a file, and there is none")
        }
        var expected = before.entries
        expected[end] = after.entries[end]
        if removingSource, failure == nil, kind == .encrypt || kind == .decrypt { expected[source] = nil }
        expect(after.entries == expected, "\(kind): more has changed than the destination")
        expect(overwriting || before.entries[end] == nil || isReplacement(before, end), "\(kind): it wrote over a file")
        let decoded = message(output) ?? []
        switch kind {
        case .encrypt, .encryptURL, .encryptPaths:
            Outcome.expectSame(whole(decoded, Fixture.credential), .plaintext(input), "read again, written")
        case .decrypt, .decryptURL:
            expect(plaintext(of: input) == output, "another plaintext than that of the whole message")
        default:
            guard let plaintext = plaintext(of: input) else { fail("\(kind): it was refused as a whole") }
            Outcome.expectSame(
                whole(decoded, Fixture.otherCredential), .plaintext(plaintext), "rekeyed, before")
        }
    }

    private func whole(_ message: [UInt8], _ credential: Credential) -> Outcome { .whole(message, credential, [.v3]) }

    /// Whether the result replaces its own source.
    private func isReplacement(_ before: FolderContent, _ end: String) -> Bool {
        (kind == .rekey || kind == .rekeyURL) && before.end(of: source) == end
    }
}
