import CryptorFormat
package import CryptorSystem

// Directories for outputs, as the command makes them.
extension FileEndpoint {
    /// Makes a directory with this path.
    /// - Parameter attributes: the rights that it takes; nil for 0777 less the umask.
    /// - Throws: `inputOutput`, with `EEXIST` if the name is taken.
    package func makeDirectory(
        like attributes: FileAttributes?
    ) throws(CryptorError) -> DirectoryDescriptor.Rights {
        let place = try directoryPlace(.creatingOutput)
        return try place.context.call(
            try place.directory.makeDirectory(place.name, like: attributes))
    }

    /// Removes the directory with this path, which must be empty.
    package func removeDirectory() throws(CryptorError) {
        let place = try directoryPlace(.creatingOutput)
        try place.context.call(try place.directory.removeDirectory(place.name))
    }

    /// Makes the name of a directory durable.
    /// - Parameter directory: the directory that has this path.
    package func synchronizeName(of directory: Directory) throws(CryptorError) {
        let place = try directoryPlace(.writingOutput)
        try place.context.call(
            try place.directory.synchronize(directory: directory.directory))
    }

    private func directoryPlace(
        _ operation: CryptorError.FileOperation
    ) throws(CryptorError) -> FilePlace {
        let context = FileContext(operation, name)
        guard let place = try FilePlace(self, context) else {
            throw context.failure("It is not the path of a directory.", code: .invalidPath)
        }
        return place
    }
}
