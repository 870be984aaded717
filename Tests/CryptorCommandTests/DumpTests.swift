#if os(Linux)
import Foundation
import Testing

/// Nobody can read the command's memory: there is no core file, and other processes of the same user have no access.
/// What the command does through /proc/self still works.
@Suite struct DumpTests {
    private let place: Workplace
    /// The superuser may look at everything, so the command runs as another user.
    private let asNobody = getuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""

    init() throws {
        place = try Workplace()
        try place.succeed("chmod 777 . && chmod 644 key password && printf 'attack at dawn' > plaintext")
    }

    /// The files of a process in /proc belong to its user if the process may be dumped, and to the superuser otherwise
    /// (proc(5)).
    /// - Parameters:
    ///   - name: the name of the program, which shows that it has begun.
    ///   - isReady: a condition of `sh` about `$process`, which must hold before long.
    private func owner(
        of command: String, named name: String, once isReady: String
    ) throws -> (owner: String, limits: String) {
        let text = try place.shell(
            """
            rm -f fifo; mkfifo -m 666 fifo; exec 3<> fifo
            \(asNobody) \(command) < fifo > /dev/null 2>&1 & process=$!
            for round in $(seq 600); do
                test "$(cat /proc/$process/comm)" = \(name) && \(isReady) && break; sleep 0.1
            done
            sleep 0.5
            stat -c %u /proc/$process/auxv; grep -i core /proc/$process/limits
            kill $process
            """
        ).output
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        try #require(lines.count == 2, "\(lines)")
        return (String(lines[0]), lines[1].split(separator: " ").dropFirst(4).prefix(2).joined(separator: " "))
    }

    @Test func nobodyMayLook() throws {
        let command = try owner(
            of: "$RNCRYPTOR encrypt --key-file key", named: "rncryptor",
            once: "test $(stat -c %u /proc/$process/auxv) = 0")
        #expect(command.owner == "0" && command.limits == "0 0", "\(command)")
        // Another program shows that the test can tell the two apart.
        let other = try owner(of: "cat", named: "cat", once: "true")
        #expect(other.owner != "0", "\(other)")
    }

    /// A crash shows nothing. Swift's runtime would show registers and frames if it is told to and finds its helper.
    @Test(arguments: ["ILL", "TRAP", "ABRT", "BUS", "FPE", "SEGV"]) func aCrashShowsNothing(signal: String) throws {
        let said = try place.succeed(
            """
            mkfifo fifo; exec 3<> fifo
            SWIFT_BACKTRACE=enable=yes $RNCRYPTOR encrypt --key-file key < fifo > /dev/null 2> said & process=$!
            for round in $(seq 600); do
                grep -q '^SigCgt:.*[1-9a-f]' /proc/$process/status && ls -l /proc/$process/fd 2> /dev/null | grep -q 'fifo$' && break
                sleep 0.1
            done
            sleep 0.5; kill -\(signal) $process
            # What the helper waits for at a terminal, nobody says here.
            for round in $(seq 600); do ps -o state= -p $process | grep -q '[^Z]' || break; sleep 0.05; done
            pkill -KILL -P $process; kill -KILL $process 2> /dev/null
            wait $process 2> /dev/null; status=$?
            test $status -gt 128 && test $status != 137 && cat said
            """)
        let text = String(decoding: said, as: UTF8.self)
        #expect(!text.lowercased().contains("crashed") && !text.contains("rip"), "\(text)")
    }
}
#endif
