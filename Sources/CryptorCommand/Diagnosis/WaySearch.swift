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

    /// What is long is undone twice at most, because each time takes a second for 256 MiB.
    private let maximumDepth: Int
    private static let longByteCount = 32 * 1024 * 1024

    let bytes: [UInt8]
    /// How many results are made, which bounds their product.
    private var restCount: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let isLong = bytes.count > Self.longByteCount
        maximumDepth = isLong ? 2 : 4
        restCount = max(4, min(256, (1 << 30) / max(1, bytes.count)))
    }

    /// The first that `visit` returns, for the bytes themselves or for one result after the other.
    mutating func first<Found>(
        _ visit: ([UInt8], Path) throws(CommandError) -> Found?
    ) throws(CommandError) -> Found? {
        if let found = try visit(bytes, []) { return found }
        var paths = try commandError(try Self.steps(into: bytes)).map { [$0] }
        for depth in 1...maximumDepth {
            var longer: [Path] = []
            for path in paths where restCount > 0 {
                restCount -= 1
                guard let result = try commandError(try self.result(of: path)) else { continue }
                if let found = try visit(result, path) { return found }
                guard depth < maximumDepth else { continue }
                longer += try commandError(try Self.steps(into: result)).map { path + [$0] }
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

    /// What may have happened last to these bytes.
    private static func steps(into bytes: [UInt8]) throws(CryptorError) -> [Step] {
        let look = try ByteLook(bytes)
        var steps: [Step] = []
        for (index, way) in Way.all.enumerated() {
            let isOfText = index < Way.texts.count
            for place in try way.places(bytes, look) {
                steps.append(Step(way: way, place: place, isOfText: isOfText))
            }
        }
        return steps
    }
}
