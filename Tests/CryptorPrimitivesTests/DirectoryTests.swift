import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorSystem

/// Names, directories and what tells one file from another: where the tests of whole files would
/// not notice a mistake.
@Suite struct DirectoryTests {
    @Test(arguments: [
        ("a", ".", "a"), ("a/b", "a", "b"), ("/a", "/", "a"), ("/a/b/c", "/a/b", "c"),
        ("./a", ".", "a"),
        ("a//b", "a/", "b"), ("..", ".", ".."), ("a/..", "a", ".."), (" ", ".", " "),
        ("//a", "/", "a"),
        ("a/", "a", "."), ("a//", "a/", "."), ("/", "/", "."), ("//", "/", "."),
        ("e\u{301}/\u{e9}", "e\u{301}", "\u{e9}"),
    ])
    func partsOfAPath(path: String, directory: String, name: String) throws {
        let found = try FilePath(path)
        // Slashes may be repeated, and bytes are compared, not characters.
        #expect(
            found.bytes == Array(path.utf8) && found.directory.bytes == Array(directory.utf8),
            "\(path)")
        #expect(found.name.bytes == Array(name.utf8), "\(path)")
        #expect(throws: SystemError(number: ENOENT)) { try FilePath("") }
    }

    /// A name may be longer than the field for it: vfat, NTFS and FUSE have names of 255 characters
    /// of up to three bytes.
    @Test(arguments: [0, 1, 255, 256, 300, 765])
    func namesOfAnyLength(count: Int) throws {
        let name = (0..<count).map { UInt8(1 + $0 % 255) }
        let size = MemoryLayout<dirent>.size + 1024
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: size, alignment: MemoryLayout<dirent>.alignment)
        defer { memory.deallocate() }
        memset(memory, 0, size)
        let entry = memory.bindMemory(to: dirent.self, capacity: 1)
        (memory + MemoryLayout<dirent>.offset(of: \.d_name)!).copyMemory(
            from: name, byteCount: count)
        #expect(DirectoryDescriptor.name(of: entry) == name)
    }

    @Test func descriptorsAreNotPassedToOtherProgrammes() throws {
        let directory = try TemporaryDirectory()
        try directory.write([1], to: "file")
        let opened = try DirectoryDescriptor.open(FilePath(directory.path))
        let files = [
            try opened.create(FilePath("new"), mode: 0o600).release(),
            opened.openAnonymous(mode: 0o600)?.release(),
            try opened.open(FilePath("file"), for: .read, following: true).release(),
            try directory.withDescriptor(of: "file", O_RDONLY) {
                try FileDescriptor.duplicate($0).release()
            },
        ]
        for file in files.compactMap(\.self) {
            #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
            close(file)
        }
    }

    /// A block device has the same identity, whichever node it was opened through.
    @Test func nodesOfOneDevice() {
        func identity(_ mode: mode_t, device: dev_t, inode: ino_t) -> FileStatus.Identity {
            var status = stat()
            (status.st_mode, status.st_rdev, status.st_ino) = (mode, device, inode)
            return FileStatus(status).identity
        }
        let one = identity(S_IFBLK, device: 7, inode: 1)
        #expect(
            identity(S_IFBLK, device: 7, inode: 2) == one
                && identity(S_IFBLK, device: 8, inode: 1) != one)
        #expect(identity(S_IFCHR, device: 7, inode: 1) != identity(S_IFCHR, device: 7, inode: 2))
    }
}
