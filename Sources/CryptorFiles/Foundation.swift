#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

public import CryptorFormat
import CryptorPrimitives

extension URL: FileLocation {
    /// The file, by the bytes of its path, which need not be UTF-8.
    /// - Throws: `invalidPath` unless it is the URL of a file.
    public var endpoint: FileEndpoint {
        get throws(CryptorError) {
            guard isFileURL, ["", "localhost"].contains(host(percentEncoded: true) ?? "") else {
                // Only the scheme is named, because the rest may hold a password.
                throw CryptorError(
                    .invalidPath,
                    "\(scheme.map { "A URL that begins with \($0):" } ?? "A relative URL") was given, and it names no file. "
                        + "Give one that begins with file:, or a path.")
            }
            return .pathBytes(Self.decoded(path(percentEncoded: true).utf8))
        }
    }

    /// Decodes percent-encoding (RFC 3986, section 2.1). `path(percentEncoded: false)` cannot return bytes that are not
    /// UTF-8.
    private static func decoded(_ text: some Sequence<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalValue,
                let low = rest.dropFirst().first?.hexadecimalValue
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}

extension VerifiedFile {
    /// Reads a part of the plaintext: see ``read(_:)``, which throws the same errors.
    @available(*, noasync, message: "It blocks the thread. In a task, use chunks(of:).")
    public func readData(_ range: Range<Int>) throws(CryptorError) -> Data {
        try Data(byteCapacity: try present(range).count) { (output) throws(CryptorError) in
            try read(range, into: &output)
        }
    }
}
#endif
