import CryptorSystem
package import CryptorFormat
import CryptorPrimitives

/// Small files that hold secrets, such as key files.
package enum PrivateFile {
    /// Writes a new file that only its owner may read, whatever the umask says. It appears complete or not at all.
    /// - Parameter progress: may cancel by throwing, as with ``Cryptor``'s functions for files.
    /// - Throws: `destinationExists`, with nothing touched; `inputOutput`, `invalidPath` or `cancelled`.
    package static func write(
        _ bytes: [UInt8], toNew endpoint: FileEndpoint, progress: FileProgress.Handler?
    ) throws(CryptorError) {
        let attempt = FileAttempt(.creatingOutput, endpoint.name, progress: ProgressReporter(progress))
        guard let place = try FilePlace(endpoint, attempt) else { preconditionFailure("a descriptor is no new file") }
        let file = try UnpublishedFile.createPrivate(at: place, attempt)
        try file.write(bytes, attempt.writing)
        try file.publish(attempt.writing)
    }

    /// Opens a file for reading. In a folder for everybody, a link of another user is not followed. For a FIFO, this waits
    /// until it has a writer.
    /// - Parameters:
    ///   - progress: may cancel by throwing.
    ///   - body: gets the descriptor.
    package static func reading<Result>(
        _ endpoint: FileEndpoint, progress: FileProgress.Handler?, _ body: (CInt) -> Result
    ) throws(CryptorError) -> Result {
        let attempt = FileAttempt(.openingInput, endpoint.name, progress: ProgressReporter(progress))
        guard let place = try FilePlace(endpoint, attempt) else { preconditionFailure("a descriptor is open already") }
        let named = try place.trustedStatus(attempt)
        // A constant keeps the file open until the end of this function.
        let file = try place.openInput(attempt)
        try attempt.checkIsStill(named, try attempt(try file.status()))
        return body(file.rawValue)
    }

    /// Opens a terminal by its path for writing, with the checks of any other output and without waiting.
    /// - Returns: a descriptor, which the caller closes; nil for anything but a terminal, even if it was opened.
    package static func terminal(_ endpoint: FileEndpoint) throws(CryptorError) -> Int32? {
        let attempt = FileAttempt(.creatingOutput, endpoint.name)
        guard let place = try FilePlace(endpoint, attempt), !place.isBelowFolder,
            let status = try place.trustedStatus(attempt), [.other, .symbolicLink].contains(status.kind)
        else { return nil }
        let file = try attempt(try place.folder.open(place.name, for: .write, following: true, waiting: false))
        return file.isTerminal ? file.release() : nil
    }
}

extension FileAttempt {
    /// Another user's link may have taken the name of a file with secrets between the look at it and its opening.
    func checkIsStill(_ named: FileStatus?, _ opened: FileStatus) throws(CryptorError) {
        guard named?.kind != .symbolicLink, named?.identity != opened.identity else { return }
        throw failure("Another file took its name while it was opened.", because: .notPermitted)
    }
}
