import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Foundation
import Testing

/// On a system at its limit of threads, such as a container, everything works, if need be in one
/// thread, and ends when it is told to.
@Suite(
    .onItsOwnThread, .enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
struct NoThreadTests {
    /// The command runs under timeout(1): if it hangs, it is killed, and its exit status shows
    /// that.
    @Test(arguments: [0, 1, 2]) func command(threads: Int) throws {
        let place = try Workplace()
        try place.succeed(
            """
            threads='\(try Interposer.path("threads"))'
            run() { LD_PRELOAD=$threads timeout -s KILL 300 $RNCRYPTOR "$@"; }
            seq 3000 > lines && run encrypt --lines --key-file key < lines > messages
            run decrypt --lines --key-file key < messages | cmp - lines || exit 1
            for number in 0 1 2 3 4 5; do seq $((number * 60000)) > f$number; done
            mkdir old && cp f? old
            run encrypt --password-file password --suffix .rnc --remove-source f? || exit 2
            test $(run verify --password-file password *.rnc | wc -l) = 6 || exit 3
            run decrypt --password-file password f5.rnc | cmp - old/f5 || exit 4
            run decrypt --password-file password --suffix .rnc *.rnc || exit 5
            for file in f?; do cmp $file old/$file || exit 6; done
            """, environment: ["THREADS": "\(threads)"])
    }

    /// The library works on files, streams and messages of several pieces.
    @Test(arguments: [0, 1]) func library(threads: Int) throws {
        let lines = try ProbeProcess(
            ["operations"],
            environment: ["THREADS": "\(threads)", "LD_PRELOAD": try Interposer.path("threads")]
        ).finish()
        #expect(lines.isEmpty)
    }

    /// A job for a thread that does not start is done by whoever adds it.
    @Test func aJob() throws {
        let lines = try ProbeProcess(
            ["worker"],
            environment: ["THREADS": "0", "LD_PRELOAD": try Interposer.path("threads")]
        ).finish()
        #expect(lines == ["true"])
    }

    /// Large work gets a second thread while cores are free, unless the program rules it out.
    @Test(
        arguments: ["encrypt", "encryptStream", "decryptFile", "decryptFileToStream", "rekeyFile"],
        [true, false])
    func whereThereAreSome(kind: String, isSerial: Bool) throws {
        guard isSerial || Cores.count > 1 else { return }
        let place = try Workplace()
        let note = place.directory.appendingPathComponent("note").path
        let probe = try ProbeProcess(
            ["threads", kind, isSerial ? "serial" : "automatic"],
            environment: [
                "LD_PRELOAD": try Interposer.path("threads"), "THREADS": "100",
                "THREADS_NOTE": note,
            ])
        _ = try probe.finish()
        let count = try String(contentsOfFile: note, encoding: .utf8)
        #expect((count == "0") == isSerial, "\(kind): \(count) threads")
    }
}
