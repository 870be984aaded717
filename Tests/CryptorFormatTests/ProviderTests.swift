import CryptorTestSupport
import Testing

/// The library in a program that has set OpenSSL up in its own way. All kinds of messages and files
/// are right, whoever computes.
@Suite struct ProviderTests {
    private func lines(_ setup: String) throws -> [String] {
        // The lanes are used even if they were compiled without optimisation. The system's
        // configuration loads no provider.
        try ProbeProcess(
            ["providers", setup],
            environment: ["CRYPTORFORMAT_OPENSSL_KDF": "0", "OPENSSL_CONF": "/dev/null"]
        ).finish()
    }

    #if Lanes
    /// The package's own code derives keys only in place of OpenSSL's default provider. Whoever has
    /// loaded another one gets that one's code, even without default properties.
    @Test func lanesStandInForTheDefaultProviderAlone() throws {
        #expect(try lines("default") == ["derived: 0, engine: lanes"])
        #expect(try lines("other") == ["derived: 2, engine: openSSL"])
    }
    #endif

    /// A provider's HMAC contexts need not be copied.
    @Test func anHMACThatCannotBeCopied() throws {
        #expect(try lines("no-copies") == ["derived: 2, engine: openSSL"])
    }

    /// What OpenSSL could not find at the first call is looked for again at the next.
    @Test func aFirstCallThatFails() throws {
        #expect(try lines("late") == ["derived: 0, engine: openSSL"])
    }

    /// Algorithms come from the library context of the thread that needs them first. On other
    /// threads, OpenSSL then derives keys, too, by the provider of their own contexts.
    @Test func theFirstThreadDecides() throws {
        #expect(try lines("own-context") == ["derived: 0, engine: openSSL"])
    }
}
