import CryptorSystem
import COpenSSL

/// A call of OpenSSL failed.
@usableFromInline
package struct OpenSSLError: Error, Equatable, CustomStringConvertible {
    /// The C function that failed.
    let function: String
    /// The reason in OpenSSL's words; nil if it gave none, or nobody looked for it.
    private(set) var reason: String?

    /// The failure of a call that this thread has just made. ``keepingReasons(_:)`` adds the
    /// reason.
    init(failed function: String, reason: String? = nil) {
        self.function = function
        self.reason = reason
    }

    @usableFromInline
    package var description: String {
        reason.map { "\(function): \($0)" } ?? "\(function) failed"
    }

    fileprivate mutating func quote(_ code: UInt) {
        guard reason == nil else { return }
        reason = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            ERR_error_string_n(code, buffer.baseAddress, buffer.count)
            return buffer.baseAddress.map { String(cString: $0) }
        }
    }
}

/// Calls `body`, which calls OpenSSL. Afterwards this thread's queue of reasons
/// (`ERR_get_error(3)`) is as it was before, with the marks in it: it belongs to the program that
/// embeds this library. A failure gets the newest reason that `body` has added.
@inlinable @inline(__always)
package func keepingReasons<Result: ~Copyable>(
    _ body: () throws(OpenSSLError) -> Result
) throws(OpenSSLError) -> Result {
    let mark = ReasonMark()
    do throws(OpenSSLError) {
        let result = try body()
        // A success adds nothing to an empty queue.
        if mark.isSet { mark.remove() }
        return result
    } catch { throw mark.remove(quotingIn: error) }
}

/// A mark of this library's in the thread's queue of reasons (`ERR_set_mark(3)`).
@usableFromInline
struct ReasonMark {
    /// An empty queue has no place for a mark.
    @usableFromInline let isSet: Bool
    /// The newest reason of the program's; 0 for none.
    private let newest: UInt

    @usableFromInline
    init() {
        // The queue is a use of OpenSSL, too. If this fails, so does what comes next.
        try? prepareOpenSSL()
        isSet = ERR_set_mark() == 1
        newest = isSet ? ERR_peek_last_error() : 0
    }

    /// Called after a success.
    @usableFromInline
    func remove() { ERR_pop_to_mark() }

    /// Called after a failure.
    @usableFromInline
    func remove(quotingIn error: OpenSSLError) -> OpenSSLError {
        var error = error
        // If it is the same as the program's, it may be the program's.
        let reason = ERR_peek_last_error()
        if reason != newest { error.quote(reason) }
        ERR_pop_to_mark()
        return error
    }
}

/// OpenSSL's functions return 1 for success and anything else for failure.
@inline(__always)
func expectOne(_ status: CInt, calling function: String) throws(OpenSSLError) {
    guard status == 1 else { throw OpenSSLError(failed: function) }
}

/// OpenSSL's constructors return a null pointer for failure.
func expectPointer<Pointer>(_ pointer: Pointer?, calling function: String) throws(OpenSSLError)
    -> Pointer
{
    guard let pointer else { throw OpenSSLError(failed: function) }
    return pointer
}
