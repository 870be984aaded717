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

    @Test(arguments: FileRoundTripTests.lengths)
    func messages(length: Int) throws {
        for credential in try FileRoundTripTests.credentials() {
            let message = try Cryptor.encrypt(LongBytes.bytes(length), with: credential)
            let writer = try PipeWriter(message)
            let pipe = FileEndpoint.descriptor(try #require(writer.readEnd))
            let inspections = [
                try inspect(message), try inspect(message, acceptingBase64: true),
                try Cryptor.inspectFile(at: pipe),
            ]
            for inspection in inspections {
                #expect(try inspection.header == Header(parsing: message))
                #expect(inspection.messageByteCount == message.count)
                #expect(!inspection.isBase64)
                #expect(inspection.shapeError == nil)
                let start = length / 16 * 16
                #expect(inspection.plaintextByteCount == start...start + 15)
            }
        }
    }

    @Test(arguments: [0, 1, 1000, 800_000])
    func base64(length: Int) throws {
        let message = try Cryptor.encrypt(LongBytes.bytes(length), with: try FileJob.keys(1))
        let text = [UInt8](Data(message).base64EncodedData(options: .lineLength76Characters))
        let inspection = try inspect(text, acceptingBase64: true)
        #expect(try inspection.header == Header(parsing: message))
        #expect(inspection.messageByteCount == message.count)
        #expect(inspection.isBase64)
        #expect(inspection.shapeError == nil)
        let error = #expect(throws: CryptorError.self) { try inspect(text) }
        // The text is recognised in spite of its carriage return.
        #expect(error?.code == .looksBase64Encoded)
        #expect(error?.path == folder.path("message"))
    }

    /// Version 0 does not say whether a password was used. For a message of 66 bytes or more, it may have been.
    @Test(arguments: [18, 33, 49, 50, 51, 65, 66, 67, 100])
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

    @Test(arguments: [18, 19, 33, 65, 67, 81, 83, 100])
    func malformedShapes(byteCount: Int) throws {
        let message = try Cryptor.encrypt([UInt8](repeating: 7, count: 200), with: try FileJob.keys(1))
        let inspection = try inspect(Array(message.prefix(byteCount)))
        #expect(inspection.messageByteCount == byteCount)
        #expect(inspection.plaintextByteCount == nil)
        #expect(inspection.shapeError?.code == (.invalidMessageLength))
        #expect(inspection.header.iv == Array(message[2..<18]))
    }

    @Test(
        arguments: [
            ([], .invalidMessageLength), ([3], .invalidMessageLength),
            ([3, 0] + [UInt8](repeating: 0, count: 15), .invalidMessageLength),
            ([3, 1] + [UInt8](repeating: 0, count: 31), .invalidMessageLength),
            ([7] + [UInt8](repeating: 0, count: 99), .unsupportedVersion),
            (Array("RNC\u{4}".utf8), .unsupportedVersion),
            ([3, 2] + [UInt8](repeating: 0, count: 99), .unsupportedVersion),
            (Array("AwEAAA==".utf8), .looksBase64Encoded), (Array("A file of text.".utf8), .unsupportedVersion),
        ] as [([UInt8], CryptorError.Code)])
    func headers(bytes: [UInt8], expected: CryptorError.Code) throws {
        let error = #expect(throws: CryptorError.self) { try inspect(bytes) }
        #expect(error?.code == expected)
        #expect(error?.path == folder.path("message"))
    }

    /// A file is not read to its end: a file of 100 GiB is inspected at once.
    @Test func aHugeFile() throws {
        let message = try Cryptor.encrypt([], with: try FileJob.keys(1))
        try folder.write(message, to: "message")
        let byteCount = 100 << 30 | 2
        try folder.truncate("message", to: byteCount)
        let inspection = try Cryptor.inspectFile(at: .path(folder.path("message")))
        #expect(inspection.messageByteCount == byteCount)
        #expect(inspection.shapeError == nil)
    }
}
