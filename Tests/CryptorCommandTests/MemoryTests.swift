import Foundation
import CryptorTestSupport
import Testing

/// Peak memory, as the system counts it, does not grow with the file.
@Suite(.disabled(if: Sanitizer.watchesMemory, "a sanitizer's own memory comes on top"))
struct MemoryTests {
    /// The peak memory of a command in KiB.
    private func peak(_ command: String, in place: Workplace) throws -> Int {
        // A process inherits the peak of the process that started it, so a small one must start it.
        let script = """
            import resource, subprocess, sys
            subprocess.run(["sh", "-c", sys.argv[1]], check=True)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            """
        let output = String(decoding: try place.succeed("python3 -c '\(script)' '\(command)'"), as: UTF8.self)
        return try #require(Int(output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// - Parameter limit: in MiB, beyond what the command takes when it does nothing.
    private func compare(
        _ command: String, _ sizes: [String], in place: Workplace, making: Bool = true, limit: Int = 11
    ) throws {
        // How much memory the libraries take depends on their versions.
        let idle = try peak("exec $RNCRYPTOR --version > /dev/null", in: place)
        func measure(_ size: String) throws -> Int {
            try peak(command.replacingOccurrences(of: "FILE", with: size), in: place)
        }
        var lowest = Int.max / 2
        let peaks = try sizes.map { size in
            if making { try place.succeed("truncate -s \(size) \(size)") }
            var least = try measure(size)
            // A thread that others keep from running has more data waiting for it. The lowest peak is what the work
            // needs.
            for _ in 0..<3 where least - idle >= limit * 1024 || least - lowest > 2048 {
                least = min(least, try measure(size))
            }
            lowest = min(lowest, least)
            return least
        }
        let shown = zip(sizes, peaks).map { "\($0): \($1) KiB" }.joined(separator: ", ")
        let (least, most) = (peaks.min() ?? 0, peaks.max() ?? .max)
        #expect(most - least <= 2048, "\(command): \(shown)")
        #expect(most - idle < limit * 1024, "\(command): \(shown); doing nothing: \(idle) KiB")
    }

    @Test func encryptingSparseFiles() throws {
        // File systems on disks take seconds to read a GiB of zeros that were never written.
        let memory = "/dev/shm"
        let hasMemory = FileManager.default.isWritableFile(atPath: memory)
        let place = try hasMemory ? Workplace(in: URL(filePath: memory)) : Workplace()
        try compare("exec $RNCRYPTOR encrypt --key-file key -o /dev/null FILE", ["16M", "1G", "8G"], in: place)
    }

    /// Memory does not grow with the number of lines.
    @Test func lines() throws {
        let place = try Workplace()
        let line = "head -c 1000 /dev/zero | tr '\\0' x; echo"
        try place.succeed("{ \(line); } > line; for i in $(seq 1000); do cat line; done > 1M")
        try place.succeed("for i in $(seq 16); do cat 1M; done > 16M")
        let command = "exec $RNCRYPTOR encrypt --lines --key-file key < FILE > FILE.txt"
        try compare(command, ["1M", "16M"], in: place, making: false)
        try compare(
            "exec $RNCRYPTOR decrypt --lines --key-file key < FILE.txt > /dev/null", ["1M", "16M"], in: place,
            making: false)
    }

    /// White space in base64 text is not kept, and more of it than any message has is not read.
    @Test(arguments: [(" ", "what is at byte 1004 is not base64"), ("\\n", "The message has 6 bytes")])
    func whiteSpaceInBase64(space: String, complaint: String) throws {
        let place = try Workplace()
        let text = "{ printf AwEB; head -c FILE /dev/zero | tr \"\\\\0\" \"\(space)\"; printf AwEB; }"
        for command in ["verify --key-file key -", "inspect -", "decrypt --key-file key -o out"] {
            let refused = "\(text) | $RNCRYPTOR \(command) 2>FILE.complaint; test $? = 65"
            try compare(refused, ["1M", "64M"], in: place, making: false)
            for size in ["1M", "64M"] {
                let words = String(decoding: try place.read("\(size).complaint"), as: UTF8.self)
                #expect(words.contains(complaint), "\(command), \(size): \(words)")
            }
        }
    }

    @Test(arguments: [
        "$RNCRYPTOR encrypt --key-file key FILE -f -o FILE.rnc",
        "$RNCRYPTOR encrypt --key-file key FILE | $RNCRYPTOR decrypt --key-file key > /dev/null",
        "$RNCRYPTOR encrypt --key-file key FILE > m; $RNCRYPTOR decrypt --key-file key m > /dev/null; rm m",
        "$RNCRYPTOR encrypt --key-file key FILE > m; $RNCRYPTOR decrypt --key-file key m -o out; rm m out",
        "$RNCRYPTOR encrypt --key-file key FILE > m; $RNCRYPTOR rekey --key-file key --new-key-file key m; rm m",
    ])
    func everyWay(command: String) throws {
        // Reading and writing overlap with other work at the same time.
        try compare(command, ["16M", "256M"], in: Workplace())
    }
}
