import CryptorPrimitives

/// The removal of a source whose output is complete: of the very file that was read, or of none.
struct SourceRemoval: ~Copyable {
    private let folder: Folder
    private let fileName: FilePath

    /// Notes where the source is, before it is read; nil for what has no name.
    init?(of endpoint: FileEndpoint, _ progress: ProgressReporter) throws(CryptorError) {
        guard let path = try endpoint.filePath(), let fileName = path.name else { return nil }
        self.folder = try progress.retrying(.openingInput, endpoint.name) { () throws(SystemError) in
            try Folder.open(path.folder)
        }
        self.fileName = fileName
    }

    /// - Parameters:
    ///   - source: what was read, to its end.
    ///   - isKept: whether the output is a file that others can find.
    func remove(_ source: borrowing InputFile, outputIsKept isKept: Bool) throws(CryptorError) {
        guard isKept else { throw .sourceKept(source.name, .outputIsStream) }
        let cause: CryptorError.SourceKept?
        do throws(SystemError) {
            cause = try reasonToKeep(source)
            if cause == nil { try folder.remove(fileName) }
        } catch {
            throw .sourceKept(source.name, .failure(error))
        }
        if let cause { throw .sourceKept(source.name, cause) }
    }

    private func reasonToKeep(_ source: borrowing InputFile) throws(SystemError) -> CryptorError.SourceKept? {
        guard let named = try folder.status(of: fileName) else { return .failure(.noSuchFile) }
        guard source.status.kind == .regular, named.kind == .regular else { return .notRegular }
        guard named.identity == source.status.identity else { return .exchanged }
        guard named.isUnchanged(since: source.status), try source.isUnchanged() else { return .changed }
        return named.linkCount == 1 ? nil : .otherNames(named.linkCount)
    }
}
