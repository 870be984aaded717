import CCryptorProbe
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import Dispatch
import Foundation

/// Uses the library with an OpenSSL that the program has set up in its own way, before or between
/// the calls. Prints what was seen.
enum Providers {
    static func run(_ name: String) throws {
        switch name {
        case "default": break
        case "other": try require(probe_load_other_provider(true))
        case "no-copies": try require(probe_load_other_provider(false))
        case "late":
            // Nothing is found at first, as if there were no memory.
            try require(probe_set_default_properties("provider=none"))
            for _ in 0..<2 { try refuseForged(with: .cryptoLibraryFailure) }
            try require(probe_set_default_properties(""))
            try refuseForged(with: .authenticationFailed)
        case "own-context":
            // The first thread has a library context of its own, with another provider in it.
            let isSet = onAnotherThread {
                probe_use_own_library_context() && probe_load_other_provider(true)
                    && (try? useAll()) != nil
            }
            try require(isSet == true)
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

    private static func onAnotherThread<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) -> Result? {
        let result = Lock<Result?>(nil)
        let end = DispatchSemaphore(value: 0)
        Thread {
            let own = body()
            result.withLock { $0 = own }
            end.signal()
        }.start()
        end.wait()
        return result.withLock { $0 }
    }

    /// Decrypts messages of zeros under keys, under a password, and of version 0.
    private static func refuseForged(with code: CryptorError.Code) throws {
        let zeros = [UInt8](repeating: 0, count: 100)
        let keys = Credential.keys(
            try MessageKeys(encryptionKey: zeros.prefix(32), hmacKey: zeros.prefix(32)))
        let password = try Credential.password("correct horse battery staple")
        let works: [() throws -> [UInt8]] = [
            { try Cryptor.decrypt([3, 0] + zeros.prefix(64), with: keys) },
            { try Cryptor.decrypt([3, 1] + zeros.prefix(80), with: password) },
            { try Cryptor.decryptVersion0([0, 0] + zeros.prefix(64), with: keys) },
        ]
        for (number, work) in works.enumerated() {
            do {
                _ = try work()
                print("\(number): nothing failed")
            } catch {
                let found = (error as? CryptorError)?.code
                if found != code { print("\(number): \(error), not \(code)") }
            }
        }
    }

    private static func useAll() throws { try Operations(byteCount: 1000).performAll(number: 0) }

    /// Two keys.
    private static func derive() throws {
        _ = try Cryptor.encrypt([1, 2, 3], with: .password("correct horse battery staple"))
    }
}
