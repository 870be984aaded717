import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The parts of a large chunk that a worker hashes where they are.
@Suite struct SharedPartTests {
    private static let mebibyte = 1 << 20

    /// Together they are the chunk, none is empty, and they are never much longer than 1 MiB. They shrink, but for what
    /// is added to the last one.
    @Test(arguments: [1, 65_535, 65_536, 131_071, 131_072, 4 << 20, (4 << 20) + 130_047, (64 << 20) + 17])
    func makeUpTheChunk(byteCount: Int) {
        var parts: [Int] = []
        var rest = byteCount
        while rest > 0 {
            let part = MessagePiece.sharedByteCount(ofRest: rest)
            guard (1...rest).contains(part), part < Self.mebibyte + 65_536 else {
                Issue.record("\(part) of \(rest) bytes, after \(parts)")
                return
            }
            parts.append(part)
            rest -= part
        }
        let shrinking = parts.dropLast()
        #expect(shrinking.elementsEqual(shrinking.sorted(by: >)), "\(parts)")
        #expect((parts.last ?? 0) < 131_072, "\(parts)")
    }
}
