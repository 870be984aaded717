import Foundation

/// What permissions withhold can be tested by root, too, where a thread can give its own privileges up (`setfsuid(2)`).
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

    /// Whether files can be given away.
    package static let areRoots = geteuid() == 0

    /// Whether `withoutRoot` keeps its promise.
    package static let canBeDropped = geteuid() != 0 || setUser != nil

    /// Whose permissions `withoutRoot` gives to root.
    package static let nobody: uid_t = 65_534

    /// Runs `body` with the permissions of somebody who is not root. It must stay on its thread.
    package static func withoutRoot<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard geteuid() == 0, let setUser else { return try body() }
        _ = setUser(nobody)
        defer { _ = setUser(0) }
        return try body()
    }
}
