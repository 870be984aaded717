import CryptorFiles

/// Walks what contents may have been before something happened to them, breadth first. Each result
/// is made anew from the contents, so that no more than one is in memory.
struct AlterationSearch {
    /// What was undone, one step after the other.
    typealias Path = [Step]

    struct Step {
        let alteration: Alteration
        /// In the contents before this step.
        let site: Alteration.Site
        let advice: String
        /// Whether lines are read like this anyway.
        var isOfLine = false

        /// What is left of all bytes; nil if there is nothing to undo after all.
        func undo(_ bytes: [UInt8]) -> [UInt8]? {
            let part = site.part == bytes.indices ? bytes : Array(bytes[site.part])
            guard let decode = alteration.decoder(site) else { return part }
            return decode(part, true)
        }
    }

    /// How many steps are undone, at most. Each takes a second for some hundred MiB.
    private let maximumDepth: Int
    /// How many more results are made, which bounds their total length.
    private var restCount: Int
    private let contents: Contents
    private let lineDecoder: Diagnoser.LineDecoder?

    init(_ contents: Contents, decodingLines lineDecoder: Diagnoser.LineDecoder? = nil) {
        self.contents = contents
        self.lineDecoder = lineDecoder
        maximumDepth = contents.isShort ? 4 : 2
        restCount = max(4, min(256, (1 << 30) / max(1, contents.byteCount)))
    }

    /// The first that `visit` returns, for the contents themselves or for one result after the
    /// other.
    mutating func first<Found>(
        _ visit: (Contents, Path) throws(CryptorError) -> Found?
    ) throws(CryptorError) -> Found? {
        if let found = try visit(contents, []) { return found }
        var paths = readSteps(into: contents).map { [$0] }
        for depth in 1...maximumDepth {
            var longer: [Path] = []
            for path in paths where restCount > 0 {
                restCount -= 1
                guard let result = try self.result(of: path) else { continue }
                if let found = try visit(result, path) { return found }
                guard depth < maximumDepth else { continue }
                longer += readSteps(into: result).filter { step in
                    guard let followers = path.compactMap(\.alteration.followers).first else {
                        return true
                    }
                    return followers.contains(step.alteration.cause)
                        && path.last?.alteration.adviceIfRead == nil
                }.map { path + [$0] }
            }
            paths = longer
        }
        return nil
    }

    /// What is left of the contents; nil if there was nothing to undo.
    func result(of path: Path) throws(CryptorError) -> Contents? {
        var result = contents
        for step in path {
            guard let left = try result.undoing(step, isWorthwhile: Self.isWorthwhile) else {
                return nil
            }
            result = left
        }
        return result
    }

    /// Whether what begins like this may be a message, or there is more to undo.
    private static func isWorthwhile(_ start: [UInt8]) -> Bool {
        if MessageShape(start).mayBegin { return true }
        return !steps(into: Contents(start) { false }).isEmpty
    }

    /// What may have happened last to the contents. It is marked if it leaves what the decoder of
    /// lines does, and that is no text, which would have been decoded twice.
    private func readSteps(into contents: Contents) -> [Step] {
        var steps = Self.steps(into: contents)
        guard let lineDecoder, !steps.isEmpty, let message = lineDecoder(contents.excerpt),
            !ByteLook(Contents(message) { false }).isText
        else { return steps }
        for index in steps.indices {
            steps[index].isOfLine = steps[index].undo(contents.excerpt) == message
        }
        return steps
    }

    /// What may have happened last to the contents.
    private static func steps(into contents: Contents) -> [Step] {
        let look = ByteLook(contents)
        var steps: [Step] = []
        for alteration in Alteration.all {
            for var site in alteration.sites(look) {
                site.part = contents.range(ofExcerpt: site.part)
                steps.append(
                    Step(
                        alteration: alteration, site: site, advice: alteration.advice(site, look)))
            }
        }
        return steps
    }
}
