import Foundation
import Testing

/// The command works on a real file: this package's own sources in an archive.
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
}
