/// The path of a file as the system takes it: bytes, which need not be UTF-8.
package struct FilePath: Sendable, Hashable {
    /// With the zero at its end.
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

    /// A path from a folder to what is below it.
    /// - Parameter isOfFolder: whether it may be one that can name a folder only.
    /// - Throws: `EXDEV`, as `openat2(2)` does, for what would lead out of the folder by its words: `..`, and what begins with a
    ///   slash; `EISDIR` for what can name a folder only; `ENAMETOOLONG` for what has `PATH_MAX` bytes, a bound that the system has
    ///   for whole paths only.
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

    /// Without the zero.
    package var bytes: [UInt8] { body.map { UInt8(bitPattern: $0) } }

    /// Where a symbolic link leads to, by its own words (`readlinkat(2)`).
    /// - Parameter link: its name in the folder; nil if the descriptor is of the link itself.
    init(targetOf link: FilePath?, in folder: CInt) throws(SystemError) {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(folder, link?.characters ?? [0], &target, target.count)
        guard count >= 0 else { throw SystemError.last }
        guard count < target.count else { throw SystemError(number: ENAMETOOLONG) }
        try self.init(target.prefix(count).map { UInt8(bitPattern: $0) })
    }

    package var isAbsolute: Bool { body.first == Self.slash }

    /// The names in it, without slashes.
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
