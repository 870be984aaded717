import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@Suite struct GMACAuthenticatorTests {
    private func code(
        of pieces: [[UInt8]], number: UInt64, _ authenticator: inout GMACAuthenticator
    ) throws -> [UInt8] {
        try authenticator.begin(number)
        for piece in pieces {
            try withRawSpan(of: piece) { piece in try authenticator.update(piece) }
        }
        return try authenticator.finish().plain
    }

    /// The code depends on the number, the key and every byte. An input that was begun and not finished leaves nothing
    /// behind.
    @Test func numberKeyAndEveryByteCount() throws {
        var generator = SeededGenerator()
        let key = SecretBytes(generator.bytes(32))
        let input = generator.bytes(100)
        var authenticator = try GMACAuthenticator(key: key)
        let expected = try code(of: [input], number: 1, &authenticator)
        var codes: Set = [expected]
        for number in [0, 2, 1 << 32, 1 << 56, UInt64.max] {
            codes.insert(try code(of: [input], number: number, &authenticator))
        }
        for index in input.indices {
            var other = input
            other[index] ^= 1
            codes.insert(try code(of: [other], number: 1, &authenticator))
        }
        codes.insert(try code(of: [input + [0]], number: 1, &authenticator))
        for cut in 0...100 {
            let pieces = [Array(input[..<cut]), Array(input[cut...])]
            #expect(try code(of: pieces, number: 1, &authenticator) == expected, "cut at \(cut), \(generator)")
        }
        var another = try GMACAuthenticator(key: SecretBytes(generator.bytes(32)))
        codes.insert(try code(of: [input], number: 1, &another))
        #expect(codes.count == 1 + 5 + 100 + 1 + 1, "\(generator)")
        try authenticator.begin(1)
        try withRawSpan(of: input) { input in try authenticator.update(input) }
        #expect(try code(of: [input], number: 1, &authenticator) == expected, "\(generator)")
    }
}
