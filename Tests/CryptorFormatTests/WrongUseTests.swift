import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A call that only a mistake in the library can make ends the process, and the text names the file that noticed it.
@Suite(.unlessItHangs) struct WrongUseTests {
    private static let salt = [UInt8](repeating: 1, count: 8)

    private func expectStop(
        by file: String, _ results: [ExitTest.Result?], at location: SourceLocation = #_sourceLocation
    ) {
        for (index, result) in results.enumerated() {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(
                text.contains("CryptorFormat/\(file).swift:"), "way \(index): \(text.prefix(300))",
                sourceLocation: location)
        }
    }

    @Test func headers() async {
        expectStop(
            by: "Header",
            [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = Header.Salts(encryption: [1, 2, 3, 4, 5, 6, 7], hmac: WrongUseTests.salt)
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = Header.Salts(encryption: WrongUseTests.salt, hmac: WrongUseTests.salt + [1])
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = Header(salts: nil, iv: WrongUseTests.salt)
                },
            ])
    }

    @Test func segments() async {
        let digests = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SegmentDigests(segmentByteCount: 17, key: SecretBytes([]), bytes: [])
        }
        expectStop(by: "SegmentDigests", [digests])
    }
}
