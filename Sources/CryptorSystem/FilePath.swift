import CCryptorSystem

/// The path of a file as the system takes it: bytes, which need not be UTF-8.
package struct FilePath: Sendable, Hashable {
    /// The bytes of the path, with a zero at the end.
    let characters: [CChar]

    /// - Throws: `EINVAL` for a zero byte, at which the system would stop and take another file; `ENOENT` for no bytes.
    package init(_ bytes: some Sequence<UInt8>) throws(SystemError) {
        let characters = bytes.map { CChar(bitPattern: $0) }
        guard !characters.contains(0) else { throw .holdsZero }
        guard !characters.isEmpty else { throw SystemError(number: ENOENT) }
        self.init(characters: characters)
    }

    /// A path in UTF-8.
    package init(_ text: String) throws(SystemError) {
        try self.init(text.utf8)
    }

    /// A path from a folder to something below it.
    /// - Parameter isOfFolder: whether the path may be one that can name only a folder, such as `a/` or `a/.`.
    /// - Throws: `EXDEV`, as `openat2(2)` does, if the path contains `..` or begins with a slash, and so could lead out
    ///   of the folder; `EISDIR` if it can name only a folder, unless `isOfFolder`; `ENAMETOOLONG` if it has `PATH_MAX`
    ///   bytes or more, a limit that the system applies only to paths that it gets as a whole.
    package init(below bytes: some Sequence<UInt8>, isOfFolder: Bool = false) throws(SystemError) {
        try self.init(bytes)
        guard characters.count <= Int(PATH_MAX) else { throw SystemError(number: ENAMETOOLONG) }
        let names = body.split(separator: Self.slash)
        guard !isAbsolute, !names.contains(where: { $0.elementsEqual([Self.dot, Self.dot]) }) else {
            throw .leadsElsewhere
        }
        let mayBeOfFile = body.last != Self.slash && names.last?.elementsEqual([Self.dot]) == false
        guard mayBeOfFile || isOfFolder else { throw .isFolder }
    }

    private init(characters: some Collection<CChar>) {
        self.characters = characters + [0]
    }

    private var body: ArraySlice<CChar> { characters.dropLast() }

    /// The bytes of the path, without the zero at the end.
    package var bytes: [UInt8] { body.map { UInt8(bitPattern: $0) } }

    package var isAbsolute: Bool { body.first == Self.slash }

    /// The names in the path, without slashes.
    var components: [FilePath] {
        body.split(separator: Self.slash).map { FilePath(characters: $0) }
    }

    private static let dot = CChar(UInt8(ascii: "."))
    private static let slash = CChar(UInt8(ascii: "/"))

    /// The folder that the last component is in.
    package var folder: FilePath {
        guard let slash = body.lastIndex(of: Self.slash) else {
            return FilePath(characters: [Self.dot])
        }
        return FilePath(characters: slash == 0 ? body[...slash] : body[..<slash])
    }

    /// The last component; nil if a slash ends the path, which then can name a folder only.
    package var name: FilePath? {
        let name = body[(body.lastIndex(of: Self.slash).map { $0 + 1 } ?? body.startIndex)...]
        return name.isEmpty ? nil : FilePath(characters: name)
    }
}
