import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFormat

/// Whoever may rename files in a folder puts another file under the temporary name of an output.
@Suite struct ExchangedTemporaryTests {
    /// The work fails then, and the source stays.
    @Test(arguments: [false, true]) func anotherFileGetsTheName(overwriting: Bool) throws {
        let job = try FileJob(.encrypt, byteCount: 100)
        if overwriting { try job.folder.write([1, 2, 3], to: "destination") }
        let error = #expect(throws: CryptorError.self) {
            try TemporaryFile.$usesAnonymousFiles.withValue(false) {
                try Cryptor.encryptFile(
                    at: job.source, to: job.destination, with: job.credential, overwriting: overwriting,
                    removingSource: true
                ) { progress in
                    guard progress.bytesDone == progress.totalBytes else { return }
                    for name in try job.folder.names() where TemporaryFile.isUnfinished(nameBytes: name.utf8) {
                        #expect(rename(job.folder.path(name), job.folder.path("taken")) == 0)
                        try job.folder.write(Array("garbage".utf8), to: name)
                    }
                }
            }
        }
        #expect(error?.code == .inputOutput && error?.isPublished == false, "\(String(describing: error))")
        #expect(try job.isSourceUntouched())
        #expect(try job.folder.names().contains("taken"), "nothing was exchanged")
    }
}
