// The part of OpenSSL's libcrypto that CryptorPrimitives calls. Headers that it cannot work with
// end the build here, with a sentence instead of a hundred lines about missing functions.
#ifndef CRYPTORFORMAT_COPENSSL_H
#define CRYPTORFORMAT_COPENSSL_H

// The messages go on at the margin: spaces there would be a part of them.
#if !__has_include(<openssl/crypto.h>)
#error "CryptorFormat: the headers of OpenSSL were not found. \
Install OpenSSL 3.0 or newer for development: \
'apt-get install libssl-dev pkg-config' (Debian, Ubuntu) \
or 'brew install openssl@3 pkg-config' (macOS)."
#else

#include <openssl/crypto.h>
#if __has_include(<openssl/opensslv.h>)
#include <openssl/opensslv.h>
#endif

#if defined(OPENSSL_IS_BORINGSSL)
#error "CryptorFormat: these are the headers of BoringSSL \
(the static Linux SDK of Swift ships them), which has no EVP_MAC. \
Build against OpenSSL 3.0 or newer: \
'apt-get install libssl-dev pkg-config' (Debian, Ubuntu) \
or 'brew install openssl@3 pkg-config' (macOS), \
and without the static Linux SDK."
#elif defined(LIBRESSL_VERSION_NUMBER)
#error "CryptorFormat: these are the headers of LibreSSL, which has no EVP_MAC. \
Build against OpenSSL 3.0 or newer: \
'apt-get install libssl-dev pkg-config' (Debian, Ubuntu) \
or 'brew install openssl@3 pkg-config' (macOS)."
#elif !defined(OPENSSL_VERSION_MAJOR) || OPENSSL_VERSION_MAJOR < 3
#error "CryptorFormat: these headers are of an OpenSSL older than 3.0. \
Install OpenSSL 3.0 or newer for development: \
'apt-get install libssl-dev pkg-config' (Debian 12, Ubuntu 22.04 or newer) \
or 'brew install openssl@3 pkg-config' (macOS)."
#else

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

#endif
#endif
#endif
