// This module brings the flags of pkg-config, and the version that the program runs with. All other
// calls of OpenSSL are in CBaseline.
#include <openssl/crypto.h>
