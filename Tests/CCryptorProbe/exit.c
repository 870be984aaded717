#include "CCryptorProbe.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>

void probe_use_openssl(void) { EVP_MD_free(EVP_MD_fetch(NULL, "SHA256", NULL)); }

void probe_clean_up_openssl_at_exit(void) { (void)atexit(OPENSSL_cleanup); }
