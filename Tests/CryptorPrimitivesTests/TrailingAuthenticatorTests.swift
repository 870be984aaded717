import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

/// The code is that of one update, however the bytes come and whichever thread hashes them.
@Suite(.unlessItHangs) struct TrailingAuthenticatorTests {
    /// How bytes can be added.
    private enum Way: CaseIterable {
        case here, copied, sharedHere, shared, followed, led
    }

    private static let key = SecretBytes(count: 32) { output in
        for byte in 0..<32 as Range<UInt8> { output.append(byte) }
    }

    private func code(_ bytes: [UInt8]) throws -> [UInt8] {
        var authenticator = try HMACAuthenticator(key: Self.key)
        try authenticator.update(bytes)
        return try authenticator.finish()
    }

    private func add(
        _ bytes: [UInt8], _ way: Way, to authenticator: inout TrailingAuthenticator, pieceByteCount: Int
    ) throws {
        switch way {
        case .here, .copied:
            try withRawSpan(of: bytes) { (bytes) throws(OpenSSLError) in
                try authenticator.update(bytes, besideCaller: way == .copied)
            }
        case .sharedHere, .shared:
            _ = try authenticator.update(bytes, besideCaller: way == .shared)
        case .followed:
            var offset = 0
            let written = try Array(byteCapacity: bytes.count) { (output) throws(OpenSSLError) in
                try authenticator.follow(&output) { (output) throws(OpenSSLError) in
                    let end = min(offset + pieceByteCount, bytes.count)
                    for byte in bytes[offset..<end] { output.append(byte) }
                    offset = end
                    return offset < bytes.count
                }
            }
            #expect(written == bytes)
        case .led:
            var read: [UInt8] = []
            try withRawSpan(of: bytes) { (bytes) throws(OpenSSLError) in
                try authenticator.lead(bytes) { (part) throws(OpenSSLError) in read.append(contentsOf: part) }
            }
            #expect(read == bytes)
        }
    }

    @Test(arguments: 0..<20)
    func anyMixture(round: Int) throws {
        var generator = SeededGenerator(seed: SeededGenerator.processSeed &+ UInt64(round))
        var authenticator = TrailingAuthenticator(try HMACAuthenticator(key: Self.key))
        var all: [UInt8] = []
        let ways = Way.allCases.filter { _ in Bool.random(using: &generator) }
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
            let bytes = generator.bytes(
                Int.random(in: 0...[16, 2000, 70_000, 300_000].randomElement(using: &generator)!, using: &generator))
            let way = (ways.isEmpty ? Way.allCases : ways).randomElement(using: &generator)!
            try add(bytes, way, to: &authenticator, pieceByteCount: Int.random(in: 1...100_000, using: &generator))
            all += bytes
        }
        let code = try Array(byteCapacity: 32) { (output) throws(OpenSSLError) in
            try authenticator.finish(into: &output)
        }
        #expect(code == (try self.code(all)), "\(all.count) bytes, \(generator)")
    }

}
