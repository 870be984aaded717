import CryptorPrimitives

/// Names what is read or written: a path as a `String`, the `URL` of a file, or a ``FileEndpoint``, which knows all kinds.
public protocol FileLocation {
    /// The file or the stream.
    /// - Throws: `invalidPath` for what names no file.
    var endpoint: FileEndpoint { get throws(CryptorError) }
}

/// Where a message or a plaintext comes from or goes to: a file, or an open file descriptor.
public struct FileEndpoint: Sendable, Hashable, FileLocation {
    fileprivate enum Kind: Hashable {
        case path([UInt8])
        case below(OpenFolder, path: [UInt8], isName: Bool)
        case descriptor(Int32)
    }

    fileprivate let kind: Kind

    /// The bytes of the path; nil for a descriptor. Of a file below a folder they begin with the path by which that was opened.
    public var pathBytes: [UInt8]? {
        switch kind {
        case .path(let bytes): bytes
        case .below(let folder, let path, _): folder.pathBytes(of: path)
        case .descriptor: nil
        }
    }

    /// The folder that it is below, and the path from there; nil for what is not so named.
    package var placeBelow: (folder: OpenFolder, pathBytes: [UInt8])? {
        if case .below(let folder, let path, _) = kind { (folder, path) } else { nil }
    }

    /// The descriptor; nil for a file.
    public var descriptor: Int32? { if case .descriptor(let number) = kind { number } else { nil } }

    /// Itself.
    public var endpoint: FileEndpoint { self }
}

extension String: FileLocation {
    /// The file with this path.
    public var endpoint: FileEndpoint { .path(self) }
}

extension FileLocation where Self == FileEndpoint {
    /// A file, by its path.
    public static func path(_ path: String) -> FileEndpoint { .pathBytes(Array(path.utf8)) }

    /// A file, by the bytes of its path: for names that are no UTF-8.
    public static func pathBytes(_ bytes: [UInt8]) -> FileEndpoint { FileEndpoint(kind: .path(bytes)) }

    /// A regular file in a folder that is open, by its name, which may come from others.
    ///
    /// Using it fails with `notInFolder` if the name has a slash in it, is `.` or `..`, or is that of a symbolic link, a FIFO
    /// or a device; with `inputOutput` (`EISDIR`) if it is that of a folder.
    /// - Parameters:
    ///   - name: a name, and no path.
    ///   - folder: the folder that it is in.
    public static func file(_ name: String, in folder: OpenFolder) -> FileEndpoint {
        FileEndpoint(kind: .below(folder, path: Array(name.utf8), isName: true))
    }

    /// A regular file below a folder that is open: in it, or in folders in it.
    ///
    /// Using it fails with `notInFolder` if the path begins with a slash or has `..` in it, or if the file is no regular one,
    /// but a folder: `inputOutput`. The same goes for symbolic links, to the file or to a folder on the way to it (`EXDEV`,
    /// as `openat2(2)` has it). All other paths go: for a name that comes from others there is ``file(_:in:)``.
    /// - Parameters:
    ///   - path: from the folder to the file.
    ///   - folder: where the path begins.
    public static func path(_ path: String, below folder: OpenFolder) -> FileEndpoint {
        .pathBytes(Array(path.utf8), below: folder)
    }

    /// The same, by the bytes of the path.
    public static func pathBytes(_ bytes: [UInt8], below folder: OpenFolder) -> FileEndpoint {
        FileEndpoint(kind: .below(folder, path: bytes, isName: false))
    }

    /// An open file descriptor, which stays open and stays the caller's. It is written as it is, without a temporary
    /// file: decryption reads the message twice and releases only what was verified. The position of a regular file that
    /// was read is behind what was read of it, afterwards; a ``VerifiedFile`` leaves it alone.
    public static func descriptor(_ number: Int32) -> FileEndpoint { FileEndpoint(kind: .descriptor(number)) }

    /// Descriptor 0.
    public static var standardInput: FileEndpoint { .descriptor(0) }

    /// Descriptor 1.
    public static var standardOutput: FileEndpoint { .descriptor(1) }
}

extension FileEndpoint {
    /// A file in the same folder, reached in the same way.
    /// - Parameter name: its name.
    /// - Returns: nil for a descriptor, for a path that can name a folder only, and for what is not the name of one file: none, `.`,
    ///   `..`, and what has a slash or a zero byte in it.
    public func sibling(named name: String) -> FileEndpoint? { sibling(nameBytes: Array(name.utf8)) }

    /// The same, by the bytes of the name.
    public func sibling(nameBytes name: [UInt8]) -> FileEndpoint? {
        let slash = UInt8(ascii: "/")
        func isName(_ bytes: [UInt8]) -> Bool {
            !bytes.isEmpty && bytes != Array(".".utf8) && bytes != Array("..".utf8) && !bytes.contains(slash)
                && !bytes.contains(0)
        }
        func replacingName(_ path: [UInt8]) -> [UInt8]? {
            let start = (path.lastIndex(of: slash) ?? -1) + 1
            return isName(Array(path[start...])) && isName(name) ? path[..<start] + name : nil
        }
        return switch kind {
        case .path(let bytes): replacingName(bytes).map { .pathBytes($0) }
        case .below(let folder, let path, let isName):
            replacingName(path).map { FileEndpoint(kind: .below(folder, path: $0, isName: isName)) }
        case .descriptor: nil
        }
    }

    /// Where the system finds it; nil for a descriptor.
    /// - Parameter ofFolder: whether it is to be a folder.
    func address(
        _ operation: CryptorError.FileOperation = .openingInput, ofFolder: Bool = false
    ) throws(CryptorError) -> FileAddress? {
        do throws(SystemError) {
            switch kind {
            case .path(let bytes): return FileAddress(path: try FilePath(bytes), root: nil)
            case .below(let folder, let path, let isName):
                let isOne = path != Array(".".utf8) && !path.contains(UInt8(ascii: "/"))
                guard !isName || isOne else { throw .leadsElsewhere }
                return FileAddress(path: try FilePath(below: path, isOfFolder: ofFolder), root: folder)
            case .descriptor: return nil
            }
        } catch {
            throw .invalidPath(operation, name, because: error)
        }
    }

    /// Whether nobody waits, or not for long, who opens and reads it: a regular file, by its path.
    var isQuickSource: Bool { placeBelow != nil || pathBytes != nil && kindOfFile == .regular }

    /// Whether nobody waits who opens it to write: a regular file, by its path, or none yet.
    var isQuickDestination: Bool { placeBelow != nil || pathBytes != nil && (kindOfFile ?? .regular) == .regular }

    private var kindOfFile: FileStatus.Kind? {
        guard let path = try? address()?.path else { return nil }
        return (try? FileSystem.status(of: path))?.kind
    }

    /// What errors call it.
    var name: FileName {
        switch kind {
        case .path, .below: FileName(path: pathBytes ?? [])
        case .descriptor(0): FileName(description: "standard input")
        case .descriptor(1): FileName(description: "standard output")
        case .descriptor(let number): FileName(description: "file descriptor \(number)")
        }
    }
}

extension FileEndpoint: CustomStringConvertible {
    /// For people: a name for the descriptor such as "standard input", or the path, as it can stand in a line of text: one with
    /// control characters, for example, is quoted as `$'…'`, which shells read.
    public var description: String { name.shown }
}
