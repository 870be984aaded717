import CryptorPrimitives

/// The removal of a source whose output is complete: of the very file that was read, or of none.
extension InputFile {
    /// - Parameter isKept: whether the output is a file that others can find.
    func remove(outputIsKept isKept: Bool) throws(CryptorError) {
        guard isKept else { throw .sourceKept(name, .outputIsStream) }
        let cause: CryptorError.SourceKept?
        do throws(SystemError) {
            cause = try reasonToKeep()
            if cause == nil { try place?.remove() }
        } catch {
            throw .sourceKept(name, .failure(error))
        }
        if let cause { throw .sourceKept(name, cause) }
    }

    private func reasonToKeep() throws(SystemError) -> CryptorError.SourceKept? {
        guard place != nil else { return .descriptor }
        guard let named = try place?.status() else { return .failure(.noSuchFile) }
        guard status.kind == .regular, named.kind == .regular else { return .notRegular }
        guard named.identity == status.identity else { return .exchanged }
        guard named.isUnchanged(since: status), try isUnchanged() else { return .changed }
        return named.linkCount == 1 ? nil : .otherNames(named.linkCount)
    }
}

extension FilePlace {
    fileprivate func status() throws(SystemError) -> FileStatus? { try folder.status(of: name) }
    fileprivate func remove() throws(SystemError) { try folder.remove(name) }
}
