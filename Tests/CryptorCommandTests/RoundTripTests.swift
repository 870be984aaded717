import Foundation
import Testing

/// What the command is for, on a real file: this package's own sources in an archive.
@Suite struct RoundTripTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.succeed("tar -cf archive -C '\(packageFolder.path)' Sources Tests")
    }

    @Test(arguments: ["--password-file password", "--key-file key"])
    func fileToFile(secret: String) throws {
        try place.succeed("$RNCRYPTOR encrypt \(secret) -o message archive")
        try place.succeed("$RNCRYPTOR decrypt \(secret) -o plaintext message")
        #expect(try place.read("plaintext") == place.read("archive"))
        let overhead = try place.read("message").count - place.read("archive").count
        #expect(overhead == (secret.contains("key") ? 66 : 82), "an archive is a number of blocks long")
    }

    @Test(arguments: ["--password-file password", "--key-file key"])
    func throughPipes(secret: String) throws {
        let plaintext = try place.succeed(
            "cat archive | $RNCRYPTOR encrypt \(secret) | $RNCRYPTOR decrypt \(secret) - | cat")
        #expect(try plaintext == place.read("archive"))
    }

    @Test func redirected() throws {
        try place.succeed("$RNCRYPTOR encrypt --key-file key < archive > message")
        try place.succeed("$RNCRYPTOR decrypt --key-file key < message > plaintext")
        #expect(try place.read("plaintext") == place.read("archive"))
    }

    @Test func redirectedFromTheMiddle() throws {
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message archive")
        try place.succeed("{ printf 12345; cat message; } > shifted")
        try place.succeed("{ head -c 5 >/dev/null; $RNCRYPTOR decrypt --key-file key; } < shifted > plaintext")
        #expect(try place.read("plaintext") == place.read("archive"))
    }

    @Test func optionsAfterOperandsAndInEverySpelling() throws {
        try place.succeed("$RNCRYPTOR encrypt archive --key-file=key --output=message")
        try place.succeed("$RNCRYPTOR decrypt -oplaintext --key-file key -- message")
        #expect(try place.read("plaintext") == place.read("archive"))
        try place.succeed("cp message ./-x && $RNCRYPTOR decrypt --key-file key -o - -- -x > again")
        #expect(try place.read("again") == place.read("archive"))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 262_143, 262_144, 262_145, 1_048_575, 1_048_576, 1_048_577, 2_097_168])
    func lengthsAroundBlockChunkAndSegment(count: Int) throws {
        try place.write(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }), to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
        try place.succeed("$RNCRYPTOR decrypt --key-file key -o by-file message && cmp by-file plaintext")
        try place.succeed("$RNCRYPTOR decrypt --key-file key message | cmp - plaintext")
        try place.succeed("cat message | $RNCRYPTOR decrypt --key-file key | cmp - plaintext")
    }

    /// Peak memory, as the system counts it, does not grow with the file.
    @Test func memoryIsConstant() throws {
        func peak(_ command: String) throws -> Int {
            let script = """
                import resource, subprocess, sys
                subprocess.run(["sh", "-c", sys.argv[1]], check=True)
                print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                """
            let output = try place.succeed("python3 -c '\(script)' '\(command)'")
            return try #require(
                Int(String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        try place.succeed("truncate -s 16M small && truncate -s 1G large")
        for command in [
            "$RNCRYPTOR encrypt --key-file key NAME > /dev/null",
            "$RNCRYPTOR encrypt --key-file key NAME -o NAME.message",
            "$RNCRYPTOR decrypt --key-file key NAME.message > /dev/null",
            "cat NAME.message | $RNCRYPTOR decrypt --key-file key > /dev/null",
        ] {
            let small = try peak(command.replacingOccurrences(of: "NAME", with: "small"))
            let large = try peak(command.replacingOccurrences(of: "NAME", with: "large"))
            #expect(large < small + 2048, "\(command): \(small) KiB for 16 MiB, \(large) KiB for 1 GiB")
        }
    }
}
