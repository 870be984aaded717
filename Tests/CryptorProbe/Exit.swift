import CCryptorProbe
import CryptorAsync
import CryptorFormat
import Foundation

/// A program that exits while all kinds of work are under way on other threads, as a server does
/// that is told to stop.
enum Exit {
    /// - Parameters:
    ///   - order: who uses OpenSSL first. "host": the program, before the library does. "cleaning":
    ///     the program, which also has OpenSSL clean up as it exits. Anything else: the library.
    ///   - microseconds: when the program exits.
    static func run(_ order: String, after microseconds: Int) throws {
        if order != "library" { probe_use_openssl() }
        if order == "cleaning" { probe_clean_up_openssl_at_exit() }
        let pool = CryptorPool(threadCount: 4)
        let password = try Credential.password("correct horse battery staple")
        let keys = Credential.keys(try .random())
        let cryptor = try KeyedCryptor(password)
        let plaintext = [UInt8](repeating: 7, count: 2_000_000)
        let large = try Cryptor.encrypt(plaintext, with: keys)
        for _ in 0..<8 {
            Task.detached {
                while true {
                    _ = try await pool.decrypt(pool.encrypt([1], with: password), with: password)
                }
            }
        }
        Task.detached { while true { _ = try await pool.decrypt(large, with: keys) } }
        Task.detached {
            // Threads begin and end.
            while true { _ = try await CryptorPool(threadCount: 1).encrypt([1], with: password) }
        }
        Task.detached {
            while true { try await pool.encryptFile(at: "/dev/zero", to: "/dev/null", with: keys) }
        }
        Thread.detachNewThread {
            while true {
                _ = try? cryptor.decrypt(cryptor.encrypt([1, 2, 3]))
                _ = try? Cryptor.decrypt(Cryptor.encrypt(plaintext, with: keys), with: keys)
            }
        }
        usleep(UInt32(microseconds))
        exit(0)
    }
}
