import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// What an error says about its file.
@Suite struct FileErrorTests {
    private func check(
        _ error: CryptorError?, _ operation: CryptorError.FileOperation, _ endpoint: FileEndpoint, _ number: CInt,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == .inputOutput, sourceLocation: location)
        #expect(error?.fileOperation == operation, sourceLocation: location)
        #expect(error?.path == endpoint.name.path, sourceLocation: location)
        #expect(error?.systemErrorNumber == number, sourceLocation: location)
        let text = error?.description ?? ""
        #expect(text.hasPrefix("\(endpoint): It ") && text.hasSuffix("."), "\(text)", sourceLocation: location)
        // The errors of a dangling link and of a missing folder have their own words.
        let words = [String(cString: strerror(number)), "symbolic link", "in a folder that does not exist"]
        #expect(words.contains(where: text.contains), "\(text)", sourceLocation: location)
    }

    /// Endpoints, and the numbers of their errors. Names are in the job's folder.
    private static let endpoints: [(name: String?, number: CInt)] = [
        ("missing", ENOENT), ("folder", EISDIR), ("missing/file", ENOENT), ("source/below", ENOTDIR), ("link", ENOENT),
        ("loop", ELOOP), ("", ENOENT), (nil, EBADF),
    ]

    @Test(arguments: Role.allCases, endpoints) func badFiles(role: Role, bad: (name: String?, number: CInt)) throws {
        guard role.isSource || bad.name != "missing" else { return }
        for overwriting in role.isSource ? [true] : [true, false] {
            for naming in role.isSource ? [Naming.anonymous] : Naming.allCases {
                let job = try FileJob(.decrypt)
                try job.folder.makeFolder("folder")
                for (link, target) in [("link", "missing"), ("loop", "loop")] {
                    try job.folder.symbolicLink(link, to: target)
                }
                let endpoint = bad.name.map { $0.isEmpty ? .path("") : job.path($0) } ?? .descriptor(-1)
                let names = try job.folder.names()
                let error = try caughtError {
                    try naming.use { try role.run(job, endpoint, overwriting: overwriting) }
                }
                check(error, role.isSource ? .openingInput : .creatingOutput, endpoint, bad.number)
                // The error of a missing source does not advise making a folder.
                if role.isSource { #expect(error?.description.contains("It cannot be opened: ") == true) }
                #expect(try job.folder.names() == names && job.isSourceUntouched())
            }
        }
    }
}
