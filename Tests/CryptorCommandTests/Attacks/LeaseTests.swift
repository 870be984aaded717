import Foundation
import Testing

/// A file server has a lease on a file (fcntl(2)), as Samba does for its clients. A program that opens the file has to
/// wait until the server has released the lease.
@Suite struct LeaseTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
        // The script takes a lease, and releases it half a second after it was asked to, or never.
        try place.write(
            """
            import fcntl, os, signal, sys, time
            file = os.open(sys.argv[1], os.O_RDWR)
            # Blocked, so that it may come before it is waited for.
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
            try:
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
                open("held", "w").close()
            except OSError:
                open("unavailable", "w").close()
            signal.sigwait([signal.SIGIO])
            if sys.argv[2] == "never": time.sleep(120)
            time.sleep(0.5)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            """, to: "server.py")
    }

    /// Runs a script while another process has a lease on a file. Returns nil if the file system has no leases.
    private func shell(_ script: String, lease file: String, for duration: String) throws -> Workplace.Outcome? {
        let outcome = try place.shell(
            """
            python3 server.py \(file) \(duration) & server=$!
            until test -e held || test -e unavailable; do sleep 0.05; done
            \(script); status=$?
            kill -KILL $server 2> /dev/null; wait; exit $status
            """)
        return place.exists("unavailable") ? nil : outcome
    }

    @Test(arguments: [
        ("encrypt --key-file key -o out plaintext", "plaintext"), ("encrypt --key-file key plaintext", "plaintext"),
        ("encrypt --key-file key --suffix .rnc plaintext wrong-password", "plaintext"),
        ("decrypt --key-file key -o out message", "message"), ("decrypt --key-file key message", "message"),
        ("rekey --key-file key --new-key-file key message", "message"),
        ("rekey --key-file key --new-key-file key -o out message", "message"),
        ("verify --key-file key message", "message"), ("inspect message", "message"),
        ("verify --key-file key message", "key"), ("verify --password-file password message", "password"),
    ])
    func theLeaseIsWaitedFor(words: String, file: String) throws {
        if words.contains("password") {
            try place.succeed("$RNCRYPTOR encrypt -f --password-file password -o message plaintext")
        }
        guard let outcome = try shell("$RNCRYPTOR \(words)", lease: file, for: "shortly") else { return }
        #expect(outcome.status == 0, "\(words): \(outcome.complaint)")
        #expect(outcome.complaint.isEmpty, "\(words): \(outcome.complaint)")
    }

    @Test(arguments: [
        ("encrypt --key-file key -o out plaintext", "plaintext"), ("decrypt --key-file key -o out message", "message"),
        ("inspect message", "message"), ("verify -j 2 --key-file key message message", "message"),
        // These wait before they ask for a password.
        ("encrypt plaintext", "plaintext"), ("encrypt -o out plaintext", "plaintext"),
    ])
    func theWaitCanBeEnded(words: String, file: String) throws {
        let outcome = try shell(
            "timeout --preserve-status -s TERM -k 20 1 $RNCRYPTOR \(words)", lease: file, for: "never")
        guard let outcome else { return }
        #expect(outcome.status == 143, "\(words): \(outcome.complaint)")
        #expect(outcome.complaint.hasPrefix("rncryptor: error: interrupted"), "\(words): \(outcome.complaint)")
        #expect(!place.exists("out"))
    }

    /// In a folder, the command waits for no lease: the owner of a file there could take one again and again.
    @Test func nobodyIsHeldUp() throws {
        try place.succeed("mkdir d; for number in 1 2 3; do echo $number > d/$number; done")
        let outcome = try shell(
            "timeout 300 $RNCRYPTOR encrypt -r --suffix .rnc --key-file key d", lease: "d/2", for: "never")
        guard let outcome else { return }
        #expect(outcome.status == 66, "\(outcome.complaint)")
        #expect(outcome.complaint.contains("d/2: Another program has a lease on it"), "\(outcome.complaint)")
        #expect(place.exists("d/1.rnc") && place.exists("d/3.rnc") && !place.exists("d/2.rnc"))
    }
}
