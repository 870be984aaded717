import COpenSSL

/// A call of OpenSSL failed.
@usableFromInline
package struct OpenSSLError: Error, Equatable, CustomStringConvertible {
    /// The C function that failed.
    package let function: String
    /// The reasons in OpenSSL's words, oldest first: see ``callingOpenSSL(mayLeaveReasons:_:)``.
    package fileprivate(set) var reasons: [String]

    package init(function: String, reasons: [String] = []) {
        self.function = function
        self.reasons = reasons
    }

    @usableFromInline
    package var description: String {
        reasons.isEmpty ? "\(function) failed and gave no reason" : "\(function): \(reasons.joined(separator: "; "))"
    }

    /// Whether OpenSSL could not give random bytes.
    package var isOfRandomness: Bool { function.hasPrefix("RAND_") || function.hasPrefix("EVP_RAND_") }

    /// Whether a salt was too short for the provider. One for FIPS 140 may want 16 bytes (SP 800-132).
    package var isOfShortSalt: Bool { reasons.contains { $0.hasSuffix("invalid salt length") } }

    fileprivate static func text(of code: UInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            ERR_error_string_n(code, buffer.baseAddress, buffer.count)
            return buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }
}

/// Calls `body`, which calls OpenSSL. An error that it throws gets the reasons that OpenSSL has put into a queue of the
/// thread (`ERR_get_error(3)`).
///
/// The program uses the queue as well: its own reasons stay in their order, and those that `body` added are removed.
/// The queue has room for 15 reasons. If it is full, a failure drops the oldest one, as with any call of OpenSSL.
///
/// Calls may be nested, and the innermost takes the reasons. A call costs about 15 ns.
/// - Parameter mayLeaveReasons: whether OpenSSL may succeed and nevertheless leave reasons, as it may when it fetches
///   or sets up something. They are removed as well, which costs as much again.
@inlinable
@inline(__always)
package func callingOpenSSL<Result: ~Copyable>(
    mayLeaveReasons: Bool = false, _ body: () throws(OpenSSLError) -> Result
) throws(OpenSSLError) -> Result {
    let isMarked = ReasonQueue.mark()
    do throws(OpenSSLError) {
        let result = try body()
        if isMarked || mayLeaveReasons { ReasonQueue.popToMark() }
        return result
    } catch {
        throw ReasonQueue.explain(error, isMarked: isMarked)
    }
}

/// OpenSSL's queue of reasons of this thread.
@usableFromInline
enum ReasonQueue {
    /// - Returns: false if the queue is empty, so that there is nothing to mark.
    @usableFromInline
    static func mark() -> Bool { ERR_set_mark() == 1 }

    /// Removes the reasons above the mark, or all if nothing was marked.
    @usableFromInline
    static func popToMark() { ERR_pop_to_mark() }

    /// Moves the new reasons from the queue into `error`, unless it has reasons already.
    @usableFromInline
    static func explain(_ error: OpenSSLError, isMarked: Bool) -> OpenSSLError {
        var error = error
        let reasons = isMarked ? takeLast() : takeAll()
        if error.reasons.isEmpty { error.reasons = reasons }
        return error
    }

    private static func takeAll() -> [String] {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { return reasons }
            reasons.append(OpenSSLError.text(of: code))
        }
    }

    /// Removes the reasons above the mark and returns the newest, the only one of them that OpenSSL shows. Returns none
    /// if it equals the marked one, since then perhaps nothing was added.
    private static func takeLast() -> [String] {
        let last = ERR_peek_last_error()
        ERR_pop_to_mark()
        return last == ERR_peek_last_error() ? [] : [OpenSSLError.text(of: last)]
    }
}

/// OpenSSL's functions return 1 for success and anything else for failure.
func expectOne(_ status: CInt, calling function: String) throws(OpenSSLError) {
    guard status == 1 else { throw OpenSSLError(function: function) }
}

/// OpenSSL's constructors return a null pointer for failure.
func expectPointer<Pointer>(_ pointer: Pointer?, calling function: String) throws(OpenSSLError) -> Pointer {
    guard let pointer else { throw OpenSSLError(function: function) }
    return pointer
}
