import CryptorFiles

/// Writes records anew that are not under the primary of a keyring. It begins at the first one each
/// time, and needs no memory of former runs: a record that is done costs an HMAC.
struct RotationJob {
    let database: Database
    let cryptor: KeyedCryptor
    private(set) var rotatedCount = 0
    /// The records that do not open. They stay as they are.
    private(set) var failures: [(id: Int, error: CryptorError)] = []

    init(database: Database, cryptor: KeyedCryptor) {
        self.database = database
        self.cryptor = cryptor
    }

    mutating func run(didRotate: (_ count: Int) -> Void = { _ in }) throws {
        var batch = try database.records(limit: 200)
        while let last = batch.last {
            try database.transaction {
                for record in batch {
                    do {
                        guard let message = try cryptor.rotate(record.message) else { continue }
                        try database.replace(record, with: message)
                        rotatedCount += 1
                        didRotate(rotatedCount)
                    } catch let error as CryptorError {
                        failures.append((record.id, error))
                    }
                }
            }
            batch = try database.records(after: last.id, limit: 200)
        }
    }
}
