import CryptorPrimitives

/// The removal of a source whose output is complete: of the very file that was read, or of none.
struct SourceRemoval: ~Copyable {
    /// Nil for a descriptor.
    private let folder: Folder?
    private let fileName: FilePath?

    /// Notes where the source is, before it is read.
    init(of endpoint: FileEndpoint, _ progress: ProgressReporter) throws(CryptorError) {
        let path = try endpoint.filePath()
        let folder = try Self.folder(of: path, endpoint.name, progress)
        self.folder = folder
        self.fileName = path?.name
    }

    private static func folder(
        of path: FilePath?, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> Folder? {
        guard let path else { return nil }
        return try progress.retrying(.openingInput, name) { () throws(SystemError) in try Folder.open(path.folder) }
    }

    /// - Parameters:
    ///   - source: what was read, to its end.
    ///   - isKept: whether the output is a file that others can find.
    func remove(_ source: borrowing InputFile, outputIsKept isKept: Bool) throws(CryptorError) {
        guard isKept else { throw .sourceKept(source.name, .outputIsStream) }
        let cause: CryptorError.SourceKept?
        do throws(SystemError) {
            cause = try reasonToKeep(source)
            if cause == nil, let fileName { try folder?.remove(fileName) }
        } catch {
            throw .sourceKept(source.name, .failure(error))
        }
        if let cause { throw .sourceKept(source.name, cause) }
    }

    private func reasonToKeep(_ source: borrowing InputFile) throws(SystemError) -> CryptorError.SourceKept? {
        guard let fileName else { return .descriptor }
        guard let named = try folder?.status(of: fileName) else { return .failure(.noSuchFile) }
        guard source.status.kind == .regular, named.kind == .regular else { return .notRegular }
        guard named.identity == source.status.identity else { return .exchanged }
        guard named.isUnchanged(since: source.status), try source.isUnchanged() else { return .changed }
        return named.linkCount == 1 ? nil : .otherNames(named.linkCount)
    }
}
