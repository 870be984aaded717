#if os(Linux)
import CCryptorProbe
import CryptorFiles
import CryptorPrimitives
import CryptorSystem
import Foundation

/// Lets each call of OpenSSL's functions, or each of its allocations, fail in turn, at the start,
/// in the middle and at the end of messages, chunks and files. Each failure must lead to an error
/// that says so or to a right result, leave no file behind, and the next work must be right.
///
/// Prints a line for each failure that led to something else, and then counts of errors and right
/// results.
final class Faults {
    private enum Outcome { case right, error, wrong }

    private let name: String
    private let operations: Operations
    /// What the sentence of each error must contain.
    private var quoted = "OpenSSL failed"

    /// - Parameter name: an operation; "large" or "overlap" before it stands for large work in one
    ///   thread or in two.
    init(_ name: String) throws {
        let words = name.split(separator: "-").map(String.init)
        self.name = words.last ?? name
        // This is more than the pieces that are worked on at a time, and more than work that gets
        // no second thread.
        operations = try Operations(
            byteCount: words.count > 1 || name.hasSuffix("File") ? 1_200_000 : 300)
        if words.first == "overlap" {
            Cores.pretendToHaveMore()
        } else {
            Cryptor.usesSecondThread = false
        }
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
            let files =
                (try? FileManager.default.contentsOfDirectory(atPath: operations.directory)) ?? []
            let isRight =
                code == .cryptoLibraryFailure || code?.description == "randomnessUnavailable"
            if isRight, Set(files) == ["plain", "message"], "\(error)".contains(quoted) {
                return (.error, end)
            }
            print("wrong: \(error), \(files)")
            return (.wrong, end)
        }
    }

    /// Lets each call fail in turn, of which the first attempt without a failure makes fewer.
    private func failEach(
        _ what: String, fail: (_ number: Int) -> Void, made: () -> Int,
        checkingAfterEach: Bool = false
    ) {
        var counts: [Outcome: Int] = [:]
        for number in 1... {
            fail(number)
            let (outcome, count) = attempt {
                defer { fail(0) }
                return made()
            }
            if count < number {
                if outcome != .right { print("wrong: \(what), none failed") }
                break
            }
            counts[outcome, default: 0] += 1
            if outcome == .wrong { print("wrong: number \(number), \(what)") }
            if checkingAfterEach, attempt() != .right {
                print("wrong: after number \(number), \(what)")
            }
        }
        if attempt() != .right { print("wrong: after all, \(what)") }
        print("counts \(what) \(counts[.error] ?? 0) \(counts[.right] ?? 0)")
    }

    private static func function<Function>(_ name: String) throws -> Function {
        guard let symbol = dlsym(nil, name) else {
            throw Probe.Failure(description: "nothing stands before OpenSSL")
        }
        return unsafeBitCast(symbol, to: Function.self)
    }

    private static let functions = [
        "EVP_CIPHER_CTX_new", "EVP_CipherInit_ex2", "EVP_CIPHER_CTX_set_padding",
        "EVP_CipherUpdate",
        "EVP_CipherFinal_ex", "EVP_CIPHER_CTX_ctrl", "EVP_MAC_CTX_dup", "EVP_MAC_init",
        "EVP_MAC_update",
        "EVP_MAC_final", "EVP_Q_mac", "PKCS5_PBKDF2_HMAC", "RAND_bytes", "RAND_priv_bytes",
        "EVP_RAND_reseed",
    ]

    /// `Tests/Interposers/evp.c` intercepts the calls.
    func failEachCall() throws {
        typealias Fail = @convention(c) (UnsafePointer<CChar>?, Int, Bool) -> Void
        let fail: Fail = try Self.function("evp_fail")
        let calls: @convention(c) () -> Int = try Self.function("evp_calls")
        let plant: @convention(c) () -> Void = try Self.function("evp_plant")
        let isPlanted: @convention(c) (Bool) -> Bool = try Self.function("evp_is_planted")
        let reasons: @convention(c) () -> Int = try Self.function("evp_reasons")
        let newContext = strdup("EVP_CIPHER_CTX_new")
        // Short messages use contexts that are ready, and set no mark.
        let isReady = name.hasPrefix("keyed")
        for function in Self.functions {
            // The interposer keeps the pointer to the name.
            let name = strdup(function)
            let isUnmarked =
                switch self.name {
                case "keyedEncrypt", "keyedDecrypt": function != "RAND_bytes"
                case "newKeyed":
                    ["EVP_CipherUpdate", "EVP_MAC_update", "EVP_MAC_final"].contains(function)
                default: false
                }
            for (givesReason, hasPlanted) in [(true, false), (true, true), (false, true)] {
                // Reasons of the program's are never quoted.
                quoted = givesReason && !isUnmarked ? "internal error" : " failed."
                var failing = 0
                failEach(
                    function,
                    fail: { number in
                        if number > 0 {
                            if isReady, attempt() != .right { print("wrong: it is never ready") }
                            if hasPlanted { plant() }
                        }
                        failing = number
                        fail(name, number, givesReason)
                    },
                    made: {
                        let count = calls()
                        let hasFailed = failing > 0 && count >= failing
                        let leavesReason = isUnmarked && givesReason && hasFailed
                        if hasPlanted ? !isPlanted(leavesReason) : (reasons() > 0) != leavesReason {
                            print("wrong: \(function), call \(failing): OpenSSL's queue differs")
                        }
                        guard isReady else { return count }
                        // The contexts of a call that failed are not used again; those of others
                        // are.
                        fail(newContext, 0, false)
                        let (outcome, newCount) = attempt(calls)
                        if outcome != .right || (newCount > 0) != hasFailed {
                            print("wrong: \(function), call \(failing): \(newCount) new contexts")
                        }
                        return count
                    })
            }
        }
    }

    /// Each allocation fails alone, and then together with all later ones.
    func failEachAllocation() {
        for allAfter in [false, true] {
            // Deriving keys from a password takes long.
            failEach(
                allAfter ? "all-after" : "alone", fail: { probe_fail_allocation($0, allAfter) },
                made: { probe_allocations() }, checkingAfterEach: !name.hasSuffix("Password"))
        }
    }
}
#endif
