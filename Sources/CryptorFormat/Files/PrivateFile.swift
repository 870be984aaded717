import CryptorPrimitives

/// Small files of secrets, such as key files.
package enum PrivateFile {
    /// Writes a new file that only its owner may read, whatever the umask says. It appears whole or not at all.
    /// - Parameter progress: may cancel by throwing, as with ``Cryptor``'s functions for files.
    /// - Throws: `destinationExists`, with nothing touched; `inputOutput`, `invalidPath` or `cancelled`.
    package static func write(
        _ bytes: [UInt8], toNew endpoint: FileEndpoint, progress: FileProgress.Handler?
    ) throws(CryptorError) {
        let name = endpoint.name
        guard let path = try endpoint.filePath(.creatingOutput) else {
            preconditionFailure("a descriptor is no new file")
        }
        let reporter = ProgressReporter(progress, totalBytes: bytes.count)
        let file = try UnpublishedFile.createPrivate(path, name, reporter)
        try file.write(bytes, name, reporter)
        try file.publish(name)
    }
}
