import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFormat

/// A change through a mapping of the file (mmap(2)) is a change, where the file system says when files were written.
@Suite struct MappedSourceTests {
    private static var isOnDisk: Bool {
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        let holding = mounts.split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0.count > 2 && NSTemporaryDirectory().hasPrefix($0[1]) }
        return holding.max { $0[1].count < $1[1].count }.map { !["tmpfs", "ramfs"].contains($0[2]) } ?? false
    }

    /// The page is dirty before the work begins, so another write to it would show in no time of the file's.
    @Test(.enabled(if: isOnDisk)) func aRekeyedMessageThatIsChangedMeanwhile() throws {
        let job = try FileJob(.rekey, byteCount: 3_000_000)
        let count = job.sourceBytes.count
        let file = open(job.folder.path("source"), O_RDWR | O_CLOEXEC)
        defer { close(file) }
        let address = try #require(mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
        try #require(address != MAP_FAILED)
        defer { munmap(address, count) }
        let last = address.advanced(by: count - 1)
        let byte = job.sourceBytes[count - 1]
        last.storeBytes(of: byte, as: UInt8.self)
        let error = #expect(throws: CryptorError.self) {
            try job.run(to: job.source) { progress in
                // In the second pass, which does not read the tag again.
                if progress.bytesDone > count { last.storeBytes(of: byte ^ 1, as: UInt8.self) }
            }
        }
        #expect(error?.code == .inputOutput, "\(String(describing: error))")
        #expect(try job.folder.read("source").last == byte ^ 1)
        #expect(try job.folder.names() == ["source"])
    }
}
