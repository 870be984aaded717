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

    /// A log can show which versions are accepted.
    @Test func isReadable() {
        #expect("\(Acceptance.default)".contains("[version 3, version 2]"))
        #expect("\([Acceptance([.v0UnauthenticatedHeader])])".contains("[version 0]"))
    }

    @Test func versionsCanBeChanged() {
        var acceptance = Acceptance([.v3])
        acceptance.versions.insert(.v1UnauthenticatedHeader)
        #expect(acceptance == [.v3, .v1UnauthenticatedHeader] && acceptance != [.v3])
        for versions in [[], Set(FormatVersion.allCases)] { #expect(Acceptance(versions).versions == versions) }
    }
}
