import CryptorAsync
import CryptorFiles
import CryptorFormat

/// Everything that takes the location of a file.
enum Role: CaseIterable, Sendable {
    case encryptFrom, encryptTo, decryptFrom, decryptTo, chunksFrom, verify, rekeyFrom, rekeyTo, open, inspect

    var isSource: Bool { ![.encryptTo, .decryptTo, .rekeyTo].contains(self) }

    static let sources = allCases.filter(\.isSource)
    static let destinations = allCases.filter { !$0.isSource }

    /// - Parameter job: what the other location and the credentials are taken from.
    func run(
        _ job: FileJob, _ path: some FileLocation, overwriting: Bool = true, progress: FileProgress.Handler? = nil
    ) throws {
        let (keys, new) = (job.credential, job.newCredential)
        let options = FileOptions(overwriting: overwriting)
        switch self {
        case .encryptFrom: try Cryptor.encryptFile(at: path, to: job.destination, with: keys, progress: progress)
        case .encryptTo:
            try Cryptor.encryptFile(at: job.source, to: path, with: keys, options: options, progress: progress)
        case .decryptFrom: try Cryptor.decryptFile(at: path, to: job.destination, with: keys, progress: progress)
        case .decryptTo:
            try Cryptor.decryptFile(at: job.source, to: path, with: keys, options: options, progress: progress)
        case .chunksFrom: try Cryptor.decryptFile(at: path, with: keys, progress: progress) { _ in }
        case .verify: try Cryptor.verifyFile(at: path, with: keys, progress: progress)
        case .rekeyFrom:
            try Cryptor.rekeyFile(at: path, to: job.destination, from: keys, into: new, progress: progress)
        case .rekeyTo:
            try Cryptor.rekeyFile(at: job.source, to: path, from: keys, into: new, options: options, progress: progress)
        case .open: _ = try VerifiedFile(at: path, with: keys, progress: progress)
        case .inspect: _ = try Cryptor.inspectFile(at: path, progress: progress)
        }
    }
}
