import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Sources that can be opened as files and are not regular files on a disk.
@Suite struct SpecialFileTests {
    private func encrypted(_ source: FileEndpoint, progress: FileProgress.Handler? = nil) throws -> [UInt8] {
        let job = try FileJob(.encrypt)
        try job.run(from: source, progress: progress)
        return try Cryptor.decrypt(job.folder.read("destination"), with: job.credential)
    }

    /// Files of the kernel report a length of 0, and are read to their end all the same.
    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/version")),
        arguments: ["/proc/version", "/proc/filesystems", "/proc/cmdline", "/proc/kallsyms"])
    func filesOfTheKernel(path: String) throws {
        let file = try #require(FileHandle(forReadingAtPath: path))
        let expected = [UInt8](try #require(try file.readToEnd()))
        try #require(!expected.isEmpty)
        // Some say how long they are.
        let found = try encrypted(.path(path)) { #expect([nil, expected.count].contains($0.totalBytes), "\($0)") }
        #expect(firstDifference(found, expected) == nil)
    }

    @Test func theNullDeviceIsEmpty() throws {
        #expect(try encrypted(.path("/dev/null")).isEmpty)
    }

    @Test(arguments: [FileTask.decrypt, .rekey])
    func theNullDeviceIsNoMessage(task: FileTask) throws {
        let job = try FileJob(task)
        let error = #expect(throws: CryptorError.self) { try job.run(from: .path("/dev/null")) }
        #expect(error?.code == .invalidMessageLength)
        #expect(error?.path == "/dev/null")
        #expect(try job.folder.names() == ["source"])
    }

    @Test(arguments: FileTask.allCases)
    func theNullDeviceTakesEverything(task: FileTask) throws {
        let job = try FileJob(task, byteCount: 300_000)
        try job.run(to: .path("/dev/null"))
        var status = stat()
        try #require(stat("/dev/null", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFCHR, "it was replaced")
    }

    @Test func anEmptyFileIsEmpty() throws {
        let folder = try TemporaryFolder()
        try folder.write([], to: "empty")
        #expect(try encrypted(.path(folder.path("empty"))).isEmpty)
        let found = try folder.withDescriptor(of: "empty", O_RDONLY) { file in try encrypted(.descriptor(file)) }
        #expect(found.isEmpty)
    }

    /// A descriptor whose position is at the end, or beyond it, is an empty source.
    @Test func aDescriptorAtItsEndIsEmpty() throws {
        let folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "file")
        for offset: off_t in [3, 100] {
            let found = try folder.withDescriptor(of: "file", O_RDONLY) { file in
                #expect(lseek(file, offset, SEEK_SET) == offset)
                return try encrypted(.descriptor(file))
            }
            #expect(found.isEmpty, "at \(offset)")
        }
    }
}
