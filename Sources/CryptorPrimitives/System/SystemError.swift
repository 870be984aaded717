/// A call of the system failed.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// `errno(3)`.
    package let number: CInt

    package init(number: CInt) {
        self.number = number
    }

    /// What the last call of this thread left in `errno`.
    static var last: SystemError { SystemError(number: errno) }

    /// The call was interrupted by a signal, before it did anything.
    package static let interrupted = SystemError(number: EINTR)

    /// The system's words, such as "No space left on device".
    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "error \(number)" }
            return strerror_r(number, start, buffer.count) == 0 ? String(cString: start) : "error \(number)"
        }
    }
}
