#ifndef CBASELINE_CONTEXTS_H
#define CBASELINE_CONTEXTS_H

#include "CBaseline.h"

#include <openssl/evp.h>

struct baseline {
    EVP_CIPHER_CTX *encryption;
    EVP_CIPHER_CTX *decryption;
    EVP_MAC_CTX *authentication;
    EVP_MD_CTX *hash;
    EVP_MD *sha256;
};

#endif
