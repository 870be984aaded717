/// A call of the system failed.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// `errno(3)`.
    package let number: CInt

    package init(number: CInt) {
        self.number = number
    }

    /// What the last call of this thread left in `errno`.
    static var last: SystemError { SystemError(number: errno) }

    /// What may not be done, or is not to be done.
    package static let notPermitted = SystemError(number: EPERM)

    /// What would lead out of a folder (`openat2(2)`).
    package static let leadsElsewhere = SystemError(number: EXDEV)

    /// Of a path in which a zero byte is.
    package static let holdsZero = SystemError(number: EINVAL)

    /// Of a descriptor that is closed, or open for something else.
    static let notOpenForThis = SystemError(number: EBADF)

    package static let isFolder = SystemError(number: EISDIR)

    /// The call was interrupted by a signal, before it did anything.
    package static let interrupted = SystemError(number: EINTR)

    /// Makes a call that does not wait for anybody, again if a signal interrupts it.
    package static func retryingInterrupted<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        while true {
            do throws(SystemError) { return try body() } catch { guard error == .interrupted else { throw error } }
        }
    }

    /// The system's words, such as "No space left on device".
    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "error \(number)" }
            return strerror_r(number, start, buffer.count) == 0 ? String(cString: start) : "error \(number)"
        }
    }
}
