import CryptorPrimitives

// Many messages in one call. For a column, a context is taken from the pool once for several messages.
extension KeyedCryptor {
    /// For how many messages a context is taken.
    private static let groupCount = 32
    #if MultiBuffer
    /// How many bytes are worked on side by side: so few that those hashed are still in the second-level cache when
    /// they are decrypted.
    private static let groupByteCount = 256 * 1024
    #endif

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
        inGroups(plaintexts, into: &result) { result in
            encryptSideBySide(plaintexts, into: &result)
        } isShort: { plaintext in
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
        inGroups(messages, into: &result) { result in
            acceptsPlain && decryptSideBySide(messages, into: &result)
        } isShort: { message in
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
    ///   - sideBySide: is called first, may process several of the next inputs, and returns whether it did.
    ///   - isShort: whether `short` processes an input; otherwise `other` does.
    ///   - short: appends a string, which is empty if it returns a fault.
    private func inGroups(
        _ inputs: ByteColumn, into result: inout ColumnResult, sideBySide: (inout ColumnResult) -> Bool,
        isShort: (RawSpan) -> Bool,
        short: (RawSpan, inout KeyedContext, inout ByteColumn) throws(OpenSSLError) -> MessageFault?,
        other: (RawSpan, inout ByteColumn) throws(CryptorError) -> Void
    ) {
        while result.column.count < inputs.count {
            if sideBySide(&result) { continue }
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

// MARK: Several at a time

extension KeyedCryptor {
    #if MultiBuffer
    /// The next of `inputs` that are short enough, and the `MultiBuffer` to process them; nil if there is none, or too
    /// few inputs for it.
    private func next(
        of inputs: ByteColumn, after count: Int, _ isShort: (RawSpan) -> Bool
    ) -> (MultiBuffer, [Range<Int>])? {
        guard let multiBuffer else { return nil }
        let end = min(count + MultiBuffer.maximumMessageCount, inputs.count)
        let last = inputs.offsets[count] + Self.groupByteCount
        let ranges = (count..<end).prefix { inputs.offsets[$0] < last && isShort(inputs.span($0)) }.map(inputs.range)
        return ranges.count >= MultiBuffer.minimumMessageCount ? (multiBuffer, ranges) : nil
    }

    private func encryptSideBySide(_ plaintexts: ByteColumn, into result: inout ColumnResult) -> Bool {
        let next = next(of: plaintexts, after: result.column.count) { plaintext in
            Self.messageByteCount(for: plaintext.byteCount) <= MultiBuffer.maximumByteCount
        }
        guard let (multiBuffer, ranges) = next else { return false }
        let byteCounts = ranges.map { Self.messageByteCount(for: $0.count) }
        let bytes = plaintexts.bytes
        do throws(OpenSSLError) {
            try result.column.appendSeveral(capacity: byteCounts.reduce(0, +)) { (output) throws(OpenSSLError) in
                try multiBuffer.encrypt(
                    ranges, of: bytes.rawSpan(0..<bytes.count), start: [FormatVersion.v3.rawValue, 0], into: &output)
                return byteCounts
            }
            return true
        } catch {
            // The caller uses OpenSSL instead, which succeeds or reports what is wrong.
            return false
        }
    }

    private func decryptSideBySide(_ messages: ByteColumn, into result: inout ColumnResult) -> Bool {
        let first = result.column.count
        let next = next(of: messages, after: first) { message in
            message.byteCount <= MultiBuffer.maximumByteCount && Self.isShortKeyMessage(message)
        }
        guard let (multiBuffer, ranges) = next else { return false }
        let bytes = messages.bytes
        var failures: [ColumnResult.Failure] = []
        do throws(OpenSSLError) {
            // The order is that of `MessageReader`: no message is decrypted before its tag has matched.
            let all = bytes.rawSpan(0..<bytes.count)
            let areAuthentic = try multiBuffer.areAuthentic(ranges, of: all)
            let authentic = zip(ranges, areAuthentic).filter(\.1).map(\.0)
            let capacity = authentic.reduce(0) { $0 + $1.count - Self.overheadByteCount }
            try result.column.appendSeveral(capacity: capacity) { (output) throws(OpenSSLError) in
                var byteCounts = try multiBuffer.decrypt(
                    authentic, of: all, headerByteCount: FormatSize.keyHeader, into: &output)[...]
                return areAuthentic.enumerated().map { index, isAuthentic in
                    let byteCount = isAuthentic ? byteCounts.removeFirst() : nil
                    if byteCount == nil {
                        let fault: MessageFault = isAuthentic ? .badlyPadded : .forged
                        failures.append(ColumnResult.Failure(index: first + index, error: fault.error))
                    }
                    return byteCount ?? 0
                }
            }
        } catch {
            return false
        }
        result.failures += failures
        return true
    }
    #else
    private func encryptSideBySide(_ plaintexts: ByteColumn, into result: inout ColumnResult) -> Bool { false }
    private func decryptSideBySide(_ messages: ByteColumn, into result: inout ColumnResult) -> Bool { false }
    #endif
}
