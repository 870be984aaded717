package import CCryptorSystem

/// The process in which something was made: threads, or a lock that they may hold. A child after a
/// fork has a copy of the lock and none of the threads, so it must neither use them nor wait.
///
/// Where the kernel has no mark, the process ID decides. Random numbers must not rely on that: in a
/// PID namespace, or once its parent has ended, a child may have its parent's ID. They ask
/// ``ForkMark``.
package struct ProcessIdentity: Sendable {
    @usableFromInline let mark: UInt64?
    @usableFromInline let id: pid_t

    /// The present process.
    package init() {
        mark = ForkMark.current
        id = getpid()
    }

    /// Whether it is the present process.
    @inlinable package var isCurrent: Bool {
        guard let mark else { return id == getpid() }
        return mark == ForkMark.current
    }
}
