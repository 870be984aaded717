/// The content of the working folder.
struct FolderContent: Equatable {
    enum Entry: Equatable {
        case file([UInt8])
        case link(String)
        case folder
    }

    var entries: [String: Entry] = [:]

    init() {
        for bytes in WorkingFolder.names {
            let name = String(decoding: bytes, as: UTF8.self)
            let path = WorkingFolder.path(of: name)
            var status = stat()
            guard lstat(path, &status) == 0 else { fail("\(name) cannot be looked at") }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                var target = [CChar](repeating: 0, count: 256)
                let count = readlink(path, &target, target.count)
                entries[name] = .link(String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
            case S_IFDIR: entries[name] = .folder
            default: entries[name] = .file(WorkingFolder.read(name) ?? [])
            }
        }
    }

    /// The name at which the links from a name end; nil if they form a loop.
    func end(of name: String) -> String? {
        var name = name
        for _ in 0...entries.count {
            guard case .link(let target) = entries[name] else { return name }
            name = target
        }
        return nil
    }

    /// The bytes that can be read under a name; nil if no file can.
    func bytes(of name: String) -> [UInt8]? {
        guard let end = end(of: name), case .file(let bytes) = entries[end] else { return nil }
        return bytes
    }
}
