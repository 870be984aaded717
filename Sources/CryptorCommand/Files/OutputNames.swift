/// The outputs of a run below a directory, by names that some file systems take for one: these
/// ignore case, or normalise names (Unicode Standard Annex 15).
struct OutputNames {
    private struct Key: Hashable {
        let parent: ArraySlice<UInt8>
        /// Equal to another string with the same characters, in whatever form.
        let foldedName: String
        /// The name itself if it is not text, which nothing folds.
        let bytes: ArraySlice<UInt8>?
    }

    private var first: [Key: [UInt8]] = [:]

    /// Adds the path of an output.
    /// - Returns: the path of another output, added before, whose name some file systems take for
    ///   this one.
    mutating func add(_ path: [UInt8]) -> [UInt8]? {
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        let name = path[start...]
        let text = String(validating: name, as: UTF8.self)
        // Some file systems ignore characters that are not shown. Some characters become others
        // only if they are upper case first, such as the final sigma.
        var shown = String.UnicodeScalarView()
        for scalar in (text ?? "").unicodeScalars
        where !scalar.properties.isDefaultIgnorableCodePoint {
            shown.append(scalar)
        }
        let key = Key(
            parent: path[..<start], foldedName: String(shown).uppercased().lowercased(),
            bytes: text == nil ? name : nil)
        guard let other = first[key] else {
            first[key] = path
            return nil
        }
        return other == path ? nil : other
    }
}
