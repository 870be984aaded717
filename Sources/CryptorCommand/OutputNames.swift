/// The outputs of a run below a directory, by names that some file systems take for one: these
/// ignore case, or normalise names (Unicode Standard Annex 15).
struct OutputNames {
    private struct Key: Hashable {
        let parent: ArraySlice<UInt8>
        /// Equal to another string with the same characters, in whatever form.
        let foldedName: String
    }

    private var first: [Key: [UInt8]] = [:]

    /// Adds the path of an output.
    /// - Returns: the path of another output, added before, whose name some file systems take for
    ///   this one.
    mutating func add(_ path: [UInt8]) -> [UInt8]? {
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        // Some characters become others only if they are upper case first, such as the final sigma.
        let folded = String(decoding: path[start...], as: UTF8.self).uppercased().lowercased()
        let key = Key(parent: path[..<start], foldedName: folded)
        guard let other = first[key] else {
            first[key] = path
            return nil
        }
        return other == path ? nil : other
    }
}
