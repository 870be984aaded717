// No other file of this target knows which C library is in use, and only Word.swift (the arguments) and Terminal.swift
// (the prompt) handle pointers as well.
import CryptorFormat

#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#elseif canImport(Android)
@_exported import Android
#elseif canImport(Darwin)
@_exported import Darwin
#endif

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

/// getenv(3).
func environmentValue(_ name: [UInt8]) -> [UInt8]? {
    unsafe getenv(characters(name)).map { unsafe bytes(of: $0) }
}

/// open(2): a descriptor, or -1. It is repeated after a signal, unless that should end the run.
func openFile(_ path: [UInt8], _ flags: Int32) -> Int32 {
    while true {
        let descriptor = unsafe open(characters(path), flags | O_CLOEXEC)
        guard descriptor < 0, errno == EINTR, Interruption.signal == nil else { return descriptor }
    }
}

private func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
}

/// fstat(2): nil if there is no such descriptor.
func status(of descriptor: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status : nil
}

/// stat(2) or lstat(2): nil if nothing is there, or its status cannot be read.
func status(of path: [UInt8], followingLink: Bool) -> stat? {
    var status = stat()
    let result = followingLink ? unsafe stat(characters(path), &status) : unsafe lstat(characters(path), &status)
    return result == 0 ? status : nil
}

/// The bytes as a C string, with a zero at the end.
func characters(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

/// read(2) into the part of `bytes` that starts at `offset`: the number of bytes, 0 at the end, or -1. This waits for
/// input; a signal that should end the run ends the wait.
func readBytes(_ descriptor: Int32, into bytes: inout [UInt8], at offset: Int) -> Int {
    while true {
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe read(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
        }
        guard count < 0, errno == EINTR || errno == EAGAIN, Interruption.signal == nil else { return count }
        if errno == EAGAIN { _ = isReady(descriptor, toRead: true, timeout: -1) }
    }
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

/// write(2): the number of bytes, or -1.
func writeBytes(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int {
    unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
}

/// poll(2): whether a descriptor can be read, or written, within `timeout` milliseconds.
func isReady(_ descriptor: Int32, toRead: Bool, timeout: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(toRead ? POLLIN : POLLOUT), revents: 0)
    return unsafe poll(&request, 1, timeout) > 0
}

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
}

/// getrlimit(2): how many files this process may have open.
func openFileLimit() -> Int {
    var limit = rlimit()
    return unsafe getrlimit(openFiles, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 256
}

/// setrlimit(2): raises the number of files that this process may have open as far as it is allowed to.
func raiseOpenFileLimit() {
    var limit = rlimit()
    guard unsafe getrlimit(openFiles, &limit) == 0 else { return }
    #if canImport(Darwin)
    // macOS accepts no more than OPEN_MAX.
    limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
    #else
    limit.rlim_cur = limit.rlim_max
    #endif
    _ = unsafe setrlimit(openFiles, &limit)
}

#if canImport(Glibc)
private var openFiles: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
#else
private var openFiles: Int32 { Int32(RLIMIT_NOFILE) }
#endif

/// Seconds of a clock that is never set.
func monotonicSeconds() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
