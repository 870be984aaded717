import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Source and destination are the same file, under whatever names.
@Suite struct SameFileTests {
    enum Alias: CaseIterable, Sendable {
        case path, dottedPath, hardLink, symbolicLink, linkToLink, linkedFolder

        func path(in folder: TemporaryFolder) throws -> String {
            switch self {
            case .path: return folder.path("source")
            case .dottedPath: return folder.path("./source")
            case .hardLink: try folder.link("source", to: "alias")
            case .symbolicLink: try folder.symbolicLink("alias", to: "source")
            case .linkToLink:
                try folder.symbolicLink("first", to: folder.path("source"))
                try folder.symbolicLink("alias", to: "first")
            case .linkedFolder:
                try folder.symbolicLink("folder", to: ".")
                return folder.path("folder/source")
            }
            return folder.path("alias")
        }
    }

    @Test(arguments: Alias.allCases, Naming.allCases)
    func isRefused(alias: Alias, naming: Naming) throws {
        for task in [FileTask.encrypt, .decrypt] {
            for overwriting in [false, true] {
                let job = try FileJob(task)
                let path = try alias.path(in: job.folder)
                let names = try job.folder.names()
                for (source, destination) in [(job.source, .path(path)), (.path(path), job.source)] {
                    let error = #expect(throws: CryptorError.self, "\(task)") {
                        try naming.use { try job.run(from: source, to: destination, overwriting: overwriting) }
                    }
                    #expect(error?.code == .sameFile)
                    #expect(error?.path == destination.description)
                    #expect(error?.fileOperation == .creatingOutput)
                    #expect(error?.systemErrorNumber == nil)
                }
                #expect(try job.folder.names() == names)
                #expect(try job.isSourceUntouched())
            }
        }
    }

    /// A descriptor of the source is refused as destination, even for rekeying: the output would destroy the source.
    @Test(arguments: FileTask.allCases)
    func descriptorsAreRefused(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.withDescriptor(of: "source", O_RDWR) { file in
            var pairs: [(FileEndpoint, FileEndpoint)] = [
                (job.source, .descriptor(file)), (.descriptor(file), .descriptor(file)),
            ]
            if task != .rekey { pairs.append((.descriptor(file), job.source)) }
            for (source, destination) in pairs {
                let error = #expect(throws: CryptorError.self) {
                    try job.run(from: source, to: destination, overwriting: true) {
                        // Work that reads its own output would never end.
                        if $0.bytesDone > 1_000_000 { throw CancellationError() }
                    }
                }
                #expect(error?.code == .sameFile)
                #expect(error?.path == destination.description)
            }
        }
        #expect(try job.isSourceUntouched())
    }

    /// A message is replaced only under the address that it was read by. Another address may lead elsewhere at any time.
    @Test(arguments: Alias.allCases, Naming.allCases)
    func rekeyingInPlaceTakesOneAddress(alias: Alias, naming: Naming) throws {
        for mode: mode_t in [0o640, 0o400] {
            let job = try FileJob(.rekey, byteCount: 1_200_000)
            try job.folder.setMode(mode, of: "source")
            let path = FileEndpoint.path(try alias.path(in: job.folder))
            let names = try job.folder.names()
            for (source, destination) in [(job.source, path), (path, job.source)] where source != destination {
                let error = #expect(throws: CryptorError.self) {
                    try naming.use { try job.run(from: source, to: destination, overwriting: true) }
                }
                #expect(error?.code == .sameFile)
            }
            let error = try caughtError {
                try naming.use {
                    try job.run(from: path, to: path) { _ in
                        let isUntouched = try job.isSourceUntouched()
                        #expect(isUntouched)
                    }
                }
            }
            #expect(try job.folder.names() == names)
            #expect(try job.folder.mode(of: "source") == mode)
            switch alias {
            case .path, .dottedPath, .linkedFolder:
                #expect(error == nil)
                #expect(try job.flaw(in: job.folder.read("source")) == nil, "\(SeededGenerator())")
            case .hardLink: #expect(try error?.code == .sameFile && job.isSourceUntouched())
            case .symbolicLink, .linkToLink:
                #expect(try error?.systemErrorNumber == ELOOP && job.isSourceUntouched())
            }
        }
    }

    /// After a failure, the lock is gone, even if a copy of the descriptor is still open, as it would be in a child.
    @Test func theLockIsGivenBack() throws {
        let job = try FileJob(.rekey)
        let inode = try job.folder.inode(of: "source")
        var copies: [CInt] = []
        defer { for copy in copies { close(copy) } }
        let error = try caughtError {
            try job.run(to: job.source) { _ in
                for descriptor: CInt in 3..<256 where copies.isEmpty {
                    var status = stat()
                    guard fstat(descriptor, &status) == 0, UInt64(status.st_ino) == inode else { continue }
                    copies.append(dup(descriptor))
                }
                throw CancellationError()
            }
        }
        #expect(error?.code == .cancelled)
        try #require(copies.count == 1)
        try job.run(to: job.source)
        #expect(try job.flaw(in: job.folder.read("source")) == nil)
    }

    /// If another file, which was not read, has taken the name meanwhile, it is not replaced, even with `overwriting`.
    @Test(arguments: [false, true], Naming.allCases)
    func rekeyingDoesNotReplaceAFileThatItDidNotRead(overwriting: Bool, naming: Naming) throws {
        let job = try FileJob(.rekey, byteCount: 1_200_000)
        let newer = Array("a newer file of the same name".utf8)
        var calls = 0
        let error = try caughtError {
            try naming.use {
                try job.run(to: job.source, overwriting: overwriting) { _ in
                    calls += 1
                    guard calls == 2 else { return }
                    try job.folder.write(newer, to: "newer")
                    try job.folder.rename("newer", to: "source")
                }
            }
        }
        #expect(try job.folder.names() == ["source"])
        let found = try job.folder.read("source")
        #expect(error?.code == .inputOutput)
        #expect(error?.path == job.source.description)
        #expect(firstDifference(found, newer) == nil)
    }

    /// A file that was changed meanwhile is not replaced: the change, of its contents or permissions, would be lost.
    @Test(arguments: ["mode", "link", "time"], Naming.allCases)
    func rekeyingDoesNotReplaceWhatWasChanged(change: String, naming: Naming) throws {
        let job = try FileJob(.rekey, byteCount: 1_200_000)
        var isDone = false
        let error = try caughtError {
            try naming.use {
                try job.run(to: job.source) { _ in
                    guard !isDone else { return }
                    isDone = true
                    switch change {
                    case "mode": try job.folder.setMode(0o600, of: "source")
                    case "link": try job.folder.link("source", to: "other name")
                    default: try job.folder.setTimes(1, 2, of: "source")
                    }
                }
            }
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.isPublished == false)
        #expect(try job.isSourceUntouched())
        #expect(try job.folder.names() == (change == "link" ? ["other name", "source"] : ["source"]))
    }
}
