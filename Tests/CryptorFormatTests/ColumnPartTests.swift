import Testing

@testable import CryptorFormat

/// A column made from a part of a larger array behaves like one made from its own strings.
@Suite struct ColumnPartTests {
    /// Parts of the array 1, 2, 3, 4: its beginning, its end, its middle, all of it, and nothing.
    private static let parts: [(offsets: [Int], strings: [[UInt8]])] = [
        ([0, 1, 2], [[1], [2]]), ([2, 3, 4], [[3], [4]]), ([1, 2, 3], [[2], [3]]), ([0, 2, 4], [[1, 2], [3, 4]]),
        ([0], []), ([2], []), ([4], []),
    ]

    @Test(arguments: parts)
    func goesOnAsItsOwn(offsets: [Int], strings: [[UInt8]]) throws {
        var column = try ByteColumn([1, 2, 3, 4], offsets: offsets)
        #expect(column == ByteColumn(strings), "nothing before its first offset or after its last is kept")
        #expect(column.bytes == strings.flatMap { $0 })
        column.append([9] as [UInt8])
        #expect((0..<column.count).map { Array(column[$0]) } == strings + [[9]])
    }

    /// A closure that removes bytes ends the process, because it would change the strings before.
    @Test func whatIsThereIsNotTakenAway() async {
        await #expect(processExitsWith: .failure) {
            var column = ByteColumn([[1, 2]])
            column.append { $0.removeLast() }
        }
        await #expect(processExitsWith: .success) {
            var column = ByteColumn([[1, 2]])
            column.append { $0.append(3) }
        }
    }
}
