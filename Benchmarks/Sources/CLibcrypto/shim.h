// Only for the flags of pkg-config: what is called is in CBaseline.
#include <openssl/opensslv.h>
