import CryptorPrimitives
import CryptorTestSupport
import Testing

@testable import CryptorCommand
@testable import CryptorFiles
@testable import CryptorFormat

/// For how many lines `--lines` derives keys together.
@Suite(.enabled(if: DerivationCounter.isAvailable, "it counts on Linux only"))
struct LineDerivationTests {
    private static let lineCount = 32

    enum Work: CaseIterable {
        case decrypt, encryptFreshly, rekey, rekeyFreshly, rekeyAgain, rekeyHalf
    }

    /// For how many lines keys are derived together: to read them under one password after the
    /// other, and to write them.
    private func batches(of work: Work) -> [Int] {
        switch work {
        case .decrypt, .encryptFreshly, .rekeyAgain: [16, 16]
        case .rekey: [16, 16, 16, 16]
        case .rekeyFreshly: [16, 16, 16, 16, 16, 16]
        case .rekeyHalf: [16, 8, 16, 8, 16]
        }
    }

    @Test(arguments: Work.allCases) func eachLine(_ work: Work) throws {
        let (old, new) = (try Credential.password("old"), try Credential.password("new"))
        let texts = (0..<Self.lineCount).map { "line \($0)" }
        func messages(_ credential: Credential) throws -> [String] {
            try texts.map { text in
                Cryptor.base64Text(of: try Cryptor.encrypt(text.utf8, with: credential))
            }
        }
        func opener(_ credential: Credential) throws -> LineOpener {
            try LineOpener(credential, accepting: AcceptedVersions(Arguments([], options: [])))
        }
        let both = try opener(.keyring(primary: new, previous: [old]))
        let fresh = try LineSealer(new, drawsSalts: true)
        let (kind, lines): (LineWork.Kind, [String])
        switch work {
        case .decrypt: (kind, lines) = (.decrypt(try opener(old)), try messages(old))
        case .encryptFreshly: (kind, lines) = (.encrypt(fresh), texts)
        case .rekey:
            let shared = try LineSealer(new, drawsSalts: false)
            (kind, lines) = (.rekey(both, shared), try messages(old))
        case .rekeyFreshly: (kind, lines) = (.rekey(both, fresh), try messages(old))
        case .rekeyAgain: (kind, lines) = (.rekey(both, fresh), try messages(new))
        case .rekeyHalf:
            let (done, left) = (try messages(new), try messages(old))
            let mixed = texts.indices.map { $0.isMultiple(of: 2) ? left[$0] : done[$0] }
            (kind, lines) = (.rekey(both, fresh), mixed)
        }
        let block = lines.flatMap { Array($0.utf8) + [Lines.newline] }
        let ranges = block.split(separator: Lines.newline).map { line -> Range<Int>? in
            line.startIndex..<line.endIndex
        }
        let lineWork = LineWork(kind, isJSON: false, isForTerminal: false)
        var outcomes: [LineWork.Outcome] = []
        let read = lineWork.read(ranges[...], of: block)
        let found = DerivationCounter.batches { outcomes = lineWork.outcomes(of: read) ?? [] }
        if PBKDF2.Engine.preferred != .openSSL { #expect(found == batches(of: work)) }

        var written: [(message: [UInt8], text: [UInt8])] = []
        #expect(outcomes.count == lines.count)
        for (number, outcome) in outcomes.enumerated() {
            switch outcome {
            case .message(let message):
                written.append((message, Array(texts[number].utf8)))
            case .plaintext(let plaintext): #expect(plaintext == Array(texts[number].utf8))
            case .alreadyNew: #expect(work == .rekeyAgain || work == .rekeyHalf && number % 2 == 1)
            case .authentic, .empty, .failed: Issue.record("line \(number): \(outcome)")
            }
        }
        for (message, text) in written {
            #expect(try Cryptor.decrypt(message, with: new) == text)
        }
        if PythonPeer.isGiven, !written.isEmpty {
            let requests = written.map { message, _ in
                PythonPeer.Request(.publishedRead, message, .password("new"))
            }
            #expect(try PythonPeer.answers(to: requests) == written.map(\.text.hex))
        }
        let saltsAndIV = [2..<10, 10..<18, 18..<34].map { part in
            Set(written.map { Array($0.message[part]) }).count
        }
        switch work {
        case .decrypt, .rekeyAgain: #expect(written.isEmpty)
        case .rekey: #expect(saltsAndIV == [1, 1, 32])
        case .encryptFreshly, .rekeyFreshly: #expect(saltsAndIV == [32, 32, 32])
        case .rekeyHalf: #expect(saltsAndIV == [16, 16, 16])
        }
    }
}
