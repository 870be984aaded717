/// The path of a file as the system takes it: bytes, which need not be UTF-8.
package struct FilePath: Sendable, Hashable {
    /// With the zero at its end.
    let characters: [CChar]
    /// How many of its last names may be no symbolic links.
    private let linkFreeNameCount: Int

    /// - Throws: `EINVAL` for a zero byte, at which the system would stop and take another file; `ENOENT` for no bytes.
    package init(_ bytes: some Sequence<UInt8>) throws(SystemError) {
        let characters = bytes.map { CChar(bitPattern: $0) }
        guard !characters.contains(0) else { throw SystemError(number: EINVAL) }
        guard !characters.isEmpty else { throw SystemError(number: ENOENT) }
        self.init(characters: characters)
    }

    /// A path in UTF-8.
    package init(_ text: String) throws(SystemError) {
        try self.init(text.utf8)
    }

    /// A path below a folder: no link after that is followed, neither to a folder nor to the file.
    /// - Throws: `EXDEV`, as `openat2(2)` does, for what would lead out of the folder by its words: `..`, and what begins with a
    ///   slash.
    package init(_ bytes: some Sequence<UInt8>, below folder: some Sequence<UInt8>) throws(SystemError) {
        let (folder, path) = (try FilePath(folder), try FilePath(bytes))
        let names = path.components
        let parent = try FilePath("..")
        guard !path.isAbsolute, !names.contains(parent) else { throw .leadsElsewhere }
        self.init(characters: folder.body + [Self.slash] + path.body, linkFreeNameCount: names.count)
    }

    private init(characters: some Collection<CChar>, linkFreeNameCount: Int = 0) {
        self.characters = characters + [0]
        self.linkFreeNameCount = linkFreeNameCount
    }

    /// Whether its last name may be a link.
    package var mayBeLink: Bool { linkFreeNameCount == 0 }

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
        let names = body.split(separator: Self.slash)
        let first = names.count - linkFreeNameCount
        return names.enumerated().map { FilePath(characters: $1, linkFreeNameCount: $0 < first ? 0 : 1) }
    }

    private static let slash = CChar(UInt8(ascii: "/"))

    /// The folder that the last component is in.
    package var folder: FilePath {
        guard let slash = body.lastIndex(of: Self.slash) else {
            return FilePath(characters: [CChar(UInt8(ascii: "."))])
        }
        return FilePath(
            characters: slash == 0 ? body[...slash] : body[..<slash], linkFreeNameCount: max(0, linkFreeNameCount - 1))
    }

    /// The last component; nil if a slash ends the path, which then can name a folder only.
    package var name: FilePath? {
        let name = body.suffix(while: { $0 != Self.slash })
        return name.isEmpty ? nil : FilePath(characters: name, linkFreeNameCount: mayBeLink ? 0 : 1)
    }
}

extension Collection where Self: BidirectionalCollection {
    /// The longest end whose elements all fit.
    fileprivate func suffix(while fits: (Element) -> Bool) -> SubSequence {
        self[(lastIndex { !fits($0) }.map(index(after:)) ?? startIndex)...]
    }
}
