import CryptorSystem
import COpenSSL

/// Bytes that must not remain in memory after their use: passwords, keys.
///
/// They are written once, at a fixed place, and overwritten with `OPENSSL_cleanse` before that
/// memory is deallocated. This is a class, so that credentials can be copied and shared between
/// threads without the bytes being copied.
package final class SecretBytes: @unchecked Sendable {
    // Unchecked: `storage` is written in `init` and in `deinit` only.
    private let storage: UnsafeMutableRawBufferPointer
    package let count: Int

    /// - Parameters:
    ///   - capacity: the maximum number of bytes.
    ///   - initializer: writes them.
    package init<Failure: Error>(
        byteCapacity capacity: Int, initializer: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        storage = .allocate(byteCount: capacity, alignment: 16)
        var output = OutputRawSpan(buffer: storage, initializedCount: 0)
        do throws(Failure) { try initializer(&output) } catch {
            count = 0
            throw error
        }
        count = output.byteCount
    }

    /// - Parameters:
    ///   - count: the number of bytes.
    ///   - initializer: fills all of the bytes.
    convenience init<Failure: Error>(
        count: Int, initializer: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        try self.init(byteCapacity: count, initializer: initializer)
        precondition(
            self.count == count, "SecretBytes: \(self.count) of \(count) bytes were written")
    }

    convenience init(copying bytes: RawSpan) {
        self.init(count: bytes.byteCount) { output in bytes.append(to: &output) }
    }

    /// Copies `bytes`. If they are not contiguous, they are copied one by one, so that no temporary
    /// copy is made.
    package static func copy(of bytes: some Collection<UInt8>) -> SecretBytes {
        let copy = bytes.withContiguousStorageIfAvailable { buffer in
            SecretBytes(copying: buffer.span.bytes)
        }
        return copy
            ?? SecretBytes(count: bytes.count) { output in for byte in bytes { output.append(byte) }
            }
    }

    deinit {
        OPENSSL_cleanse(storage.baseAddress, storage.count)
        storage.deallocate()
    }

    package func withRawSpan<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(RawSpan(_unsafeBytes: unsafeBytes))
    }

    /// Compares in a time that depends on the lengths only.
    package func isEqual(to other: SecretBytes) -> Bool {
        withRawSpan { bytes in other.withRawSpan { other in constantTimeEqual(bytes, other) } }
    }

    func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(unsafeBytes)
    }

    /// The bytes, for a caller that needs those of many objects at once. Valid only while this
    /// object is kept alive.
    var unsafeBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: storage[..<count])
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    package var description: String { "SecretBytes" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension OutputRawSpan {
    /// Removes all bytes from `start` on, and cleanses `byteCount` bytes there, fewer at the end of
    /// the memory.
    @_lifetime(self: copy self)
    package mutating func cleanse(_ byteCount: Int, from start: Int) {
        withUnsafeMutableBytes { buffer, count in
            OPENSSL_cleanse(
                buffer.baseAddress?.advanced(by: start), min(byteCount, buffer.count - start))
            count = start
        }
    }
}

/// Whether two strings of bytes are equal, in a time that depends on their lengths only
/// (`CRYPTO_memcmp(3)`).
package func constantTimeEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            var difference: CInt = 0
            var offset = 0
            // OpenSSL compares 16 bytes at once, but any other number byte by byte.
            while offset < left.count {
                difference |= CRYPTO_memcmp(
                    left.baseAddress?.advanced(by: offset), right.baseAddress?.advanced(by: offset),
                    min(16, left.count - offset))
                offset += 16
            }
            return difference == 0
        }
    }
}
