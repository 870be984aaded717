import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Unless the caller asks for more: no base64 text, no old versions, and a source stays and gives only its contents.
/// ``TakenDestinationTests`` covers overwriting.
@Suite struct FileDefaultTests {
    typealias Interface = TakenDestinationTests.Interface

    private enum Reading: CaseIterable { case decrypt, rekey, verify }

    @Test(arguments: FileTask.allCases, Interface.allCases)
    func theSourceStaysAndGivesItsContentsAlone(task: FileTask, interface: Interface) async throws {
        let job = try FileJob(task)
        let source = job.folder.path("source")
        let before: [FileAttributeKey: Any] = [
            .posixPermissions: 0o754, .modificationDate: Date(timeIntervalSince1970: 1e9),
        ]
        try FileManager.default.setAttributes(before, ofItemAtPath: source)
        let destination = job.folder.path("destination")
        try await interface.run(task, source, destination, job.credential, job.newCredential)
        #expect(try job.isSourceUntouched())
        #expect(try job.destinationFlaw() == nil)
        let mode = try job.folder.mode(of: "destination")
        #expect(mode == (try job.folder.modeOfNewFiles()), "\(String(mode, radix: 8))")
        let date = try FileManager.default.attributesOfItem(atPath: destination)[.modificationDate] as? Date
        #expect(date?.timeIntervalSince1970 != 1e9)
    }

    /// The error codes of all ways to read the file called `source`.
    private func codes(_ job: FileJob) async throws -> [CryptorError.Code?] {
        var codes: [CryptorError.Code?] = []
        for interface in Interface.allCases {
            for reading in Reading.allCases {
                let error = await #expect(throws: CryptorError.self, "\(interface), \(reading)") {
                    let source = job.folder.path("source")
                    switch reading {
                    case .verify: try await interface.verify(source, job.credential)
                    case .decrypt, .rekey:
                        try await interface.run(
                            reading == .rekey ? .rekey : .decrypt, source, job.folder.path("destination"),
                            job.credential, job.newCredential)
                    }
                }
                codes.append(error?.code)
            }
        }
        #expect(try job.folder.names() == ["source"])
        return codes
    }

    @Test func base64IsRefused() async throws {
        let job = try FileJob(.decrypt)
        try job.folder.write(Cryptor.base64Text(of: job.sourceBytes), to: "source")
        #expect(Set(try await codes(job)) == [.looksBase64Encoded])
    }

    @Test(arguments: [FormatVersion.v1UnauthenticatedHeader, .v0UnauthenticatedHeader])
    func oldVersionsAreRefused(version: FormatVersion) async throws {
        let job = try FileJob(.decrypt)
        guard case .keys(let keys) = job.credential.kind else { return }
        let header = Header(version: version, salts: nil, iv: [UInt8](repeating: 7, count: 16))
        let message: [UInt8] = try Cryptor.encrypt(
            job.plaintext, header: header, keys: keys)
        try job.folder.write(message, to: "source")
        #expect(Set(try await codes(job)) == [.versionNotAccepted])
    }

    /// Messages are written as text only on demand.
    @Test(arguments: Interface.allCases)
    func messagesAreBinary(interface: Interface) async throws {
        let job = try FileJob(.encrypt)
        try await interface.run(
            .encrypt, job.folder.path("source"), job.folder.path("destination"), job.credential, job.newCredential)
        #expect(try Header(parsing: job.folder.read("destination")).version == .v3)
    }
}

extension TakenDestinationTests.Interface {
    func verify(_ source: String, _ credential: Credential) async throws {
        guard self == .pool else { return try verifyHere(source, credential) }
        try await CryptorPool(threadCount: 1).verifyFile(at: source, with: credential)
    }

    private func verifyHere(_ source: String, _ credential: Credential) throws {
        switch self {
        case .string: try Cryptor.verifyFile(at: source, with: credential)
        case .endpoint: try Cryptor.verifyFile(at: FileEndpoint.path(source), with: credential)
        case .url: try Cryptor.verifyFile(at: URL(fileURLWithPath: source), with: credential)
        case .pool: break
        }
    }
}
