import CryptorPrimitives

/// The removal of a source whose output is complete. Only the very file that was read is removed.
extension InputFile {
    /// - Parameter isKept: whether the output is a file that others can find.
    func remove(outputIsKept isKept: Bool) throws(CryptorError) {
        guard isKept else { throw .sourceKept(name, .outputIsStream) }
        let cause: CryptorError.SourceKept?
        do throws(SystemError) { cause = try removed() } catch { cause = .failure(error) }
        if let cause { throw .sourceKept(name, cause) }
    }

    /// - Returns: why the source was kept; nil if it is gone.
    private func removed() throws(SystemError) -> CryptorError.SourceKept? {
        guard place != nil else { return .descriptor }
        guard let named = try place?.status() else { return .failure(.noSuchFile) }
        guard status.kind == .regular, named.kind == .regular else { return .notRegular }
        guard named.identity == status.identity else { return .exchanged }
        guard named.isUnchanged(since: status), try isUnchanged() else { return .changed }
        guard named.linkCount == 1 else { return .otherNames(named.linkCount) }
        return try place?.remove(status)
    }
}

extension FilePlace {
    fileprivate func status() throws(SystemError) -> FileStatus? { try folder.status(of: name) }

    /// Removes the file that was read, which still had its name a moment ago.
    ///
    /// The file first gets another name and is checked under that, where nobody can put another file in its place.
    /// - Returns: why the file was kept; nil if it is gone.
    fileprivate func remove(_ read: FileStatus) throws(SystemError) -> CryptorError.SourceKept? {
        let other = try TemporaryFile.freshName()
        do throws(SystemError) {
            try folder.renameUnlessTaken(name, to: other)
        } catch {
            guard error.isOfUnknownFlag else { throw error }
            try folder.remove(name)
            return nil
        }
        var cause: CryptorError.SourceKept? =
            switch try? folder.status(of: other) {
            case let found? where found.holdsTheSame(as: read):
                found.linkCount == 1 ? nil : .otherNames(found.linkCount)
            case let found? where found.identity == read.identity: .changed
            default: .exchanged
            }
        if cause == nil {
            do throws(SystemError) {
                try folder.remove(other)
                return nil
            } catch {
                cause = .failure(error)
            }
        }
        do throws(SystemError) { try folder.renameUnlessTaken(other, to: name) } catch {
            return .renamed(FileName(path: other.bytes))
        }
        return cause
    }
}
