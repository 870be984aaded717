import CryptorFormat
package import CryptorSystem

// Directories for outputs, as the command makes them.
extension FileEndpoint {
    /// Makes a directory with this path.
    /// - Parameter attributes: the rights that it takes; nil for 0777 less the umask.
    /// - Returns: also the directory; nil if another one has taken its place.
    /// - Throws: `inputOutput`, with `EEXIST` if the name is taken.
    package func makeDirectory(
        like attributes: FileAttributes?
    ) throws(CryptorError) -> (rights: DirectoryDescriptor.Rights, directory: Directory?) {
        let place = try directoryPlace()
        var made = try place.context.call(
            try place.directory.makeDirectory(place.name, like: attributes))
        let rights = made.rights
        guard let directory = made.directory.take(), let path = pathBytes else {
            return (rights, nil)
        }
        return (rights, Directory(directory, path: path))
    }

    /// Removes the directory with this path, which must be empty.
    package func removeDirectory() throws(CryptorError) {
        let place = try directoryPlace()
        try place.context.call(try place.directory.removeDirectory(place.name))
    }

    private func directoryPlace() throws(CryptorError) -> FilePlace {
        let context = FileContext(.creatingOutput, name)
        guard let place = try FilePlace(self, context) else {
            throw context.failure("It is not the path of a directory.", code: .invalidPath)
        }
        return place
    }
}
