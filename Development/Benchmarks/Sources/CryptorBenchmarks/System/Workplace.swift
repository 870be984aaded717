import Foundation

/// A private directory that is removed, with its files, when the object goes.
final class Workplace {
    private let directory: URL

    /// - Parameters:
    ///   - parent: the directory to make it in.
    ///   - byteCount: how many bytes the files will have.
    init(in parent: String, room byteCount: Int) throws {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: parent)
        guard let available = (attributes?[.systemFreeSize] as? NSNumber)?.intValue,
            available >= byteCount
        else {
            throw BenchmarkError.skipped("\(parent) has no room for \(Figures.binary(byteCount))")
        }
        directory = URL(filePath: parent).appending(path: "cryptor-benchmarks-\(UUID())")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// The path of a file of this name. A file that exists there is removed.
    func fresh(_ name: String) -> String {
        let file = directory.appending(path: name)
        try? FileManager.default.removeItem(at: file)
        return file.path
    }

    func create(_ bytes: [UInt8], times: Int = 1, to name: String) throws -> String {
        let path = fresh(name)
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: attributes)
        else {
            throw BenchmarkError.failed("\(path) cannot be made")
        }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        let piece = Data(bytes)
        for _ in 0..<times { try file.write(contentsOf: piece) }
        try file.close()
        return path
    }
}

extension Data {
    /// The bytes of a file, mapped to be compared.
    init(mapping path: String) throws {
        try self.init(contentsOf: URL(filePath: path), options: .alwaysMapped)
    }
}
