import CryptorAsync
import CryptorFiles
import CryptorFormat
import Testing

@Suite struct GeneratedPasswordTests {
    private static let letters = Set("0123456789abcdefghjkmnpqrstvwxyz")

    private func passwords() throws -> [String] { try (0..<1000).map { _ in try Cryptor.generatePassword() } }

    @Test func sixGroupsOfFive() throws {
        for password in try passwords() {
            let groups = password.split(separator: "-", omittingEmptySubsequences: false)
            #expect(groups.map(\.count) == [5, 5, 5, 5, 5, 5], "\(password)")
            #expect(groups.joined().allSatisfy { Self.letters.contains($0) }, "\(password)")
        }
    }

    @Test func allAreDistinct() throws {
        #expect(Set(try passwords()).count == 1000)
    }

    /// Every letter occurs at every place. One is missing by chance once in 60 billion runs.
    @Test func everyLetterAtEveryPlace() throws {
        var seen = [Set<Character>](repeating: [], count: 30)
        for password in try passwords() {
            for (place, letter) in password.filter({ $0 != "-" }).enumerated() { seen[place].insert(letter) }
        }
        #expect(seen.allSatisfy { $0 == Self.letters }, "\(seen)")
    }

    @Test func opensWhatItClosed() throws {
        let password = try Cryptor.generatePassword()
        let message = try Cryptor.encrypt([1, 2, 3], with: try .password(password))
        #expect(try Cryptor.decrypt(message, with: try .password(password)) == [1, 2, 3])
    }
}
