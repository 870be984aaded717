import CryptorFormat
import Testing

/// Every way in which people ask which error this is compiles, and gives the same answer. `catch`
/// of any error is a pattern, as `if case` is.
@Suite struct ErrorSpellingTests {
    private typealias Row = (
        code: CryptorError.Code, equals: @Sendable (CryptorError) -> Bool,
        matches: @Sendable (any Error) -> Bool
    )

    private static let rows: [Row] = [
        (
            .invalidCredential, { $0 == .invalidCredential },
            { if case CryptorError.invalidCredential = $0 { true } else { false } }
        ),
        (
            .invalidMessageLength, { $0 == .invalidMessageLength },
            { if case CryptorError.invalidMessageLength = $0 { true } else { false } }
        ),
        (
            .unsupportedVersion, { $0 == .unsupportedVersion },
            { if case CryptorError.unsupportedVersion = $0 { true } else { false } }
        ),
        (
            .versionNotAccepted, { $0 == .versionNotAccepted },
            { if case CryptorError.versionNotAccepted = $0 { true } else { false } }
        ),
        (
            .credentialMismatch, { $0 == .credentialMismatch },
            { if case CryptorError.credentialMismatch = $0 { true } else { false } }
        ),
        (
            .looksBase64Encoded, { $0 == .looksBase64Encoded },
            { if case CryptorError.looksBase64Encoded = $0 { true } else { false } }
        ),
        (
            .notBase64, { $0 == .notBase64 },
            { if case CryptorError.notBase64 = $0 { true } else { false } }
        ),
        (
            .authenticationFailed, { $0 == .authenticationFailed },
            { if case CryptorError.authenticationFailed = $0 { true } else { false } }
        ),
        (
            .corruptPadding, { $0 == .corruptPadding },
            { if case CryptorError.corruptPadding = $0 { true } else { false } }
        ),
        (
            .messageTooLong, { $0 == .messageTooLong },
            { if case CryptorError.messageTooLong = $0 { true } else { false } }
        ),
        (
            .outputTooSmall, { $0 == .outputTooSmall },
            { if case CryptorError.outputTooSmall = $0 { true } else { false } }
        ),
        (
            .invalidRange, { $0 == .invalidRange },
            { if case CryptorError.invalidRange = $0 { true } else { false } }
        ),
        (
            .cryptoLibraryFailure, { $0 == .cryptoLibraryFailure },
            { if case CryptorError.cryptoLibraryFailure = $0 { true } else { false } }
        ),
        (
            .inputOutput, { $0 == .inputOutput },
            { if case CryptorError.inputOutput = $0 { true } else { false } }
        ),
        (
            .destinationExists, { $0 == .destinationExists },
            { if case CryptorError.destinationExists = $0 { true } else { false } }
        ),
        (
            .sameFile, { $0 == .sameFile },
            { if case CryptorError.sameFile = $0 { true } else { false } }
        ),
        (
            .invalidPath, { $0 == .invalidPath },
            { if case CryptorError.invalidPath = $0 { true } else { false } }
        ),
        (
            .overloaded, { $0 == .overloaded },
            { if case CryptorError.overloaded = $0 { true } else { false } }
        ),
        (
            .cancelled, { $0 == .cancelled },
            { if case CryptorError.cancelled = $0 { true } else { false } }
        ),
        (
            .invalidKeyring, { $0 == .invalidKeyring },
            { if case CryptorError.invalidKeyring = $0 { true } else { false } }
        ),
        (
            .callbackFailed, { $0 == .callbackFailed },
            { if case CryptorError.callbackFailed = $0 { true } else { false } }
        ),
        (
            .concurrentUse, { $0 == .concurrentUse },
            { if case CryptorError.concurrentUse = $0 { true } else { false } }
        ),
    ]

    @Test func everyCode() {
        #expect(Self.rows.map(\.code) == CryptorError.Code.allCases)
        for row in Self.rows {
            for code in CryptorError.Code.allCases {
                let error = CryptorError(code)
                #expect(row.equals(error) == (code == row.code), "\(code) == .\(row.code)")
                #expect(row.matches(error) == (code == row.code), "\(code), .\(row.code)")
            }
            #expect(!row.matches(CancellationError()), "\(row.code)")
        }
    }

    private func anyError() throws { throw CryptorError(.cancelled) }
    private func typedError() throws(CryptorError) { throw .cancelled }

    @Test func theyAreThrown() {
        #expect(throws: CryptorError.cancelled) { try anyError() }
        let result = Result<Void, CryptorError>.failure(.cancelled)
        if case .failure(.cancelled) = result {} else { Issue.record("\(result)") }
    }

    @Test func ofAnyError() {
        var found: [String] = []
        do { try anyError() } catch CryptorError.cancelled { found.append("error") } catch {}
        do { try anyError() } catch CryptorError.Code.cancelled { found.append("code") } catch {}
        do { try anyError() } catch CryptorError.overloaded, CryptorError.cancelled {
            found.append("list")
        } catch {}
        do { try anyError() } catch let error as CryptorError where error == .cancelled {
            found.append("where")
        } catch {}
        do { try anyError() } catch let error as CryptorError where error.code == .cancelled {
            found.append("code where")
        } catch {}
        #expect(found == ["error", "code", "list", "where", "code where"])
    }

    @Test func ofATypedError() {
        var found: [String] = []
        do { try typedError() } catch .cancelled { found.append("error") } catch {}
        do throws(CryptorError) { try typedError() } catch .overloaded, .cancelled {
            found.append("list")
        } catch {}
        do { try typedError() } catch CryptorError.cancelled { found.append("type") } catch {}
        do { try typedError() } catch CryptorError.Code.cancelled { found.append("code") } catch {}
        do { try typedError() } catch {
            if error == .cancelled, error != .overloaded { found.append("==") }
            if error.code == .cancelled { found.append("code ==") }
            if [.overloaded, .cancelled].contains(error) { found.append("contains") }
            if [.overloaded, .cancelled].contains(error.code) { found.append("code contains") }
            if CryptorError.Code.cancelled ~= error { found.append("~=") }
            switch error {
            case .cancelled: found.append("switch")
            default: break
            }
            switch error.code {
            case .cancelled: found.append("code switch")
            default: break
            }
            let optional: CryptorError? = error
            if optional == .cancelled { found.append("optional") }
            if optional?.code == .cancelled { found.append("code of optional") }
        }
        #expect(
            found == [
                "error", "list", "type", "code", "==", "code ==", "contains", "code contains", "~=",
                "switch", "code switch", "optional", "code of optional",
            ])
    }
}
