import COpenSSL

/// Turns on FIPS mode for the rest of this process, as an application does. Returns whether that worked.
package func enableFIPSProperties() -> Bool {
    EVP_default_properties_enable_fips(nil, 1) == 1
}
