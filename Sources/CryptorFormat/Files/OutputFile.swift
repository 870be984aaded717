import CryptorPrimitives

/// A file that is being written.
///
/// At a path where a file can be put, it appears there whole or not at all: it is written without a name, or under a
/// temporary one, and published at the end. Anywhere else (standard output, a pipe, a device) it is a stream.
struct OutputFile: ~Copyable {
    /// How it gets its name, depending on who has that name by then.
    private enum Publication {
        case none
        case creating
        case replacing
        /// This file was read, and no other may be replaced.
        case replacingSource(FileStatus.Identity)
    }

    let name: String
    private let descriptor: FileDescriptor
    private let publication: Publication
    /// Where it will be, free of links.
    private let path: String
    /// The name it has until then, if it has one.
    private var temporaryPath: String?
    /// The mode that the published file should have, if it does not have it yet.
    private let mode: mode_t?

    /// Whether somebody may see what is written before it is published. Nobody sees what a null device gets.
    let isSeenAtOnce: Bool

    private var isStream: Bool {
        if case .none = publication { true } else { false }
    }

    private init(
        _ descriptor: consuming FileDescriptor, name: String, path: String, publication: Publication,
        temporaryPath: String? = nil, mode: mode_t? = nil
    ) {
        self.descriptor = descriptor
        self.name = name
        self.path = path
        self.publication = publication
        self.temporaryPath = temporaryPath
        self.mode = mode
        self.isSeenAtOnce = false
    }

    private init(stream descriptor: consuming FileDescriptor, name: String) {
        // Of what was opened: the path may lead elsewhere by now.
        let isNullDevice = (try? descriptor.status())?.isNullDevice ?? false
        self.descriptor = descriptor
        self.name = name
        self.path = ""
        self.publication = .none
        self.mode = nil
        self.isSeenAtOnce = !isNullDevice
    }

    deinit {
        // Not published: nothing may stay. If even that fails, the name says what the file is.
        if let temporaryPath { try? FileSystem.remove(temporaryPath) }
    }

    // MARK: Opening

    /// - Parameters:
    ///   - source: what is read.
    ///   - allowingSameFile: whether it may be replaced by the output.
    static func open(
        _ endpoint: FileEndpoint, overwriting: Bool, source: FileStatus, allowingSameFile: Bool = false,
        progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let name = endpoint.description
        switch endpoint {
        case .descriptor(let number):
            let descriptor = FileDescriptor(borrowing: number)
            let status = try progress.retrying(.creatingOutput, name) { () throws(SystemError) in
                try descriptor.status()
            }
            guard !isSameFile(status, source) else { throw .sameFile(name) }
            return OutputFile(stream: descriptor, name: name)
        case .path(let path):
            let status = try progress.retrying(.creatingOutput, name) { () throws(SystemError) in
                try FileSystem.status(of: path)
            }
            let isSource = status.map { isSameFile($0, source) } ?? false
            if isSource && !allowingSameFile { throw .sameFile(path) }
            let publication: Publication =
                if overwriting { .replacing } else if isSource { .replacingSource(source.identity) } else { .creating }
            return try open(path, status, publication, progress)
        }
    }

    private static func isSameFile(_ status: FileStatus, _ other: FileStatus) -> Bool {
        status.kind == .regular && status.identity == other.identity
    }

    private static func open(
        _ path: String, _ existing: FileStatus?, _ publication: Publication, _ progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        switch existing?.kind {
        case .folder?:
            throw .inputOutput(.creatingOutput, path, .isFolder)
        case .other?, .symbolicLink?:
            let stream = try progress.retrying(.creatingOutput, path) { () throws(SystemError) in
                try FileDescriptor.open(path, for: .write)
            }
            return OutputFile(stream: stream, name: path)
        case .regular?:
            if case .creating = publication { throw .destinationExists(path) }
            // The file that a link leads to is replaced, not the link.
            let resolved = try progress.retrying(.creatingOutput, path) { () throws(SystemError) in
                try FileSystem.resolved(path)
            }
            return try unpublished(resolved, name: path, replacing: existing, publication, progress)
        case nil:
            let link = try progress.retrying(.creatingOutput, path) { () throws(SystemError) in
                try FileSystem.status(of: path, followingLinks: false)
            }
            guard link == nil else { throw .danglingLink(path) }
            return try unpublished(path, name: path, replacing: nil, publication, progress)
        }
    }

    private static func unpublished(
        _ path: String, name: String, replacing existing: FileStatus?, _ publication: Publication,
        _ progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        if let anonymous = TemporaryFile.anonymous(inFolder: folder(of: path), mode: 0o666) {
            return OutputFile(
                anonymous, name: name, path: path, publication: publication, mode: existing?.mode)
        }
        let temporaryPath = TemporaryFile.freshPath(inFolder: folder(of: path))
        let descriptor = try TemporaryFile.create(at: temporaryPath, for: name, progress)
        return OutputFile(
            descriptor, name: name, path: path, publication: publication, temporaryPath: temporaryPath,
            mode: existing?.mode ?? 0o666 & ~FileSystem.fileCreationMask())
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    // MARK: Writing

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8], _ progress: ProgressReporter) throws(CryptorError) {
        try progress.write(bytes, to: descriptor, named: name)
    }

    // MARK: Publishing

    /// Makes the file durable and, if it is no stream, gives it its name, in one step.
    consuming func publish() throws(CryptorError) {
        do throws(SystemError) {
            try descriptor.synchronize()
            if isStream { return }
            if let mode { try descriptor.setMode(mode) }
            switch publication {
            case .none: return
            case .creating: try create()
            case .replacing: try replace()
            case .replacingSource(let identity): try replace(onlyIf: identity)
            }
            try FileSystem.synchronize(folder: Self.folder(of: path))
        } catch {
            if error == .exists { throw .destinationExists(name) }
            throw .inputOutput(.writingOutput, name, error)
        }
    }

    private mutating func create() throws(SystemError) {
        guard let temporaryPath else { return try descriptor.link(to: path) }
        do throws(SystemError) {
            try FileSystem.link(temporaryPath, to: path)
        } catch {
            // A file system without hard links: what is there is looked for just before the name is taken.
            guard error != .exists else { throw error }
            guard try FileSystem.status(of: path, followingLinks: false) == nil else { throw .exists }
            try FileSystem.rename(temporaryPath, to: path)
            self.temporaryPath = nil
        }
    }

    private mutating func replace(onlyIf identity: FileStatus.Identity) throws(SystemError) {
        guard let status = try FileSystem.status(of: path, followingLinks: false) else { return try create() }
        guard status.identity == identity else { throw .exists }
        try replace()
    }

    private mutating func replace() throws(SystemError) {
        let source = temporaryPath ?? TemporaryFile.freshPath(inFolder: Self.folder(of: path))
        if temporaryPath == nil {
            try descriptor.link(to: source)
            temporaryPath = source
        }
        try FileSystem.rename(source, to: path)
        temporaryPath = nil
    }
}
