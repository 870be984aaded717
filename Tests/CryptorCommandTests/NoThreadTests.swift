import Foundation
import CryptorTestSupport
import Testing

/// On a system at its limit of threads, such as a container, everything works, if need be in one thread, and ends when
/// it is told to.
@Suite(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer")) struct NoThreadTests {
    private let place: Workplace
    private let preload: String

    init() throws {
        place = try Workplace()
        preload = try Interposer.build("threads", in: place)
    }

    /// The command under timeout(1): if it hangs, it is killed, and its exit status shows that.
    private func command(_ words: String) -> String {
        "LD_PRELOAD=\(preload) timeout -s KILL 300 $RNCRYPTOR \(words)"
    }

    private func environment(_ count: Int) -> [String: String] { ["THREADS": "\(count)"] }

    @Test(arguments: [0, 1]) func lines(threads: Int) throws {
        try place.succeed("seq 3000 > lines")
        try place.succeed(
            "\(command("encrypt --lines --key-file key")) < lines > messages", environment: environment(threads))
        let read = try place.succeed(
            "\(command("decrypt --lines --key-file key")) < messages", environment: environment(threads))
        #expect(read == (try place.read("lines")))
    }

    @Test(arguments: [0, 1, 2]) func files(threads: Int) throws {
        let names = (1...6).map { "f\($0)" }
        for (index, name) in names.enumerated() {
            try place.write(Data((0..<index * 400_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }), to: name)
        }
        let files = names.joined(separator: " ")
        let messages = names.map { "\($0).rnc" }.joined(separator: " ")
        let secret = "--password-file password"
        try place.succeed(command("encrypt \(secret) --suffix .rnc \(files)"), environment: environment(threads))
        let verified = try place.succeed(command("verify \(secret) \(messages)"), environment: environment(threads))
        #expect(verified.count { $0 == 10 } == 6)
        try place.succeed("mkdir old && mv \(files) old")
        try place.succeed(command("decrypt \(secret) --suffix .rnc \(messages)"), environment: environment(threads))
        for name in names { try place.succeed("cmp \(name) old/\(name)") }
        // A single file of 2 MB works, too.
        try place.succeed(
            command("decrypt --password-file password f6.rnc | cmp - f6"), environment: environment(threads))
    }

    /// The library works on files, streams and messages of 8 MiB.
    @Test(arguments: [0, 1]) func library(threads: Int) throws {
        let lines = try ProbeProcess(
            ["operations"], environment: environment(threads).merging(["LD_PRELOAD": preload]) { $1 }
        ).finish()
        #expect(lines.isEmpty)
    }
}
