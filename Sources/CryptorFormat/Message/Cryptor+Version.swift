import CryptorPrimitives

extension Cryptor {
    /// The version of this library, of the format that it writes, and of the OpenSSL that it runs with: a text for
    /// people, such as "0.1.0 (writes version 3, reads versions 0 to 3; OpenSSL 3.0.19 27 Jan 2026)".
    public static var version: String {
        "0.1.0 (writes version 3, reads versions 0 to 3; \(openSSLVersion()))"
    }
}
