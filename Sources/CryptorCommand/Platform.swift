// The system's functions as the command needs them. Only Arguments.swift (the words) and SecretSource.swift (the prompt)
// handle pointers as well.
import CCryptorProcess
import CryptorFiles

#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#elseif canImport(Android)
@_exported import Android
#elseif canImport(Darwin)
@_exported import Darwin
#endif

/// Turns Ctrl-C and similar signals into an orderly end: the signal is noted, and the work in progress checks for it,
/// throws and cleans up.
enum Interruption {
    /// The signal that came, if one did.
    static var signal: Int32? {
        let number = cprocess_noted_signal()
        return number == 0 ? nil : number
    }

    /// For progress handlers, which cancel by throwing.
    static func check() throws(CancellationError) {
        if signal != nil { throw CancellationError() }
    }
}

// MARK: Bytes

/// Overwrites `bytes` in a way that the compiler keeps.
func cleanse(_ bytes: inout [UInt8]) {
    #if canImport(Darwin)
    _ = unsafe bytes.withUnsafeMutableBytes { unsafe memset_s($0.baseAddress, $0.count, 0, $0.count) }
    #else
    unsafe bytes.withUnsafeMutableBytes { buffer in
        if let start = buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
    }
    #endif
}

/// memchr(3), in a part of `bytes`.
func firstIndex(of byte: UInt8, in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    unsafe bytes[range].withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress, let found = unsafe memchr(start, Int32(byte), buffer.count) else {
            return nil
        }
        return range.lowerBound + (unsafe UnsafeRawPointer(found) - start)
    }
}

/// A part of `bytes`, for functions of the library that take no copy.
@_lifetime(borrow bytes)
func span(of bytes: borrowing [UInt8], _ range: Range<Int>) -> RawSpan {
    unsafe bytes.span.extracting(range).bytes
}

/// The bytes as a C string, with a zero at the end.
private func characters(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

// MARK: Descriptors

/// open(2): a descriptor, or -1. It is repeated after a signal, unless that should end the run.
func openFile(_ path: [UInt8], _ flags: Int32) -> Int32 {
    while true {
        let descriptor = unsafe open(characters(path), flags | O_CLOEXEC)
        guard descriptor < 0, errno == EINTR, Interruption.signal == nil else { return descriptor }
    }
}

/// read(2) into the part of `bytes` that starts at `offset`: the number of bytes, 0 at the end, or -1. This waits for
/// input; a signal that should end the run ends the wait.
func readBytes(_ descriptor: Int32, into bytes: inout [UInt8], at offset: Int, atMost limit: Int = .max) -> Int {
    while true {
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe read(descriptor, buffer.baseAddress?.advanced(by: offset), min(buffer.count - offset, limit))
        }
        guard count < 0, errno == EINTR || errno == EAGAIN, Interruption.signal == nil else { return count }
        if errno == EAGAIN { _ = isReady(descriptor, toRead: true, timeout: -1) }
    }
}

/// write(2) of all bytes. After a signal, which interrupts it, this waits for no reader and returns EINTR.
/// - Parameter evenAfterSignal: whether to go on after a signal as long as there is no need to wait.
/// - Returns: nil, or an error number.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, evenAfterSignal: Bool = false) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
        guard
            Interruption.signal == nil || evenAfterSignal && isReady(descriptor, toRead: false, timeout: 0)
        else { return EINTR }
        let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 {
            rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
            _ = isReady(descriptor, toRead: false, timeout: -1)
        } else if errno != EINTR {
            return errno
        }
    }
    return nil
}

/// poll(2): whether a descriptor can be read, or written, within `timeout` milliseconds.
func isReady(_ descriptor: Int32, toRead: Bool, timeout: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(toRead ? POLLIN : POLLOUT), revents: 0)
    return unsafe poll(&request, 1, timeout) > 0
}

/// The columns of a terminal (ioctl_tty(2)), at least 30; nil for anything else.
func terminalColumns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return max(30, Int(size.ws_col))
}

// MARK: The process

/// getenv(3).
func environmentValue(_ name: [UInt8]) -> [UInt8]? {
    unsafe getenv(characters(name)).map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
}

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }

/// Seconds of a clock that is never set.
func monotonicSeconds() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
