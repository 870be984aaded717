import CCryptorSystem

/// The path of a file as the system takes it: bytes, which need not be UTF-8.
package struct FilePath: Sendable, Hashable {
    /// The bytes of the path, with a zero at the end.
    let characters: [CChar]

    /// - Throws: `EINVAL` for a zero byte, at which the system would stop and take another file;
    ///   `ENOENT` for no bytes.
    package init(_ bytes: some Sequence<UInt8>) throws(SystemError) {
        let characters = bytes.map { CChar(bitPattern: $0) }
        guard !characters.contains(0) else { throw SystemError(number: EINVAL) }
        guard !characters.isEmpty else { throw SystemError(number: ENOENT) }
        self.init(characters: characters)
    }

    /// A path in UTF-8.
    init(_ text: String) throws(SystemError) { try self.init(text.utf8) }

    private init(characters: some Collection<CChar>) { self.characters = characters + [0] }

    private static let dot = CChar(UInt8(ascii: "."))
    private static let slash = CChar(UInt8(ascii: "/"))

    private var body: ArraySlice<CChar> { characters.dropLast() }

    /// The bytes of the path, without the zero at the end.
    package var bytes: [UInt8] { body.map { UInt8(bitPattern: $0) } }

    /// The names in the path, without slashes; nil if it might lead out of the directory in which
    /// it begins, because it begins with a slash or has `..` in it.
    package var componentsBelow: [FilePath]? {
        let names = body.split(separator: Self.slash)
        guard body.first != Self.slash, !names.contains([Self.dot, Self.dot]) else { return nil }
        return names.map { FilePath(characters: $0) }
    }

    /// The directory that the last component is in.
    package var directory: FilePath {
        guard let slash = body.lastIndex(of: Self.slash) else {
            return FilePath(characters: [Self.dot])
        }
        return FilePath(characters: slash == 0 ? body[...slash] : body[..<slash])
    }

    /// The last component. If a slash ends the path, which then can name a directory only, that is
    /// `.` in this directory.
    package var name: FilePath {
        let name = body[(body.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0)...]
        return FilePath(characters: name.isEmpty ? [Self.dot] : name)
    }
}
