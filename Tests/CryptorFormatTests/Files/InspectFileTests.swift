import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// What can be told about a message without its credential.
@Suite struct InspectFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func inspect(_ bytes: [UInt8], acceptingBase64: Bool = false) throws -> MessageInspection {
        try folder.write(bytes, to: "message")
        return try Cryptor.inspectFile(at: .path(folder.path("message")), options: FileOptions(base64: acceptingBase64))
    }

    @Test(arguments: [0, 1, 15, 16, 1000, 800_000])
    func messages(length: Int) throws {
        for credential in [try Credential.password("correct horse"), try FileJob.keys(1)] {
            let message = try Cryptor.encrypt(LongBytes.bytes(length), with: credential)
            let writer = try PipeWriter(message)
            let text = Base64Text.Spelling.linesOfCRLF.text(of: message)
            for (inspection, isBase64) in [
                (try inspect(message), false), (try inspect(message, acceptingBase64: true), false),
                (try Cryptor.inspectFile(at: writer.source), false),
                (try inspect(Array(text.utf8), acceptingBase64: true), true),
            ] {
                #expect(try inspection.header == Header(parsing: message))
                #expect(inspection.messageByteCount == message.count && inspection.shapeError == nil)
                #expect(inspection.isBase64 == isBase64)
                let start = length / 16 * 16
                #expect(inspection.plaintextByteCount == start...start + 15)
            }
        }
    }

    /// Version 0 does not say whether a password was used. For a message of 66 bytes or more, it may have been.
    @Test(arguments: [18, 49, 50, 65, 66, 100])
    func version0(byteCount: Int) throws {
        let message = [0, 0] + LongBytes.bytes(byteCount - 2)
        let inspection = try inspect(message)
        let keyHeader = Header(version: .v0UnauthenticatedHeader, salts: nil, iv: Array(message[2..<18]))
        if byteCount < 66 {
            #expect(inspection.header == keyHeader)
            #expect(inspection.headerIfKeys == nil)
            #expect(inspection.shapeError?.code == (byteCount < 50 ? .invalidMessageLength : nil))
            #expect(inspection.plaintextByteCount == (byteCount < 50 ? nil : byteCount - 50...byteCount - 50))
        } else {
            #expect(try inspection.header == Header(parsing: message))
            #expect(inspection.headerIfKeys == keyHeader)
            #expect(inspection.plaintextByteCount == byteCount - 66...byteCount - 50)
        }
        #expect(inspection.mayNeedShortenedPassword == (byteCount >= 66))
    }

    @Test(
        arguments: [
            ([], .invalidMessageLength), ([3, 1] + [UInt8](repeating: 0, count: 31), .invalidMessageLength),
            ([3, 2] + [UInt8](repeating: 0, count: 99), .unsupportedVersion),
            (Array("AwEAAA==".utf8), .looksBase64Encoded),
        ] as [([UInt8], CryptorError.Code)])
    func headers(bytes: [UInt8], expected: CryptorError.Code) throws {
        let error = #expect(throws: CryptorError.self) { try inspect(bytes) }
        #expect(error?.code == expected)
        #expect(error?.path == folder.path("message"))
    }
}
