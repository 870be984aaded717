import Foundation
import CryptorTestSupport
import Testing

/// Peak memory, as the system counts it, does not grow with the file.
@Suite(
    .onItsOwnThread, .disabled(if: Sanitizer.watchesMemory, "a sanitizer's own memory comes on top")
)
struct MemoryTests {
    private let place: Workplace

    init() throws {
        // File systems on disks take seconds to read a GiB of zeros that were never written.
        let memory = "/dev/shm"
        place =
            try FileManager.default.isWritableFile(atPath: memory)
            ? Workplace(in: URL(filePath: memory)) : Workplace()
    }

    /// The peak memory of a command in KiB.
    private func peak(_ command: String) throws -> Int {
        // A process inherits the peak of the process that started it, so a small one must start it.
        let script = """
            import resource, subprocess, sys
            subprocess.run(["sh", "-c", sys.argv[1]], check=True)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            """
        let output = try place.text("python3 -c '\(script)' '\(command)'")
        return try #require(Int(output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    private static let spaces =
        "{ printf AwEB; head -c SIZE /dev/zero | tr \"\\\\0\" \"\\n\"; printf AwEB; }"

    /// Commands on a sparse file of 8 MB and on one of 64 MB. Reading and writing overlap with
    /// other work.
    @Test(arguments: [
        "exec $RNCRYPTOR encrypt --key-file key -o /dev/null SIZE",
        "$RNCRYPTOR encrypt --key-file key SIZE -f -o SIZE.rnc",
        "$RNCRYPTOR encrypt --key-file key SIZE | $RNCRYPTOR decrypt --key-file key > /dev/null",
        "$RNCRYPTOR encrypt --key-file key SIZE > m; "
            + "$RNCRYPTOR decrypt --key-file key m -o out; rm m out",
        "$RNCRYPTOR encrypt --key-file key SIZE > m; "
            + "$RNCRYPTOR rekey --key-file key --new-key-file key m -o n; rm m n",
        // The number of lines does not matter.
        "head -c $((SIZE / 16)) /dev/zero | tr \"\\\\0\" x | fold -w 1000 "
            + "| $RNCRYPTOR encrypt --lines --key-file key "
            + "| $RNCRYPTOR decrypt --lines --key-file key > /dev/null",
        // White space in base64 text is not kept.
        "\(spaces) | $RNCRYPTOR verify --key-file key - 2> said; grep -q \"has 6 bytes\" said",
    ])
    func doesNotGrow(command: String) throws {
        // How much memory the libraries take depends on their versions.
        let (idle, limit) = (try peak("exec $RNCRYPTOR --version > /dev/null"), 11 * 1024)
        var lowest = Int.max / 2
        let peaks = try ["8000000", "64000000"].map { size in
            try place.succeed("truncate -s \(size) \(size)")
            let command = command.replacing("SIZE", with: size)
            var least = try peak(command)
            // A thread that others keep from running has more data waiting for it. The lowest peak
            // is what the work needs.
            for _ in 0..<3 where least - idle >= limit || least - lowest > 2048 {
                least = min(least, try peak(command))
            }
            lowest = min(lowest, least)
            return least
        }
        #expect(
            peaks.allSatisfy { $0 - lowest <= 2048 && $0 - idle < limit },
            "\(command): \(peaks) KiB, idle \(idle)")
    }

    /// `diagnose` holds at most three times the length of a file, whatever is in it.
    @Test(arguments: sample(4, of: LargeContents.all)) func diagnosis(contents: LargeContents)
        throws
    {
        let idle = try peak("exec $RNCRYPTOR --version > /dev/null")
        let byteCount = rounds(2, thorough: 4) * 1024 * 1024
        try place.write(contents.bytes(byteCount), to: "large")
        // glibc gives large arrays back to the system at once then, so only what is held counts.
        let release = "MALLOC_MMAP_THRESHOLD_=131072"
        let work = "\(release) $RNCRYPTOR diagnose --key-file key large > said || test $? = 65"
        let peak = try peak(work) - idle
        // The libraries of a command that works take some, too.
        let limit = 3 * byteCount + 12 * 1024 * 1024
        #expect(peak * 1024 < limit, "\(contents): \(peak) KiB")
    }
}
