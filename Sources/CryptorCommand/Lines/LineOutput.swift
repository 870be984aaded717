import CryptorFiles

/// Where lines go. Standard output gets them at once, and so does another stream that `--output`
/// names. A file appears when it is whole.
struct LineOutput: ~Copyable {
    private let endpoint: FileEndpoint
    private let isStream: Bool
    /// Nil for standard output.
    private var file: OutputFile?

    init(_ endpoint: FileEndpoint, overwrites: Bool) throws(CommandError) {
        self.endpoint = endpoint
        // Its name may be gone after the work.
        isStream = endpoint.isStream
        guard endpoint.descriptor == nil else {
            file = nil
            return
        }
        do throws(CryptorError) {
            file = try OutputFile.open(
                endpoint, FileOptions(overwriting: overwrites), progress: Interruption.check)
        } catch {
            throw CommandError(error, writingTo: endpoint, isStream: isStream)
        }
    }

    mutating func write(_ lines: [UInt8]) throws(CommandError) {
        guard file != nil else { return try Report.write(lines) }
        do throws(CryptorError) { try file?.write(lines) } catch {
            throw CommandError(error, writingTo: endpoint, isStream: isStream)
        }
    }

    /// Gives the file its name.
    consuming func publish() throws(CommandError) {
        do throws(CryptorError) {
            try AttributeWarning.watch(endpoint) { () throws(CryptorError) in
                try file.take()?.publish()
            }
        } catch {
            throw CommandError(error, writingTo: endpoint, isStream: isStream)
        }
    }

    /// Removes the file, which is not to be published, and says so if that fails.
    consuming func discard() {
        guard let file else { return }
        do throws(CryptorError) { try file.discard() } catch {
            Report.complain(CommandError(error))
        }
    }

    /// What is to be said after a signal.
    /// - Parameter doneCount: how many lines were written.
    func interrupted(after doneCount: Int) -> CommandError {
        guard isStream else { return .interrupted }
        return CommandError(
            .interrupted,
            "interrupted; \(doneCount.counted("line")) done, and perhaps part of the next one")
    }
}
