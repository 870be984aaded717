import CryptorPrimitives

// Many messages in one call. For a column, a context is taken from the pool once for several messages.
extension KeyedCryptor {
    /// For how many messages a context is taken.
    private static let groupCount = 32

    /// Encrypts each of `plaintexts` as ``encrypt(_:)-([UInt8])`` would.
    /// - Returns: for each plaintext, in their order, its message or its error.
    public func encryptAll(
        _ plaintexts: some Collection<some Collection<UInt8>>
    ) -> [Result<[UInt8], CryptorError>] {
        plaintexts.map { plaintext in Result { () throws(CryptorError) in try encrypt(plaintext) } }
    }

    /// Decrypts each of `messages` as ``decrypt(_:accepting:)`` would, with the same errors.
    /// - Returns: for each message, in their order, its authentic plaintext or its error.
    public func decryptAll(
        _ messages: some Collection<some Collection<UInt8>>, accepting: Acceptance = .default
    ) -> [Result<[UInt8], CryptorError>] {
        messages.map { message in
            Result { () throws(CryptorError) in try decrypt(message, accepting: accepting) }
        }
    }

    /// Encrypts each string of a column, without an allocation for each.
    /// - Returns: the messages, and the plaintexts that failed.
    public func encryptAll(_ plaintexts: ByteColumn) -> ColumnResult {
        var result = ColumnResult()
        let byteCount = (0..<plaintexts.count).reduce(0) { sum, index in
            sum + Self.messageByteCount(for: plaintexts.span(index).byteCount)
        }
        result.column.reserve(byteCount: byteCount, count: plaintexts.count)
        inGroups(plaintexts, into: &result) { plaintext in
            plaintext.byteCount <= Self.maximumByteCount
        } short: { (plaintext, context, column) throws(OpenSSLError) in
            try column.append(capacity: Self.messageByteCount(for: plaintext.byteCount)) {
                (output) throws(OpenSSLError) in try context.write(plaintext, into: &output)
            }
            return nil
        } other: { (plaintext, column) throws(CryptorError) in
            try column.append(capacity: Self.messageByteCount(for: plaintext.byteCount)) {
                (output) throws(CryptorError) in try encrypt(plaintext, into: &output)
            }
        }
        return result
    }

    /// Decrypts each message of a column, without an allocation for each.
    /// - Returns: the authentic plaintexts, and the messages that were refused.
    public func decryptAll(_ messages: ByteColumn, accepting: Acceptance = .default) -> ColumnResult {
        var result = ColumnResult()
        result.column.reserve(byteCount: messages.bytes.count, count: messages.count)
        let acceptsPlain = accepting.accepted.contains(.v3)
        inGroups(messages, into: &result) { message in
            acceptsPlain && Self.isShortKeyMessage(message)
        } short: { (message, context, column) throws(OpenSSLError) in
            var fault: MessageFault?
            try column.append(capacity: message.byteCount - Self.overheadByteCount) { (output) throws(OpenSSLError) in
                fault = try context.read(message, into: &output)
            }
            return fault
        } other: { (message, column) throws(CryptorError) in
            let plaintext = try decrypt(Array(copying: message), accepting: accepting)
            column.append { $0 += plaintext }
        }
        return result
    }

    /// Adds a string to `result` for each of `inputs`.
    /// - Parameters:
    ///   - isShort: whether `short` processes an input; otherwise `other` does.
    ///   - short: appends a string, which is empty if it returns a fault.
    private func inGroups(
        _ inputs: ByteColumn, into result: inout ColumnResult, isShort: (RawSpan) -> Bool,
        short: (RawSpan, inout KeyedContext, inout ByteColumn) throws(OpenSSLError) -> MessageFault?,
        other: (RawSpan, inout ByteColumn) throws(CryptorError) -> Void
    ) {
        while result.column.count < inputs.count {
            let end = min(result.column.count + Self.groupCount, inputs.count)
            do throws(OpenSSLError) {
                try callingOpenSSL { () throws(OpenSSLError) in
                    try pool.withContext(useCount: end - result.column.count) { (context) throws(OpenSSLError) in
                        while result.column.count < end {
                            let index = result.column.count
                            let input = inputs.span(index)
                            guard isShort(input) else { return }
                            if let fault = try short(input, &context, &result.column) {
                                result.failures.append(ColumnResult.Failure(index: index, error: fault.error))
                            }
                        }
                    }
                }
            } catch {
                result.add { (_) throws(CryptorError) in throw .openSSL(error) }
                continue
            }
            guard result.column.count < end else { continue }
            let input = inputs.span(result.column.count)
            result.add { (column) throws(CryptorError) in try other(input, &column) }
        }
    }
}
