import COpenSSL

/// A call of OpenSSL failed.
package struct OpenSSLError: Error, Equatable, CustomStringConvertible {
    /// The C function that failed.
    package let function: String
    /// What OpenSSL's error queue of this thread held, oldest first; it is empty afterwards (`ERR_get_error(3)`).
    package let reasons: [String]

    /// Drains the queue of this thread. Call it right after the failure, on the thread where it happened.
    init(calling function: String) {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            reasons.append(Self.text(of: code))
        }
        self.init(function: function, reasons: reasons)
    }

    package init(function: String, reasons: [String]) {
        self.function = function
        self.reasons = reasons
    }

    package var description: String {
        reasons.isEmpty ? "\(function) failed and gave no reason" : "\(function): \(reasons.joined(separator: "; "))"
    }

    /// Whether a salt was too short for the provider: those for FIPS 140 may want 16 bytes (SP 800-132).
    package var isOfShortSalt: Bool { reasons.contains { $0.hasSuffix("invalid salt length") } }

    private static func text(of code: UInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            ERR_error_string_n(code, buffer.baseAddress, buffer.count)
            return buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }
}

/// OpenSSL's functions return 1 for success and anything else for failure.
func check(_ status: CInt, calling function: String) throws(OpenSSLError) {
    guard status == 1 else { throw OpenSSLError(calling: function) }
}

/// OpenSSL's constructors return a null pointer for failure.
func check<Pointer>(_ pointer: Pointer?, calling function: String) throws(OpenSSLError) -> Pointer {
    guard let pointer else { throw OpenSSLError(calling: function) }
    return pointer
}
