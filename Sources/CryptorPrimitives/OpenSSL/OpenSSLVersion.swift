import COpenSSL

/// The OpenSSL that this process runs with, such as "OpenSSL 3.0.19 27 Jan 2026" (`OpenSSL_version(3)`).
package func openSSLVersion() -> String {
    OpenSSL_version(OPENSSL_VERSION).map { String(cString: $0) } ?? "OpenSSL of unknown version"
}
