// This module only brings the flags of pkg-config. The calls of OpenSSL are in CBaseline.
#include <openssl/opensslv.h>
