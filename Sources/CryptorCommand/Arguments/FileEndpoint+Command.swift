import CryptorFiles
import CryptorSystem

// The path.
extension FileEndpoint {
    /// The last component; nil for a descriptor, and for a path that ends with a slash.
    var nameBytes: [UInt8]? {
        let names = pathBytes?.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let name = names?.last, !name.isEmpty else { return nil }
        return Array(name)
    }

    /// The directory that the file is in or would be created in.
    var directory: FileEndpoint {
        changingPath { path in (try? FilePath(path))?.directory.bytes ?? path }
    }
}

/// What is there now. It is only looked at and never opened: a FIFO would wait for its writer.
extension FileEndpoint {
    /// Links are followed, but not below a directory. Nil if nothing is there, or the status cannot
    /// be read.
    var currentStatus: FileStatus? { (try? status()) ?? nil }

    var isExistingFile: Bool { descriptor == nil && currentStatus?.kind == .regular }

    var isDirectory: Bool { currentStatus?.kind == .directory }

    /// Whether it is a FIFO, a socket or a device, which may never come to an end.
    var isPipeOrDevice: Bool {
        guard let status = currentStatus else { return false }
        return ![.regular, .directory, .symbolicLink].contains(status.kind)
    }

    /// A path is taken for what its user wants, even if it leads to a terminal.
    var isTerminal: Bool {
        guard let descriptor else { return false }
        return isatty(descriptor) == 1
    }

    /// Whether its readers see at once what is written to it: a descriptor, a pipe or a device.
    var isStream: Bool {
        descriptor != nil || isPipeOrDevice
    }

    var isReadableByOthers: Bool {
        guard let status = currentStatus else { return false }
        return status.kind == .regular && status.mode & 0o044 != 0
    }

    /// Whether it is certain that nothing is there.
    var isMissing: Bool {
        do throws(CryptorError) { return try status() == nil } catch {
            return error.systemErrorNumber == ENOENT
        }
    }
}
