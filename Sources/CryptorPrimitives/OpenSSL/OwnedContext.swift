import CryptorSystem
import COpenSSL

/// The one owner of a context of OpenSSL, which it frees. OpenSSL cleanses the contents of its
/// contexts as it frees them.
struct OwnedContext: ~Copyable, @unchecked Sendable {
    // Unchecked: OpenSSL's contexts may move between threads, but two threads must not use one at
    // the same time. A single owner rules that out.
    let pointer: OpaquePointer
    private let free: @convention(c) (OpaquePointer?) -> Void

    init(
        _ pointer: OpaquePointer?, calling function: String,
        free: @escaping @convention(c) (OpaquePointer?) -> Void
    ) throws(OpenSSLError) {
        self.pointer = try expectPointer(pointer, calling: function)
        self.free = free
    }

    deinit {
        free(pointer)
    }
}
