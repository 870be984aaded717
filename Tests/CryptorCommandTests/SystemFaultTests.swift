import Foundation
import Testing

/// Each call of the system that the command makes fails once: the right status and a sentence, or a right result; files
/// are whole or not there; no descriptor is left open.
@Suite(.enabled(if: Interposer.isAvailable, "there is no C compiler")) struct SystemFaultTests {
    private let place: Workplace
    private let interposer: String
    private static let byteCount = 1_300_000

    init() throws {
        place = try Workplace()
        interposer = try Interposer.faults(in: place)
        try place.write(Data((0..<Self.byteCount).map { UInt8(truncatingIfNeeded: $0 >> 4) }), to: "plaintext")
        try place.write(String(repeating: "fedcba9876543210", count: 8), to: "new-key")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext; cp message old")
    }

    enum Work: String, CaseIterable {
        case encrypt = "encrypt --key-file key -o out plaintext"
        case decrypt = "decrypt --key-file key -o out message"
        case replace = "decrypt --key-file key --force -o old message"
        case stream = "decrypt --key-file key message"
        case verify = "verify --key-file key message"
        case rekey = "rekey --key-file key --new-key-file new-key old"

        /// The file that it makes or replaces.
        var output: String? {
            switch self {
            case .encrypt, .decrypt: "out"
            case .replace, .rekey: "old"
            case .stream, .verify: nil
            }
        }
    }

    private struct Fault: CustomStringConvertible {
        let group: String
        let kinds: [String]
        /// What the command may end with, other than success.
        let statuses: Set<Int32>
        var description: String { group }
    }

    private static let faults = [
        Fault(group: "read", kinds: ["EIO"], statuses: [66, 74]),
        Fault(group: "read", kinds: ["EINTR", "short"], statuses: []),
        Fault(group: "write", kinds: ["EIO", "ENOSPC"], statuses: [74]),
        Fault(group: "write", kinds: ["EINTR", "short"], statuses: []),
        Fault(group: "open", kinds: ["EIO", "ENOSPC"], statuses: [66, 73, 74]),
        Fault(group: "fsync", kinds: ["EIO", "ENOSPC"], statuses: [74]),
        Fault(group: "fsync", kinds: ["EINTR"], statuses: []),
        Fault(group: "name", kinds: ["EIO", "ENOSPC"], statuses: [74]),
        Fault(group: "chmod", kinds: ["EIO"], statuses: [74]),
        Fault(group: "stat", kinds: ["EIO"], statuses: [66, 73, 74]),
        Fault(group: "close", kinds: ["EIO", "EINTR"], statuses: []),
        Fault(group: "rand", kinds: ["failure"], statuses: [70]),
    ]

    @Test(arguments: Work.allCases)
    func eachCall(work: Work) throws {
        var struck: [String: Int] = [:]
        for fault in Self.faults {
            for kind in fault.kinds {
                var number = 1
                while try run(work, fault, kind, number) {
                    struck[fault.group, default: 0] += 1
                    number += 1
                    try #require(number < 500, "\(work), \(fault) \(kind): no end")
                }
            }
        }
        #expect(struck["read", default: 0] > 0 && struck["open", default: 0] > 0, "\(work): \(struck)")
        let writes = work.output != nil
        #expect((struck["fsync", default: 0] > 0 && struck["name", default: 0] > 0) == writes, "\(work): \(struck)")
        let encrypts = work == .encrypt || work == .rekey
        #expect((struck["rand", default: 0] > 0) == encrypts, "\(work): \(struck)")
    }

    /// Returns whether there was such a call.
    private func run(_ work: Work, _ fault: Fault, _ kind: String, _ number: Int) throws -> Bool {
        try place.succeed("cp message old; rm -f out note")
        let before = try place.names()
        let outcome = try place.shell(
            "LD_PRELOAD=\(interposer) $RNCRYPTOR \(work.rawValue)",
            environment: ["FAULT": "\(fault.group):\(number):\(kind)", "FAULT_NOTE": "\(place.folder.path)/note"])
        let what = "\(work), \(fault) \(number), \(kind): status \(outcome.status), \(outcome.complaint)"
        let note = place.exists("note") ? String(decoding: try place.read("note"), as: UTF8.self) : ""
        #expect(!note.contains("left open"), "\(what): \(note)")
        if outcome.status == 0 {
            try expectResult(of: work, outcome.output, what)
        } else {
            #expect(fault.statuses.contains(outcome.status), "\(what)")
            #expect(outcome.complaint.hasPrefix("rncryptor: error: "), "\(what)")
            if work == .stream { #expect(try isStart(outcome.output), "\(what): what came out is not authentic") }
            try expectWholeOrUntouched(work, what)
        }
        var expected = Set(before)
        if place.exists("out") && work.output == "out" { expected.insert("out") }
        #expect(Set(try place.names()).subtracting(["note"]) == expected, "\(what)")
        return note.contains("struck")
    }

    private func isStart(_ output: Data) throws -> Bool {
        try place.read("plaintext").prefix(output.count) == output
    }

    private func expectResult(of work: Work, _ output: Data, _ what: String) throws {
        switch work {
        case .stream: #expect(try output == place.read("plaintext"), "\(what)")
        case .verify: return
        default:
            #expect(place.exists(work.output ?? ""), "\(what)")
            try expectWholeOrUntouched(work, what, mayBeUntouched: false)
        }
    }

    /// When only the last step failed, to make the name durable, the file is there already, and whole.
    private func expectWholeOrUntouched(_ work: Work, _ what: String, mayBeUntouched: Bool = true) throws {
        guard let name = work.output, place.exists(name) else { return }
        if try mayBeUntouched && name == "old" && place.read(name) == place.read("message") { return }
        switch work {
        case .encrypt: try place.succeed("$RNCRYPTOR decrypt --key-file key \(name) | cmp - plaintext")
        case .rekey: try place.succeed("$RNCRYPTOR decrypt --key-file new-key \(name) | cmp - plaintext")
        default: #expect(try place.read(name) == place.read("plaintext"), "\(what)")
        }
    }

    /// No generator, no message.
    @Test(arguments: [
        "encrypt --password-file password -o out plaintext", "encrypt --key-file key plaintext",
        "encrypt --password-file password < plaintext", "keygen -o out",
    ])
    func noRandomness(words: String) throws {
        try place.succeed("rm -f out")
        let before = try place.names()
        try place.fail(
            "LD_PRELOAD=\(interposer) $RNCRYPTOR \(words)", 70, saying: "random",
            environment: ["FAULT": "rand:1:failure", "FAULT_NOTE": "/dev/null"])
        #expect(try place.names() == before)
    }
}
