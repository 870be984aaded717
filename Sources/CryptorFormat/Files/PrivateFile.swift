import CryptorPrimitives

/// Small files that hold secrets, such as key files.
package enum PrivateFile {
    /// Writes a new file that only its owner may read, whatever the umask says. It appears complete or not at all.
    /// - Parameter progress: may cancel by throwing, as with ``Cryptor``'s functions for files.
    /// - Throws: `destinationExists`, with nothing touched; `inputOutput`, `invalidPath` or `cancelled`.
    package static func write(
        _ bytes: [UInt8], toNew endpoint: FileEndpoint, progress: FileProgress.Handler?
    ) throws(CryptorError) {
        let name = endpoint.name
        guard let address = try endpoint.address(.creatingOutput) else {
            preconditionFailure("a descriptor is no new file")
        }
        let reporter = ProgressReporter(progress, totalBytes: bytes.count)
        let file = try UnpublishedFile.createPrivate(address, FileAttempt(.creatingOutput, name, progress: reporter))
        try file.write(bytes, name: name, progress: reporter)
        try file.publish(name)
    }

    /// Opens a file for reading. As for all inputs, other users' links in world-writable folders are not followed. For
    /// a FIFO, this waits until it has a writer.
    /// - Parameters:
    ///   - progress: may cancel by throwing.
    ///   - body: gets the descriptor. Reads from it do not wait.
    package static func reading<Result>(
        _ endpoint: FileEndpoint, progress: FileProgress.Handler?, _ body: (CInt) -> Result
    ) throws(CryptorError) -> Result {
        let attempt = FileAttempt(.openingInput, endpoint.name, progress: ProgressReporter(progress, totalBytes: nil))
        let place = try FilePlace.ofFile(try endpoint.address(), attempt)
        let file = try place.openFile(for: .read, attempt)
        try attempt.retrying { () throws(SystemError) in
            if try file.status().kind == .fifo { try attempt.progress.wait(for: file, toRead: true) }
        }
        return body(file.rawValue)
    }
}
