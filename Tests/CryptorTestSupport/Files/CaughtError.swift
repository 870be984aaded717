import CryptorFiles
import CryptorFormat

/// Returns the library's error that `work` throws, or nil if it throws none. Other errors are thrown on.
package func caughtError(of work: () throws -> Void) throws -> CryptorError? {
    do {
        try work()
        return nil
    } catch let error as CryptorError {
        return error
    }
}
