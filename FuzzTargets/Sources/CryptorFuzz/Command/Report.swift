@testable import CryptorPrimitives

/// Replaces the command's type, and keeps the complaints that the command would print.
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
