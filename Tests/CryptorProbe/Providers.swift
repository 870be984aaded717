import CCryptorProbe
import CryptorFormat
import CryptorPrimitives
import Foundation

/// Uses the library with an OpenSSL that the program has set up in its own way, before or between
/// the calls. Prints what was seen.
enum Providers {
    private static let password = try? Credential.password("correct horse battery staple")

    static func run(_ name: String) throws {
        switch name {
        case "default": break
        case "other": try require(probe_load_other_provider(true))
        default: throw Probe.Failure(description: "no setup \(name)")
        }
        try useAll()
        let before = probe_other_derivations()
        try derive()
        print("derived: \(probe_other_derivations() - before), engine: \(PBKDF2.Engine.preferred)")
    }

    private static func require(_ isDone: Bool) throws {
        guard isDone else { throw Probe.Failure(description: "OpenSSL was not set up") }
    }

    private static func useAll() throws { try Operations(byteCount: 1000).performAll(number: 0) }

    /// Two keys.
    private static func derive() throws {
        guard let password else { throw Probe.Failure(description: "no password") }
        _ = try Cryptor.encrypt([1, 2, 3], with: password)
    }
}
