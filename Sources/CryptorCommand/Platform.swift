// The one place of this target that knows which C library this is.
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

/// open(2): a descriptor, or -1.
func openFile(_ path: String, _ flags: Int32) -> Int32 {
    uninterrupted { unsafe open(path, flags | O_CLOEXEC) }
}

/// open(2) for a file that must not exist: a descriptor, or -1.
func createFile(_ path: String, mode: mode_t) -> Int32 {
    uninterrupted { unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) }
}

/// Device and inode: equal for two names of one file.
struct FileIdentity: Hashable {
    private let device: dev_t
    private let inode: ino_t

    private init?(_ status: stat, kind: mode_t) {
        guard status.st_mode & S_IFMT == kind else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }

    /// stat(2) and fstat(2): nil for what is no regular file, or cannot be looked at.
    init?(ofRegularFile endpoint: FileEndpoint) {
        var status = stat()
        if case .descriptor(let number) = endpoint {
            guard unsafe fstat(number, &status) == 0 else { return nil }
        } else {
            guard let path = endpoint.pathBytes, unsafe stat(characters(path), &status) == 0 else { return nil }
        }
        self.init(status, kind: S_IFREG)
    }

    /// stat(2): nil for what is no folder, or cannot be looked at.
    init?(ofFolder path: [UInt8]) {
        var status = stat()
        guard unsafe stat(characters(path), &status) == 0 else { return nil }
        self.init(status, kind: S_IFDIR)
    }
}

/// As C has them, with a zero at the end.
func characters(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

/// Begins a call again that was interrupted, unless the whole work should end.
func uninterrupted(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        guard result < 0, errno == EINTR, Interruption.signal == nil else { return result }
    }
}

/// read(2) into the part of `bytes` that starts at `offset`: the number of bytes, 0 at the end, or -1.
func readBytes(_ descriptor: Int32, into bytes: inout [UInt8], at offset: Int) -> Int {
    unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
    }
}

/// poll(2): waits until a descriptor can be read or written, or has failed, or the call was interrupted.
func waitUntilReady(_ descriptor: Int32, toRead: Bool) {
    _ = isReady(descriptor, toRead: toRead, timeout: -1)
}

/// poll(2): whether a descriptor can be read, or written, within so many milliseconds.
func isReady(_ descriptor: Int32, toRead: Bool, timeout: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(toRead ? POLLIN : POLLOUT), revents: 0)
    return unsafe poll(&request, 1, timeout) > 0
}

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
}

/// sigaction(2), such that calls of the system are interrupted and not begun again.
func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    #if canImport(Darwin)
    unsafe action.__sigaction_u.__sa_handler = handler
    #else
    unsafe action.__sigaction_handler.sa_handler = handler
    #endif
    _ = unsafe sigaction(number, &action, nil)
}

/// Whether the process was started with this signal ignored.
func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
    let handler = unsafe action.__sigaction_u.__sa_handler
    #else
    let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}

/// Seconds of a clock that is never set.
func monotonicSeconds() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
