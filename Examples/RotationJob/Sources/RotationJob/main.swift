import CryptorFiles
import Foundation

struct Failure: Error {
    let check: String
}

func check(_ name: String, _ isRight: Bool) throws {
    guard isRight else { throw Failure(check: name) }
    print("ok      \(name)")
}

let recordCount = 4000
let brokenRecords = [2500, 3900]

func plaintext(of id: Int) -> [UInt8] {
    Array("name=User \(id), born=\(1900 + id % 100)".utf8)
}

func keys(_ name: String, in directory: URL) throws -> Credential {
    .keys(try MessageKeys(keyFile: directory.appending(path: name)))
}

/// The job, as a service's configuration describes it: a database, the new keys, the old ones.
func job(in directory: URL) throws -> RotationJob {
    let keyring = try Credential.keyring(
        primary: keys("new.key", in: directory), previous: [keys("old.key", in: directory)])
    let database = try Database(at: directory.appending(path: "records.sqlite").path)
    return try RotationJob(database: database, cryptor: KeyedCryptor(keyring))
}

/// Fills the table with records under the old keys. Some are broken.
func insertRecords(into database: Database, with cryptor: KeyedCryptor) throws {
    try database.transaction {
        for id in 1...recordCount {
            var message = try cryptor.encrypt(plaintext(of: id))
            if brokenRecords.contains(id) { message[30] ^= 1 }
            try database.insert((id, message))
        }
    }
}

/// Runs the job in a second process of this program, and kills it in the middle of a transaction.
func killJob(in directory: URL) throws {
    let child = Process()
    let output = Pipe()
    child.executableURL = Bundle.main.executableURL
    child.arguments = [directory.path]
    child.standardInput = Pipe()
    child.standardOutput = output
    try child.run()
    _ = output.fileHandleForReading.availableData
    kill(child.processIdentifier, SIGKILL)
    child.waitUntilExit()
    try check("the first run is killed", child.terminationReason == .uncaughtSignal)
}

/// What the second process does: it says when it is half-way, and waits there.
func runHalfOfJob(in directory: URL) throws {
    var job = try job(in: directory)
    try job.run { count in
        guard count == recordCount / 2 + 7 else { return }
        print("half-way")
        fflush(nil)
        _ = readLine()
    }
}

func demonstrate(in directory: URL) throws {
    for name in ["old.key", "new.key"] {
        try MessageKeys.random().writeKeyFile(to: directory.appending(path: name))
    }
    let new = try KeyedCryptor(keys("new.key", in: directory))
    var second = try job(in: directory)
    let database = second.database
    try insertRecords(into: database, with: KeyedCryptor(keys("old.key", in: directory)))
    let before = try database.records()

    try killJob(in: directory)
    let half = new.decryptAll(try database.records().map(\.message))
    try check("its last transaction is undone", half.count { (try? $0.get()) != nil } == 2000)

    try second.run()
    try check("the second run does the others", second.rotatedCount == 1998)
    try check("it names the broken records", second.failures.map(\.id) == brokenRecords)
    for (id, error) in second.failures { print("        \(id): \(error.summary)") }

    let after = try database.records()
    try check("no record is lost", after.map(\.id) == Array(1...recordCount))
    for (old, record) in zip(before, after) {
        if brokenRecords.contains(record.id) {
            try check("record \(record.id) is as it was", record.message == old.message)
        } else if try new.decrypt(record.message) != plaintext(of: record.id) {
            throw Failure(check: "record \(record.id) has its plaintext")
        }
    }
    print("ok      the others open under the new keys alone")

    var third = try job(in: directory)
    try third.run()
    try check("a third run finds nothing to do", third.rotatedCount == 0)
}

if CommandLine.arguments.count == 2 {
    try runHalfOfJob(in: URL(filePath: CommandLine.arguments[1]))
    exit(1)
}
let directory = FileManager.default.temporaryDirectory.appending(path: "RotationJob-\(UUID())")
let result = Result {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try demonstrate(in: directory)
}
try? FileManager.default.removeItem(at: directory)
if case .failure(let error) = result {
    print("FAILED  \(error)")
    exit(1)
}
