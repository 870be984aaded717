public import CryptorFormat
import CryptorPrimitives
import CryptorSystem

extension KeyPair {
    /// Reads both keys from a file that `rncryptor keygen` has written: see ``init(hexadecimal:)``.
    ///
    /// In a folder that everybody may write to, a link of another user is not followed.
    /// - Throws: `inputOutput` or `invalidPath` if it cannot be read; `invalidCredential` if it holds no keys.
    public init(keyFile file: some FileLocation) throws(CryptorError) {
        let endpoint = try file.endpoint
        let attempt = FileAttempt(.openingInput, endpoint.name)
        let place = try FilePlace(endpoint, attempt)
        let named = try place?.trustedStatus(attempt)
        var input = try InputFile(opening: endpoint, progress: ProgressReporter(nil))
        if place != nil { try attempt.checkIsStill(named, input.status) }
        // Whatever is longer is no key file, and growing would leave copies behind.
        let limit = 64 * 1024
        var text: [UInt8] = []
        text.reserveCapacity(limit)
        defer { cleanse(&text) }
        try input.append(limit, to: &text)
        do throws(CryptorError) { try self.init(hexadecimal: text) } catch { throw error.naming(endpoint.name) }
    }
}
