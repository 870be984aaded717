import CryptorTestSupport
import Testing

/// A test that finds no vectors must not pass.
@Suite struct VectorFolderTests {
    /// The cases that the suites get to see.
    private static let names = Result {
        let cases: [[any Vector]] = [
            try VectorFolder.derivations(), try VectorFolder.readable(), try VectorFolder.refused(),
            try VectorFolder.long(),
        ]
        return cases.joined().map(\.name)
    }

    @Test(arguments: VectorFolder.all)
    func noneWasLost(from folder: VectorFolder) throws {
        let count = try Self.names.get().count { $0.hasPrefix("\(folder)/") }
        #expect(count >= folder.minimumCount, "\(folder)")
    }

    @Test func everyFileIsRead() throws {
        let read = try Self.names.get()
        let files = try VectorFolder.everyFile()
        #expect(Set(read) == files, "\(files.symmetricDifference(read).sorted()) are not read by any suite")
        #expect(read.count == files.count, "a file was read twice")
    }

    @Test func everyFaultHasAVector() throws {
        let faults = Set(try VectorFolder.refused().map(\.fault))
        #expect(faults == Set(Fault.allCases))
    }
}
