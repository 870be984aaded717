import CLibFuzzer
import COpenSSL

/// Runs the target that the program is named after, or prints the names of all targets. libFuzzer
/// starts the program again by its name.
@main
enum CryptorFuzz {
    static let targets: [(name: String, run: FuzzTarget)] = [
        ("header", headerTarget),
        ("decrypt", decryptTarget),
        ("stream", streamTarget),
        ("files", filesTarget),
        ("verified", verifiedTarget),
        ("base64", base64Target),
        ("names", namesTarget),
    ]

    static func main() {
        let name = CommandLine.arguments[0].split(separator: "/").last ?? ""
        guard let target = targets.first(where: { $0.name == name }),
            CommandLine.arguments.last != "--targets"
        else {
            for target in targets { print(target.name) }
            return
        }
        // Otherwise OpenSSL, when the process ends, loses memory that it keeps for threads that are
        // just ending, and LeakSanitizer reports it.
        expect(
            OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1,
            "OpenSSL cannot be set up")
        FuzzInput.target = target.run
        var (count, words) = (CommandLine.argc, Optional(CommandLine.unsafeArgv))
        _ = LLVMFuzzerRunDriver(&count, &words) { bytes, count in
            do {
                try FuzzInput.target?(
                    FuzzInput(Array(UnsafeBufferPointer(start: bytes, count: count))))
            } catch {
                fail("nothing may throw here: \(error)")
            }
            return 0
        }
    }
}

/// A target reports a finding by `expect`; an error that it throws is a finding as well.
typealias FuzzTarget = @Sendable (consuming FuzzInput) throws -> Void

func expect(_ condition: Bool, _ words: @autoclosure () -> String) {
    if !condition { fail(words()) }
}

func fail(_ words: String) -> Never { fatalError("finding: \(words)") }
