import Foundation
import CryptorTestSupport
import Testing

/// --remove-source removes only the very file that was read, and only if its output is a file. Whatever happens
/// meanwhile, no byte of plaintext is lost.
@Suite struct SourceTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("plaintext", to: "a")
    }

    private static let encrypt = "$RNCRYPTOR encrypt --key-file key --remove-source"

    /// Nothing is lost if a log is rotated or written to while it is encrypted.
    @Test func nothingIsLostMeanwhile() throws {
        var generator = SeededGenerator()
        for round in 0..<20 {
            let delay = Double.random(in: 0...0.06, using: &generator)
            let change = round.isMultiple(of: 2) ? "echo line >> log" : "mv log log.1; echo line >> log"
            let outcome = try place.shell(
                """
                rm -f log log.1 log.rnc decrypted && head -c 20000000 /dev/zero > log
                { sleep \(delay); \(change); } 2> /dev/null &
                \(Self.encrypt) --suffix .rnc log; status=$?; wait
                # There is no log for a moment, and nothing to encrypt then.
                [ ! -e log.rnc ] || $RNCRYPTOR decrypt --key-file key -o decrypted log.rnc || exit 1
                tail -qc 5 decrypted log log.1 2> /dev/null | grep -q line || exit 2
                [ $(cat decrypted log log.1 2> /dev/null | wc -c) -ge 20000000 ] || exit 3
                """)
            #expect(outcome.status == 0, "\(change) after \(delay) s, seed \(generator.seed): \(outcome.complaint)")
        }
    }
}
