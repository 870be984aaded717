import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Headers and inspections, kept as JSON.
@Suite struct InspectionCodingTests {
    private func decoded<Value: Decodable>(_ json: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test(arguments: try VectorFolder.readable())
    func comesBack(_ vector: ReadableVector) throws {
        let folder = try TemporaryFolder()
        try folder.write(vector.message, to: "message")
        let inspection = try Cryptor.inspectFile(at: folder.path("message"))
        let header = try decoded(try json(inspection.header), as: Header.self)
        #expect(header == inspection.header, "\(vector)")
        #expect(header.bytes == Array(vector.message.prefix(header.byteCount)), "\(vector)")
        let again = try decoded(try json(inspection), as: MessageInspection.self)
        #expect(again == inspection, "\(vector)")
        #expect(again.plaintextByteCount == inspection.plaintextByteCount, "\(vector)")
        #expect(again.shapeError == inspection.shapeError, "\(vector)")
    }

    @Test func looksLikeThis() throws {
        let header = Header(salts: nil, iv: Array(0..<16))
        #expect(try json(header) == #""0300000102030405060708090a0b0c0d0e0f""#)
        let inspection = MessageInspection(header: header, headerIfKeys: nil, messageByteCount: 7, isBase64: true)
        let text = #"{"header":"0300000102030405060708090a0b0c0d0e0f","isBase64":true,"messageByteCount":7}"#
        #expect(try json(inspection) == text)
        #expect(try decoded(text, as: MessageInspection.self).shapeError?.code == .invalidMessageLength)
    }

    @Test(arguments: [
        "", "0", "03", "zz00000102030405060708090a0b0c0d0e0f", "0300000102030405060708090a0b0c0d0e0f00",
        "0500000102030405060708090a0b0c0d0e0f", "0302000102030405060708090a0b0c0d0e0f",
        "0301000102030405060708090a0b0c0d0e0f", "+300000102030405060708090a0b0c0d0e0f",
        "٠٣00000102030405060708090a0b0c0d0e0f",
    ])
    func whatIsNoHeaderIsRefused(text: String) {
        #expect(throws: DecodingError.self) { try decoded("\"\(text)\"", as: Header.self) }
    }

    /// Two headers that no message can have are refused: they could give a range that ends before it begins.
    @Test func headersOfTwoMessages() throws {
        let keys = "000000000000000000000000000000000000"
        let password = keys + "00000000000000000000000000000000"
        let other = "000000000000000000000000000000000001"
        let new = "030000000000000000000000000000000000"
        func inspection(_ header: String, _ ifKeys: String) throws -> MessageInspection {
            try decoded(
                #"{"header":"\#(header)","headerIfKeys":"\#(ifKeys)","isBase64":false,"messageByteCount":100}"#)
        }
        #expect(try inspection(password, keys).plaintextByteCount == 34...50)
        for (header, ifKeys) in [(keys, password), (keys, keys), (password, other), (password, new), (new, keys)] {
            #expect(throws: DecodingError.self) { try inspection(header, ifKeys) }
        }
    }

    @Test(arguments: [Int.min, -1, 0, 49, Int.max])
    func lengthsFromOutside(byteCount: Int) throws {
        let inspection: MessageInspection = try decoded(
            #"{"header":"030000000000000000000000000000000000","isBase64":false,"messageByteCount":\#(byteCount)}"#)
        #expect(inspection.plaintextByteCount == nil, "a shape that no message has")
    }
}
