import CryptorAsync
import CryptorFiles
import CryptorFormat
import Testing

@Suite struct AcceptanceTests {
    /// The versions and limits that apply unless the caller says otherwise.
    @Test(arguments: [Acceptance.default, [.v3, .v2], Acceptance([.v3, .v2])])
    func whatIsReadUnlessSaidOtherwise(acceptance: Acceptance) {
        #expect(acceptance.versions == [.v3, .v2])
        #expect(!acceptance.shortenedPasswords)
        #expect(acceptance.spoolByteLimit == nil)
    }

    @Test func versionsAreThoseThatWereGiven() {
        #expect(Acceptance([.v3, .v1UnauthenticatedHeader]) == [.v3, .v1UnauthenticatedHeader])
        for versions in [[], Set(FormatVersion.allCases)] { #expect(Acceptance(versions).versions == versions) }
    }
}
