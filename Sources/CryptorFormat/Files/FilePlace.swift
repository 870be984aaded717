import CryptorPrimitives

/// Where a file has its name, or is to have it: a folder that is opened once, and a name in it.
///
/// Whoever exchanges the folder under its path meanwhile, or a link on the way to it, moves nothing.
struct FilePlace: ~Copyable {
    let folder: Folder
    let name: FilePath
    private let folderPath: FilePath

    /// - Returns: nil for no path, and for one that can name a folder only.
    static func open(
        _ path: FilePath?, _ operation: CryptorError.FileOperation, _ fileName: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> FilePlace? {
        guard let path, let name = path.name else { return nil }
        let folder = try progress.retrying(operation, fileName) { () throws(SystemError) -> Folder in
            try Folder.open(path.folder)
        }
        return FilePlace(folder: folder, name: name, folderPath: path.folder)
    }

    /// A place beside this one: in the very same folder, if the path says that it is in the same one.
    func beside(
        _ path: FilePath, _ fileName: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> FilePlace? {
        guard path.folder == folderPath, let name = path.name else { return nil }
        let folder = try progress.retrying(.creatingOutput, fileName) { () throws(SystemError) -> Folder in
            try self.folder.duplicate()
        }
        return FilePlace(folder: folder, name: name, folderPath: folderPath)
    }

    /// The place that the symbolic link of this name leads to.
    /// - Returns: nil if that can be a folder only.
    func target(_ fileName: FileName, _ progress: ProgressReporter) throws(CryptorError) -> FilePlace? {
        let target = try progress.retrying(.creatingOutput, fileName) { () throws(SystemError) in
            try folder.target(of: name)
        }
        guard let targetName = target.name else { return nil }
        let targetFolder = try progress.retrying(.creatingOutput, fileName) { () throws(SystemError) -> Folder in
            try folder.folder(target.folder)
        }
        return FilePlace(folder: targetFolder, name: targetName, folderPath: target.folder)
    }

    /// Opens what has the name now, for reading.
    func openFile(_ fileName: FileName, _ progress: ProgressReporter) throws(CryptorError) -> FileDescriptor {
        try progress.opening(.openingInput, fileName) { () throws(SystemError) in try folder.open(name, for: .read) }
    }

    /// `fstatat(2)`, of a link itself; nil if there is no such file.
    func status(_ fileName: FileName, _ progress: ProgressReporter) throws(CryptorError) -> FileStatus? {
        try progress.retrying(.creatingOutput, fileName) { () throws(SystemError) in try folder.status(of: name) }
    }
}
