// The one place of this target that knows which C library this is.
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
    unsafe open(path, flags | O_CLOEXEC)
}

/// read(2) into the part of `bytes` that starts at `offset`: the number of bytes, 0 at the end, or -1.
func readBytes(_ descriptor: Int32, into bytes: inout [UInt8], at offset: Int) -> Int {
    unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
    }
}

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
}
