import CryptorAsync
import CryptorFiles
import CryptorFormat
import Testing

@Suite struct GeneratedPasswordTests {
    private static let letters = Set("0123456789abcdefghjkmnpqrstvwxyz")

    /// Six groups of five letters. Every letter occurs at every place: one is missing by chance once in 60 billion runs.
    @Test func passwords() throws {
        let passwords = try (0..<1000).map { _ in try Cryptor.generatePassword() }
        #expect(Set(passwords).count == 1000)
        var seen = [Set<Character>](repeating: [], count: 30)
        for password in passwords {
            let groups = password.split(separator: "-", omittingEmptySubsequences: false)
            try #require(groups.map(\.count) == [5, 5, 5, 5, 5, 5], "\(password)")
            for (place, letter) in groups.joined().enumerated() { seen[place].insert(letter) }
        }
        #expect(seen.allSatisfy { $0 == Self.letters }, "\(seen)")
        #expect(throws: Never.self) { try Credential.password(passwords[0]) }
    }
}
