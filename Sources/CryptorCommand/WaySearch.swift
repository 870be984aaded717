import CryptorFiles

/// Walks what bytes may have been before something happened to them, breadth first. Only the bytes
/// themselves and one copy are in memory, so each result is made anew from the bytes.
struct WaySearch {
    /// What was undone, one after the other.
    typealias Path = [Step]

    struct Step {
        let way: Way
        let place: Int
        /// Whether text was made into something else, which looks like what it is. Bytes look like
        /// a message after other changes once in a while.
        let isOfText: Bool
    }

    private static let maximumDepth = 4

    let bytes: [UInt8]
    /// How many results are made, which bounds their product.
    private var restCount: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        restCount = max(8, min(256, (1 << 31) / max(1, bytes.count)))
    }

    /// The first that `visit` returns, for the bytes themselves or for one result after the other.
    mutating func first<Found>(
        _ visit: ([UInt8], Path) throws(CommandError) -> Found?
    ) throws(CommandError) -> Found? {
        if let found = try visit(bytes, []) { return found }
        var paths: [Path] = [[]]
        for _ in 0..<Self.maximumDepth {
            var longer: [Path] = []
            for path in paths {
                for step in try commandError(try steps(after: path)) where restCount > 0 {
                    restCount -= 1
                    let result = try commandError(try self.result(of: path + [step]))
                    guard let result else { continue }
                    longer.append(path + [step])
                    if let found = try visit(result, path + [step]) { return found }
                }
            }
            paths = longer
        }
        return nil
    }

    /// What is left of the bytes; nil if there was nothing to undo.
    func result(of path: Path) throws(CryptorError) -> [UInt8]? {
        var result = bytes
        for step in path {
            if Interruption.signal != 0 { throw .cancelled }
            guard try step.way.undo(&result, step.place) else { return nil }
        }
        return result
    }

    private func steps(after path: Path) throws(CryptorError) -> [Step] {
        guard let result = try result(of: path) else { return [] }
        let look = try ByteLook(result)
        var steps: [Step] = []
        for (index, way) in Way.all.enumerated() {
            let isOfText = index < Way.texts.count
            for place in try way.places(result, look) {
                steps.append(Step(way: way, place: place, isOfText: isOfText))
            }
        }
        return steps
    }
}
