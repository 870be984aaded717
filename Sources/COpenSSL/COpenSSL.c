// Compiles the header, so that headers that cannot be used end the build here. This is a target of
// C, and the system's library one below it, because SwiftPM gives only the former another name in a
// program that has a second COpenSSL (`moduleAliases`).
#include "COpenSSL.h"
