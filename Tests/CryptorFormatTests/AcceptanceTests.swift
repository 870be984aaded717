import CryptorFormat
import Testing

@Suite struct AcceptanceTests {
    /// What is read, and how much is kept of it, where nothing else is said.
    @Test(arguments: [Acceptance.default, [.v3, .v2], Acceptance([.v3, .v2])])
    func whatIsReadUnlessSaidOtherwise(acceptance: Acceptance) {
        #expect(acceptance.versions == [.v3, .v2])
        #expect(!acceptance.shortenedPasswords)
        #expect(acceptance.heldBackByteLimit == 64 << 20)
        #expect(acceptance.spoolByteLimit == nil)
    }
}
