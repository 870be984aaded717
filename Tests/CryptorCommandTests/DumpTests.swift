#if os(Linux)
import CryptorTestSupport
import Foundation
import Testing

/// Nobody can read the command's memory: there is no core file, and other processes of the same
/// user have no access. What the command does through /proc/self still works.
@Suite(.onItsOwnThread) struct DumpTests {
    private let place: Workplace
    /// The superuser may look at everything, so the command runs as another user.
    private let asNobody = getuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""

    init() throws {
        place = try Workplace()
        try place.succeed("chmod 777 . && chmod 644 key")
    }

    /// The files of a process in /proc belong to its user if the process may be dumped, and to the
    /// superuser otherwise (proc(5)). Another program shows that the test can tell the two apart.
    @Test func nobodyMayLook() throws {
        let text = try place.text(
            """
            mkfifo -m 666 fifo; exec 3<> fifo
            \(asNobody) cat < fifo > /dev/null & other=$!
            \(asNobody) $RNCRYPTOR encrypt --key-file key < fifo > /dev/null 2>&1 & process=$!
            for round in $(seq 600); do
                names=$(cat /proc/$process/comm /proc/$other/comm | tr '\\n' ' ')
                test "$names" = 'rncryptor cat ' \
                    && test $(stat -c %u /proc/$process/auxv) = 0 && break; sleep 0.1
            done
            sleep 0.5; grep -i core /proc/$process/limits | awk '{ print $5, $6 }'
            stat -c %u /proc/$process/auxv /proc/$other/auxv; kill $process $other
            """)
        let lines = text.split(separator: "\n")
        #expect(
            lines.count == 3 && lines[0] == "0 0" && lines[1] == "0" && lines[2] != "0", "\(lines)")
    }

    /// A crash shows nothing. Swift's runtime would show registers and frames if it is told to and
    /// finds its helper.
    @Test(
        .enabled(if: !Sanitizer.watchesMemory, "a sanitizer shows crashes"),
        arguments: ["ILL", "SEGV"])
    func aCrashShowsNothing(signal: String) throws {
        let said = try place.succeed(
            """
            mkfifo fifo; exec 3<> fifo
            export SWIFT_BACKTRACE=enable=yes
            $RNCRYPTOR encrypt --key-file key < fifo > /dev/null 2> said & process=$!
            for round in $(seq 600); do
                grep -q '^SigCgt:.*[1-9a-f]' /proc/$process/status \
                    && ls -l /proc/$process/fd 2> /dev/null | grep -q 'fifo$' && break
                sleep 0.1
            done
            sleep 0.5; kill -\(signal) $process
            # What the helper waits for at a terminal, nobody says here.
            for round in $(seq 600); do
                ps -o state= -p $process | grep -q '[^Z]' || break; sleep 0.05
            done
            pkill -KILL -P $process; kill -KILL $process 2> /dev/null
            wait $process 2> /dev/null; status=$?
            test $status -gt 128 && test $status != 137 && cat said
            """)
        let text = String(decoding: said, as: UTF8.self)
        #expect(!text.lowercased().contains("crashed") && !text.contains("rip"), "\(text)")
    }
}
#endif
