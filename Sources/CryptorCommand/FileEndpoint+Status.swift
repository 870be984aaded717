import CryptorFiles
import CryptorSystem

/// What is there now. It is only looked at and never opened: a FIFO would wait for its writer.
extension FileEndpoint {
    /// Links are followed, but not below a folder. Nil if nothing is there, or the status cannot be read.
    var currentStatus: FileStatus? { (try? status()) ?? nil }

    var isExistingFile: Bool { descriptor == nil && currentStatus?.kind == .regular }

    var isFolder: Bool { currentStatus?.kind == .folder }

    /// A path is taken for what its user wants, even if it leads to a terminal.
    var isTerminal: Bool { descriptor.map { isatty($0) == 1 } ?? false }

    /// Whether its readers see at once what is written to it: a descriptor, a pipe or a device.
    var isStream: Bool {
        descriptor != nil || currentStatus.map { ![.regular, .folder, .symbolicLink].contains($0.kind) } ?? false
    }

    /// Whether it is a file that more than its owner may read.
    var isReadableByOthers: Bool {
        currentStatus.map { $0.kind == .regular && $0.mode & 0o044 != 0 } ?? false
    }

    /// Whether it is certain that nothing is there.
    var isMissing: Bool {
        do throws(CryptorError) { return try status() == nil } catch { return error.systemErrorNumber == ENOENT }
    }
}

extension Collection<UInt8> {
    /// Whether it ends in `ending` and is longer than that.
    func hasEnding(_ ending: [UInt8]) -> Bool { count > ending.count && suffix(ending.count).elementsEqual(ending) }
}
