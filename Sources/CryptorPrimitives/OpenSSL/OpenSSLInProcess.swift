import COpenSSL
import Synchronization

/// Called before the first use of OpenSSL, wherever that is, so that OpenSSL does not clean up at
/// the exit of the process. It would free memory that other threads of the process are using at
/// that moment, and a program whose main thread exits while a pool works would end by a signal
/// (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT).
///
/// The first use of OpenSSL in a process decides. If that was the program's, this changes nothing.
func prepareOpenSSL() throws(OpenSSLError) {
    if isPrepared.load(ordering: .relaxed) { return }
    let options = UInt64(OPENSSL_INIT_NO_ATEXIT)
    try expectOne(OPENSSL_init_crypto(options, nil), calling: "OPENSSL_init_crypto")
    isPrepared.store(true, ordering: .relaxed)
}

private let isPrepared = Atomic<Bool>(false)

/// Whether this is OpenSSL's default provider, from which algorithms come unless the program has
/// loaded others.
func isDefault(_ provider: OpaquePointer?) -> Bool {
    provider.flatMap { OSSL_PROVIDER_get0_name($0) }.map { String(cString: $0) } == "default"
}

/// The OpenSSL that this process runs with, such as "OpenSSL 3.0.19 27 Jan 2026"
/// (`OpenSSL_version(3)`).
package func openSSLVersion() -> String {
    OpenSSL_version(OPENSSL_VERSION).map { String(cString: $0) } ?? "OpenSSL of unknown version"
}
