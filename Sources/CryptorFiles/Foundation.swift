#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

import CryptorFormat

extension URL: FileLocation {
    /// The file with this path, which must be UTF-8.
    /// - Throws: `invalidPath` unless it is the URL of a file.
    public var endpoint: FileEndpoint {
        get throws(CryptorError) {
            guard isFileURL, ["", "localhost"].contains(host(percentEncoded: true) ?? "") else {
                // Only the scheme is named, because the rest may hold a password.
                let kind = scheme.map { "A URL that begins with \($0):" } ?? "A relative URL"
                throw CryptorError(
                    .invalidPath,
                    "\(kind) does not name a file. Use one that begins with file:, or a path.")
            }
            // A path that is not UTF-8 becomes an empty one, which names no file.
            return .pathBytes(Array(path(percentEncoded: false).utf8))
        }
    }
}
#endif
