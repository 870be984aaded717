#if os(Linux)
import CCryptorProbe
import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import Foundation

/// Lets each call of OpenSSL's functions, or each of its allocations, fail in turn, at the start, in the middle and at
/// the end of messages, chunks and files. Each failure must lead to an error that says so or to a right result, leave
/// no file behind, and the next work must be right.
///
/// Prints a line for each failure that led to something else, and then counts of errors and right results.
final class Faults {
    private enum Outcome { case right, error, wrong }

    private let name: String
    private let operations: Operations

    /// - Parameter name: an operation; "large" or "overlap" before it stands for large work in one thread or in two.
    init(_ name: String) throws {
        let words = name.split(separator: "-").map(String.init)
        self.name = words.last ?? name
        // This is more than the pieces that are worked on at a time, and more than work that gets no second thread.
        operations = try Operations(byteCount: words.count > 1 || name.hasSuffix("File") ? 1_200_000 : 300)
        if words.first == "overlap" { Cores.pretendToHaveMore() } else { Cryptor.usesSecondThread = false }
        // The first attempt sets up what a process sets up once.
        guard attempt() == .right else { throw Probe.Failure(description: "it fails by itself") }
    }

    private func attempt() -> Outcome { attempt { true }.outcome }

    /// Performs the operation. `end` is called after it and before its result is looked at.
    private func attempt<Result>(_ end: () -> Result) -> (outcome: Outcome, end: Result) {
        let result = Swift.Result { try operations.perform(name) }
        let end = end()
        switch result {
        case .success(let isRight): return ((try? isRight()) == true ? .right : .wrong, end)
        case .failure(let error):
            // A failure of the library must not be taken for a forged message.
            let code = (error as? CryptorError)?.code
            let files = (try? FileManager.default.contentsOfDirectory(atPath: operations.folder)) ?? []
            let isRight = code == .cryptoLibraryFailure || code?.description == "randomnessUnavailable"
            if isRight && Set(files) == ["plain", "message"] { return (.error, end) }
            print("wrong: \(error), \(files)")
            return (.wrong, end)
        }
    }

    // MARK: Calls

    private typealias Fail = @convention(c) (UnsafePointer<CChar>?, Int) -> Void
    private typealias Calls = @convention(c) () -> Int

    private static func function<Function>(_ name: String) throws -> Function {
        guard let symbol = dlsym(nil, name) else { throw Probe.Failure(description: "nothing stands before OpenSSL") }
        return unsafeBitCast(symbol, to: Function.self)
    }

    private static let functions = [
        "EVP_CIPHER_CTX_new", "EVP_CipherInit_ex2", "EVP_CIPHER_CTX_set_padding", "EVP_CipherUpdate",
        "EVP_CipherFinal_ex", "EVP_CIPHER_CTX_ctrl", "EVP_MAC_CTX_dup", "EVP_MAC_init", "EVP_MAC_update",
        "EVP_MAC_final", "PKCS5_PBKDF2_HMAC", "RAND_bytes", "RAND_priv_bytes", "EVP_RAND_reseed",
    ]

    /// `Tests/Interposers/evp.c` intercepts the calls.
    func failEachCall() throws {
        let fail: Fail = try Self.function("evp_fail")
        let (calls, reasons): (Calls, Calls) = (try Self.function("evp_calls"), try Self.function("evp_reasons"))
        // The interposer keeps the pointer to the name.
        let none = strdup("")
        for (function, name) in Self.functions.map({ ($0, strdup($0)) }) {
            var counts: [Outcome: Int] = [:]
            for number in 1... {
                fail(name, number)
                let (outcome, made) = attempt {
                    defer { fail(none, 0) }
                    return calls()
                }
                if made < number { break }
                counts[outcome, default: 0] += 1
                if outcome == .wrong { print("wrong: call \(number) of \(function)") }
            }
            if attempt() != .right { print("wrong: after calls of \(function) had failed") }
            print("counts \(function) \(counts[.error] ?? 0) \(counts[.right] ?? 0)")
            if reasons() > 0 { print("wrong: failures of \(function) leave reasons") }
        }
    }

    // MARK: Allocations

    /// Each allocation fails alone, and then together with all later ones.
    func failEachAllocation() throws {
        var counts: [Outcome: Int] = [:]
        for allAfter in [false, true] {
            for number in 1... {
                probe_fail_allocation(number, allAfter)
                let (outcome, made) = attempt {
                    defer { probe_fail_allocation(0, false) }
                    return probe_allocations()
                }
                if made < number {
                    guard outcome == .right else { throw Probe.Failure(description: "it fails by itself") }
                    break
                }
                counts[outcome, default: 0] += 1
                if outcome == .wrong { print("wrong: allocation \(number), all after: \(allAfter)") }
                // Deriving keys from a password takes long, so this case is checked only once, at the end.
                if !name.hasSuffix("Password"), attempt() != .right {
                    print("wrong: after allocation \(number) had failed, all after: \(allAfter)")
                }
            }
        }
        if attempt() != .right { print("wrong: after all") }
        print("counts \(counts[.error] ?? 0) \(counts[.right] ?? 0)")
    }
}
#endif
