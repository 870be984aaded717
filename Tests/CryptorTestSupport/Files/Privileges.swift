import Foundation

/// Lets root test what permissions forbid, too, where a thread can give up its own privileges (`setfsuid(2)`).
package enum Privileges {
    private typealias SetUser = @convention(c) (uid_t) -> CInt

    private static let setUser: SetUser? = {
        #if os(Linux)
        guard let symbol = dlsym(nil, "setfsuid") else { return nil }
        return unsafeBitCast(symbol, to: SetUser.self)
        #else
        return nil
        #endif
    }()

    /// Whether the tests run as root, who can give files away.
    package static let areRoots = geteuid() == 0

    /// Whether `withoutRoot` keeps its promise.
    package static let canBeDropped = geteuid() != 0 || setUser != nil

    /// The user whose permissions root gets in `withoutRoot`.
    package static let nobody: uid_t = 65_534

    /// Runs `body` with the permissions of a user who is not root. `body` must stay on its thread.
    package static func withoutRoot<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard geteuid() == 0, let setUser else { return try body() }
        _ = setUser(nobody)
        defer { _ = setUser(0) }
        return try body()
    }
}
