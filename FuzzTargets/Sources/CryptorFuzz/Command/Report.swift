@testable import CryptorPrimitives

/// In place of the command's: what it would say is kept.
enum Report {
    private static let complaints = Lock<[String]>([])

    static func complain(_ error: CommandError) { complaints.withLock { $0.append(error.message) } }

    static func takeComplaints() -> [String] {
        complaints.withLock { complaints in
            defer { complaints = [] }
            return complaints
        }
    }
}
