import CryptorSystem
import COpenSSL

/// A call of OpenSSL failed.
@usableFromInline
package struct OpenSSLError: Error, Equatable, CustomStringConvertible {
    /// The C function that failed.
    let function: String
    /// The reason in OpenSSL's words; nil if it gave none.
    let reason: String?

    init(function: String, reason: String?) {
        self.function = function
        self.reason = reason
    }

    /// The failure of a call that this thread has just made.
    ///
    /// Nothing else looks into the thread's queue of reasons (`ERR_get_error(3)`). The newest is
    /// taken and the queue is cleared, so that none of them is blamed on a later failure. The
    /// reasons of the program that embeds this library go as well.
    init(failed function: String) {
        let code = ERR_peek_last_error()
        self.init(function: function, reason: code == 0 ? nil : Self.text(of: code))
        ERR_clear_error()
    }

    @usableFromInline
    package var description: String {
        reason.map { "\(function): \($0)" } ?? "\(function) failed and gave no reason"
    }

    private static func text(of code: UInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            ERR_error_string_n(code, buffer.baseAddress, buffer.count)
            return buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
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
