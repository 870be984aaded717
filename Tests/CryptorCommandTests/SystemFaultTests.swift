import CryptorFormat
import Foundation
import Testing

/// Each call of the system that the command makes fails once: the right status and a sentence, or a right result; files
/// are whole or not there; no descriptor is left open.
@Suite(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer")) struct SystemFaultTests {
    private let place: Workplace
    private let interposer: String
    private let plaintext: Data
    private let message: Data

    init() throws {
        place = try Workplace()
        interposer = try Interposer.build("faults", in: place)
        // Two segments of a verified output, and a part.
        plaintext = Data((0..<1_100_000).map { UInt8(truncatingIfNeeded: $0 >> 4) })
        try place.write(plaintext, to: "plaintext")
        try place.write(String(repeating: "fedcba9876543210", count: 8), to: "new-key")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext; cp message old")
        message = try place.read("message")
    }

    enum Work: String, CaseIterable {
        case encrypt = "encrypt --key-file key -o out plaintext"
        case decrypt = "decrypt --key-file key -o out message"
        case replace = "decrypt --key-file key --force -o old message"
        case stream = "decrypt --key-file key message"
        case verify = "verify --key-file key message"
        case rekey = "rekey --key-file key --new-key-file new-key old"
        case keygen = "keygen -o out"

        /// The file that it makes or replaces.
        var output: String? {
            switch self {
            case .encrypt, .decrypt, .keygen: "out"
            case .replace, .rekey: "old"
            case .stream, .verify: nil
            }
        }
    }

    private struct Fault {
        let group: String
        let kinds: [String]
        /// What the command may end with.
        let statuses: Set<Int32>
    }

    private static let faults = [
        Fault(group: "read", kinds: ["EIO"], statuses: [66, 74]),
        Fault(group: "read", kinds: ["EINTR", "short"], statuses: [0]),
        Fault(group: "write", kinds: ["EIO", "ENOSPC"], statuses: [74]),
        Fault(group: "write", kinds: ["EINTR", "short"], statuses: [0]),
        // Another way may be found: a file with a name, a rename instead of a link.
        Fault(group: "open", kinds: ["EIO", "ENOSPC"], statuses: [0, 66, 73, 74]),
        Fault(group: "open", kinds: ["EINTR"], statuses: [0]),
        Fault(group: "fsync", kinds: ["EIO", "ENOSPC"], statuses: [74]),
        Fault(group: "fsync", kinds: ["EINTR"], statuses: [0]),
        Fault(group: "name", kinds: ["EIO", "ENOSPC"], statuses: [0, 74]),
        Fault(group: "chmod", kinds: ["EIO"], statuses: [74]),
        Fault(group: "stat", kinds: ["EIO"], statuses: [0, 66, 73, 74]),
        Fault(group: "close", kinds: ["EIO"], statuses: [0, 74]),
        Fault(group: "close", kinds: ["EINTR"], statuses: [0]),
        Fault(group: "rand", kinds: ["failure"], statuses: [70]),
    ]

    @Test(arguments: Work.allCases)
    func eachCall(work: Work) throws {
        let struck = try failEach(of: work, Self.faults)
        #expect(struck["open", default: 0] > 0, "\(work): \(struck)")
        #expect(struck["read", default: 0] > 0 || work == .keygen, "\(work): \(struck)")
        let writes = work.output != nil && work != .keygen
        #expect((struck["fsync", default: 0] > 0 && struck["name", default: 0] > 0) == writes, "\(work): \(struck)")
        // A second pass compares digests under a key of their own.
        let isRandom = [.encrypt, .stream, .rekey, .keygen].contains(work)
        #expect((struck["rand", default: 0] > 0) == isRandom, "\(work): \(struck)")
    }

    /// Where the unpublished file has a name, that has to go.
    @Test(arguments: [Work.encrypt, .rekey])
    func withoutNamelessFiles(work: Work) throws {
        let faults = Self.faults.filter { $0.group != "read" && $0.group != "rand" }
        let struck = try failEach(of: work, faults, environment: ["NAMELESS": "refused"])
        #expect(struck["write", default: 0] > 0 && struck["name", default: 0] > 0, "\(work): \(struck)")
    }

    /// Returns how many calls there were.
    private func failEach(
        of work: Work, _ faults: [Fault], environment: [String: String] = [:]
    ) throws -> [String: Int] {
        var struck: [String: Int] = [:]
        for fault in faults {
            for kind in fault.kinds {
                var number = 1
                while try fail(work, fault, kind, number, environment) {
                    number += 1
                    try #require(number < 200, "\(work), \(fault.group), \(kind): no end")
                }
                struck[fault.group, default: 0] += number - 1
            }
        }
        return struck
    }

    /// Returns whether there was such a call.
    private func fail(
        _ work: Work, _ fault: Fault, _ kind: String, _ number: Int, _ environment: [String: String]
    ) throws -> Bool {
        for name in ["out", "note"] where place.exists(name) { try place.remove(name) }
        try place.write(message, to: "old")
        let before = try place.names()
        let outcome = try place.shell(
            "LD_PRELOAD=\(interposer) exec $RNCRYPTOR \(work.rawValue)",
            environment: environment.merging([
                "FAULT": "\(fault.group):\(number):\(kind)", "FAULT_NOTE": "\(place.folder.path)/note",
            ]) { $1 })
        let what = "\(work), \(fault.group) \(number), \(kind): status \(outcome.status), \(outcome.complaint)"
        let note = place.exists("note") ? String(decoding: try place.read("note"), as: UTF8.self) : ""
        #expect(!note.contains("left open"), "\(what): \(note)")
        guard note.contains("struck") else {
            #expect(outcome.status == 0, "\(what)")
            return false
        }
        #expect(fault.statuses.contains(outcome.status), "\(what)")
        if outcome.status == 0 {
            #expect(work != .stream || outcome.output == plaintext, "\(what)")
            #expect(try isRight(work, mayBeUntouched: false), "\(what)")
        } else {
            #expect(outcome.complaint.hasPrefix("rncryptor: error: "), "\(what)")
            if work == .stream { #expect(outcome.output == plaintext.prefix(outcome.output.count), "\(what)") }
            #expect(try isRight(work, mayBeUntouched: true), "\(what)")
        }
        #expect(Set(try place.names()).subtracting(before).subtracting(["note", "out"]) == [], "\(what)")
        return true
    }

    /// Whether what was made is whole. It may be there although the command failed: when the last step did, which makes
    /// the name durable.
    private func isRight(_ work: Work, mayBeUntouched: Bool) throws -> Bool {
        guard let name = work.output else { return true }
        guard place.exists(name) else { return mayBeUntouched && name == "out" }
        let bytes = try place.read(name)
        if mayBeUntouched && name == "old" && bytes == message { return true }
        switch work {
        case .encrypt: return try Cryptor.decrypt(bytes, with: Self.credential("0123456789abcdef")) == plaintext
        case .rekey: return try Cryptor.decrypt(bytes, with: Self.credential("fedcba9876543210")) == plaintext
        case .keygen: return bytes.count == 129
        default: return bytes == plaintext
        }
    }

    /// Of a key file that repeats these digits.
    private static func credential(_ digits: String) throws -> Credential {
        let part = try #require(UInt64(digits, radix: 16))
        let key = (0..<32).map { UInt8(truncatingIfNeeded: part >> UInt64(8 * (7 - $0 % 8))) }
        return .keys(try KeyPair(encryptionKey: key, hmacKey: key))
    }

    /// No generator, no message.
    @Test(arguments: [
        "encrypt --password-file password -o out plaintext", "encrypt --key-file key plaintext",
        "encrypt --password-file password < plaintext", "keygen -o out",
        "rekey --key-file key --new-key-file new-key old",
    ])
    func noRandomness(words: String) throws {
        let before = try place.names()
        try place.fail(
            "LD_PRELOAD=\(interposer) $RNCRYPTOR \(words)", 70, saying: "no random bytes",
            environment: ["FAULT": "rand:1:failure", "FAULT_NOTE": "/dev/null"])
        #expect(try place.names() == before)
        #expect(try place.read("old") == message)
    }
}
