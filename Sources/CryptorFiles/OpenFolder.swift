public import CryptorFormat
package import CryptorSystem

/// A folder that is opened once. Names are looked up in this very folder, even if somebody moves
/// it, or puts another in its place, meanwhile.
///
/// Use it for folders that others may write to, and for names that come from others: `.file(_:in:)`
/// names a file in it, and `.path(_:below:)` one at any depth below it. The folder stays open while
/// this object, or a ``FileEndpoint`` below it, exists. No symbolic links are followed below it
/// (`invalidPath`, with `EXDEV` as of `openat2(2)`), and only regular files are read or written
/// (`invalidPath`; `inputOutput` for a folder). File systems that are mounted there are entered.
public final class OpenFolder: Sendable {
    let folder: Folder
    /// The path by which the folder was opened.
    private let path: [UInt8]

    /// Opens a folder. Symbolic links in its path are followed; in a path below another
    /// ``OpenFolder`` none is.
    /// - Parameter location: the path or the URL of a folder, or an endpoint for a folder below
    ///   another ``OpenFolder``.
    /// - Throws: `inputOutput`, or `invalidPath`.
    public init(at location: some FileLocation) throws(CryptorError) {
        let endpoint = try location.endpoint
        let context = FileContext(.openingInput, endpoint.name)
        guard let path = try endpoint.address(context), let bytes = endpoint.pathBytes else {
            throw context.failure("It is not the path of a folder. Give one.", code: .invalidPath)
        }
        folder = try context.call(try endpoint.folder(at: path))
        self.path = bytes
    }

    /// What is in the folder, in the order of the names' bytes, and which folder it is.
    package func listing() throws(CryptorError) -> (
        folder: FileStatus.Identity, entries: [(name: [UInt8], status: FileStatus?)]
    ) {
        let context = FileContext(.openingInput, FileName(path: path))
        let identity = try context.call(try folder.status()).identity
        return (identity, try context.call(try folder.entries()))
    }

    /// The path of this folder with `path` appended, for errors and to show to people.
    func pathBytes(of path: [UInt8]) -> [UInt8] {
        self.path.isEmpty || self.path.last == UInt8(ascii: "/")
            ? self.path + path : self.path + Array("/".utf8) + path
    }
}
