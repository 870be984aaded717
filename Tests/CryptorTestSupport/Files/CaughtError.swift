import CryptorFormat

/// The library's error that `work` throws; nil if it throws none. What else it throws is the caller's.
package func caughtError(of work: () throws -> Void) throws -> CryptorError? {
    do {
        try work()
        return nil
    } catch let error as CryptorError {
        return error
    }
}
