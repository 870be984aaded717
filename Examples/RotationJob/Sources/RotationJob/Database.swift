import CSQLite

struct DatabaseError: Error {
    let message: String
}

/// A table of encrypted records in SQLite.
final class Database {
    typealias Record = (id: Int, message: [UInt8])

    private var handle: OpaquePointer?

    init(at path: String) throws {
        try expect(SQLITE_OK, sqlite3_open(path, &handle))
        try expect(SQLITE_OK, sqlite3_busy_timeout(handle, 10_000))
        try run(
            "CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, message BLOB NOT NULL)")
    }

    deinit {
        sqlite3_close(handle)
    }

    func records(after id: Int = 0, limit: Int = -1) throws -> [Record] {
        try run("SELECT * FROM records WHERE id > ?1 ORDER BY id LIMIT ?2", integers: [id, limit])
    }

    func insert(_ record: Record) throws {
        try run(
            "INSERT INTO records VALUES (?1, ?2)", integers: [record.id], blobs: [record.message])
    }

    /// Replaces a message, unless somebody else has replaced it.
    func replace(_ record: Record, with message: [UInt8]) throws {
        try run(
            "UPDATE records SET message = ?3 WHERE id = ?1 AND message = ?2",
            integers: [record.id], blobs: [record.message, message])
    }

    /// Makes all changes of a body, or none if it throws or this process is killed.
    func transaction(_ body: () throws -> Void) throws {
        try run("BEGIN IMMEDIATE")
        do {
            try body()
            try run("COMMIT")
        } catch {
            // Fails if SQLite has done so by itself, as it does if the disk is full.
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    @discardableResult
    private func run(
        _ sql: String, integers: [Int] = [], blobs: [[UInt8]] = []
    ) throws -> [Record] {
        var statement: OpaquePointer?
        try expect(SQLITE_OK, sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        var index: Int32 = 0
        for integer in integers {
            index += 1
            try expect(SQLITE_OK, sqlite3_bind_int64(statement, index, Int64(integer)))
        }
        // SQLITE_TRANSIENT, a macro that Swift does not see: SQLite copies the bytes.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for blob in blobs {
            index += 1
            let count = Int32(blob.count)
            try expect(SQLITE_OK, sqlite3_bind_blob(statement, index, blob, count, copies))
        }
        var records: [Record] = []
        var status = sqlite3_step(statement)
        while status == SQLITE_ROW {
            let message = UnsafeRawBufferPointer(
                start: sqlite3_column_blob(statement, 1),
                count: Int(sqlite3_column_bytes(statement, 1)))
            records.append((Int(sqlite3_column_int64(statement, 0)), Array(message)))
            status = sqlite3_step(statement)
        }
        try expect(SQLITE_DONE, status)
        return records
    }

    private func expect(_ expected: Int32, _ status: Int32) throws {
        guard status == expected else {
            throw DatabaseError(message: String(cString: sqlite3_errmsg(handle)))
        }
    }
}
