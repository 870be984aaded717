import CryptorPrimitives
import CryptorSystem
import Testing

/// Some failures of OpenSSL have error messages of their own.
@Suite struct OpenSSLErrorKindTests {
    /// Only failures of random functions count as a system without random bytes.
    @Test(
        arguments: [
            ("RAND_bytes", true), ("RAND_priv_bytes", true), ("EVP_RAND_reseed", true), ("BRAND_new", false),
            ("EVP_CipherUpdate", false), ("", false),
        ])
    func ofRandomness(function: String, isOne: Bool) {
        #expect(OpenSSLError(function: function, reason: nil).isOfRandomness == isOne)
    }

    @Test(
        arguments: [
            ("error:1C800112:Provider routines::invalid salt length", true),
            ("error:0308010C:digital envelope routines::unsupported", false),
            ("invalid salt length was not the reason", false), (nil, false),
        ] as [(String?, Bool)])
    func ofShortSalts(reason: String?, isOne: Bool) {
        #expect(OpenSSLError(function: "PKCS5_PBKDF2_HMAC", reason: reason).isOfShortSalt == isOne)
    }
}
