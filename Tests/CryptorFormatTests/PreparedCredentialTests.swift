import CryptorPrimitives
import Foundation
import TestSupport
import Testing

@testable import CryptorFormat

/// Keys that were derived in advance are used where they belong, once, and nowhere else.
@Suite struct PreparedCredentialTests {
    private let password: Credential

    init() throws {
        password = try .password("correct horse battery staple")
    }

    /// How many keys were derived for a result.
    private func counting<Result>(_ body: () throws -> Result) throws -> (derivations: Int, result: Result) {
        var result: Result?
        let derivations = try DerivationCounter.count { result = try body() }
        return (derivations, try #require(result))
    }

    private func derivations(_ body: () throws -> some Any) throws -> Int { try counting(body).derivations }

    // MARK: Messages to be written

    @Test func newMessagesTakeTheKeysOfOneEach() throws {
        let (preparing, prepared) = try counting { password.prepared(forNewMessages: 3) }
        #expect(preparing == 6)
        let job = try FileJob(.encrypt)
        var messages: [[UInt8]] = []
        let writing = try derivations {
            messages.append(try Cryptor.encrypt(job.plaintext, with: prepared))
            messages.append(try ChunkedEncryption(job.plaintext, with: prepared, .fixed(7)).message)
            try job.run(with: prepared)
            messages.append(try job.folder.read(FileJob.destinationName))
        }
        #expect(writing == 0)
        let (another, fourth) = try counting { try Cryptor.encrypt(job.plaintext, with: prepared) }
        #expect(another == 2)
        messages.append(fourth)

        let headers = try messages.map { try Header(parsing: $0) }
        let salts = try headers.flatMap { header in
            let salts = try #require(header.salts)
            return [salts.encryption, salts.hmac]
        }
        #expect(Set(salts).count == 8 && Set(headers.map(\.iv)).count == 4)
        for message in messages {
            #expect(try Cryptor.decrypt(message, with: password) == job.plaintext)
        }
    }

    /// Many threads: no two messages with the same salts.
    @Test func saltsAreGivenOnce() async throws {
        let prepared = password.prepared(forNewMessages: 40)
        let salts = try await withThrowingTaskGroup(of: [Header.Salts?].self) { group in
            for _ in 0..<4 { group.addTask { try (0..<10).map { _ in try prepared.freshHeader().salts } } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(salts).count == 40 && !salts.contains(nil))
        #expect(try derivations { try salts.map { try prepared.keys(for: header($0)) } } == 0)
        #expect(try derivations { try prepared.keys(for: prepared.freshHeader()) } == 2)
    }

    private func header(_ salts: Header.Salts?) -> Header {
        Header(salts: salts, iv: [UInt8](repeating: 0, count: 16))
    }

    // MARK: Messages to be read

    @Test func otherMessagesAreReadAsEver() throws {
        let messages = try [[1], [2]].map { try Cryptor.encrypt($0, with: password) }
        let prepared = password.prepared(for: [try Header(parsing: messages[0])])
        for (index, count) in [(0, 0), (1, 2)] {
            let (derivations, read) = try counting { try Cryptor.decrypt(messages[index], with: prepared) }
            #expect(read == [UInt8(index + 1)])
            #expect(derivations == count)
        }
        // One salt is that of a message whose keys are known, the other is not.
        let salts = try messages.map { try #require(try Header(parsing: $0).salts) }
        let mixed = header(Header.Salts(encryption: salts[0].encryption, hmac: salts[1].hmac))
        let message = try Cryptor.encrypt([3], with: password, header: mixed)
        #expect(try Cryptor.decrypt(message, with: prepared) == [3])
    }

    /// What a file is derived for is decided by what is in it.
    @Test func onlyMessagesOfASoundShape() throws {
        let folder = try TemporaryFolder()
        let plaintext = LongBytes.bytes(1000)
        let message = try Cryptor.encrypt(plaintext, with: password)
        let base64 = try Cryptor.encrypt(plaintext, with: password)
        try folder.write(message, to: "message")
        try folder.write(Array(Data(base64).base64EncodedData()), to: "base64")
        try folder.write(try Cryptor.encrypt(plaintext, with: try FileJob.keys(1)), to: "of keys")
        try folder.write(Array(message.dropLast()), to: "of a wrong length")
        try folder.write(Array(message.prefix(20)), to: "short")
        try folder.write([1] + Array(try Cryptor.encrypt(plaintext, with: password).dropFirst()), to: "of version 1")
        try folder.write(plaintext, to: "no message")
        try folder.write([], to: "empty")
        try folder.makeFolder("folder")
        // Whoever opened it would wait for its writer.
        try folder.makeFIFO("fifo")
        let names = try folder.names() + ["missing"]
        let sources = names.map { FileEndpoint.path(folder.path($0)) } + [.standardInput, .path("/dev/null")]

        let (preparing, prepared) = try counting { password.prepared(forMessagesAt: sources, acceptingBase64: true) }
        #expect(preparing == 4)
        let reading = try derivations {
            for name in ["message", "base64"] {
                let source = FileEndpoint.path(folder.path(name))
                let destination = FileEndpoint.path(folder.path("\(name) opened"))
                let byteCount = try Cryptor.verifyFile(at: source, with: prepared, acceptingBase64: true)
                #expect(byteCount == plaintext.count)
                try Cryptor.decryptFile(at: source, to: destination, with: prepared, acceptingBase64: true)
                #expect(try firstDifference(folder.read("\(name) opened"), plaintext) == nil)
            }
        }
        #expect(reading == 0)
        #expect(try derivations { password.prepared(forMessagesAt: sources) } == 2, "no base64")
        let all = Set(FormatVersion.allCases)
        let withVersion1 = try derivations { password.prepared(forMessagesAt: sources, accepting: all) }
        #expect(withVersion1 == 4)
        #expect(try derivations { password.prepared(forMessagesAt: []) } == 0)
    }

    /// A file that is replaced after the keys were prepared is read for what it is.
    @Test func aFileThatChanges() throws {
        let folder = try TemporaryFolder()
        try folder.write(try Cryptor.encrypt([1, 2, 3], with: password), to: "message")
        let source = FileEndpoint.path(folder.path("message"))
        let prepared = password.prepared(forMessagesAt: [source])
        try folder.write(try Cryptor.encrypt([4], with: password), to: "message")
        let (derivations, byteCount) = try counting { try Cryptor.verifyFile(at: source, with: prepared) }
        #expect(byteCount == 1 && derivations == 2)
        try folder.write(try Cryptor.encrypt([4], with: .password("another")), to: "message")
        let error = #expect(throws: CryptorError.self) { try Cryptor.verifyFile(at: source, with: prepared) }
        #expect(error?.code == .authenticationFailed)
    }

    // MARK: Secrets

    @Test func keysAreReturnedAsTheyAre() throws {
        let keys = try FileJob.keys(1)
        for prepared in [keys.prepared(forNewMessages: 3), keys.prepared(forMessagesAt: [.path("/dev/null")])] {
            #expect(prepared.prepared == nil && !prepared.isPassword)
        }
    }

    /// `SecretBytes` is cleansed when it goes, and it goes with the credential.
    @Test func keysGoWithTheCredential() throws {
        var prepared: Credential? = password.prepared(forNewMessages: 2)
        weak var encryptionKey: SecretBytes?
        weak var hmacKey: SecretBytes?
        do {
            let header = try #require(try prepared?.freshHeader())
            let keys = try #require(try prepared?.keys(for: header))
            (encryptionKey, hmacKey) = (keys.encryptionKey, keys.hmacKey)
        }
        #expect(encryptionKey != nil && hmacKey != nil)
        prepared = nil
        #expect(encryptionKey == nil && hmacKey == nil)
    }

    @Test func nothingIsPrinted() throws {
        let prepared = password.prepared(forNewMessages: 1)
        var dumped = ""
        dump(prepared, to: &dumped)
        #expect("\(prepared)" == "Credential(password)" && !dumped.contains("Prepared"), "\(dumped)")
    }
}
