import TestSupport
import Testing

/// A test that finds no vectors must not pass.
@Suite struct VectorFolderTests {
    private func names() throws -> [VectorFolder: [String]] {
        let refused = try VectorFolder.refused().map(\.name)
        let readable = try VectorFolder.readable().map(\.name)
        return [
            .derivations: try VectorFolder.derivations().map(\.name),
            .passwordMessages: readable.filter { $0.hasPrefix(VectorFolder.passwordMessages.rawValue) },
            .keyMessages: readable.filter { $0.hasPrefix(VectorFolder.keyMessages.rawValue) },
            .refusedMessages: refused,
        ]
    }

    @Test(arguments: VectorFolder.allCases)
    func noneWasLost(from folder: VectorFolder) throws {
        let count = try names()[folder]?.count ?? 0
        #expect(count >= folder.minimumCount, "\(folder.rawValue)")
    }

    @Test func everyFileIsRead() throws {
        let read = try names().values.flatMap { $0 }
        let files = try VectorFolder.everyFile()
        #expect(Set(read) == files, "\(files.symmetricDifference(read).sorted()) are not read by any suite")
        #expect(read.count == files.count, "a file was read twice")
    }

    @Test func everyFaultHasAVector() throws {
        let faults = Set(try VectorFolder.refused().map(\.fault))
        #expect(faults == Set(Fault.allCases))
    }
}
