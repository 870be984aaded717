// Which paths are said to be available.
#include "code.h"

namespace detection {
#include "CPBKDF2Lanes.h"

unsigned features1, features7, registers;
bool hasLeaf1, hasLeaf7;
int fakeCPUID(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
    *a = *b = *c = *d = ~0u;
    if (leaf == 1)
        *c = features1;
    return hasLeaf1;
}
int fakeCPUIDCount(
    unsigned leaf, unsigned subleaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
    *a = *b = *c = *d = ~0u;
    if (leaf == 7 && subleaf == 0)
        *b = features7;
    return hasLeaf7;
}
#define __get_cpuid fakeCPUID
#define __get_cpuid_count fakeCPUIDCount
// XGETBV into `kept`, which is read only where the system has the instruction.
#define __asm__(...) (kept = registers, high = 0)
// What is found out once: the variable of the function stays as it is.
int found;
#undef atomic_load_explicit
#undef atomic_store_explicit
#define atomic_load_explicit(place, order) found
#define atomic_store_explicit(place, value, order) (found = (value))
#undef __APPLE__
#undef __linux__
#include "processor.c"
#undef __x86_64__
namespace elsewhere {
#include "processor.c"
}
#define __aarch64__ 1
namespace armElsewhere {
#include "processor.c"
}
#define __linux__ 1
namespace armLinux {
#include "processor.c"
}
#undef __linux__
#define __APPLE__ 1
namespace armApple {
#include "processor.c"
}
} // namespace detection

// Whether exactly these paths of the three with instructions are available, at the first question
// and at the second.
template <typename IsAvailable>
static void claimPaths(IsAvailable isAvailable, bool sha, bool avx512, bool arm, int choice)
{
    using namespace detection;
    found = 0;
    for (int question = 0; question < 2; question++) {
        claim(isAvailable(cpbkdf2_sha) == sha, "SHA instructions", choice);
        claim(isAvailable(cpbkdf2_avx512) == avx512, "AVX-512", choice);
        claim(isAvailable(cpbkdf2_arm) == arm, "ARM's instructions", choice);
        claim(isAvailable(cpbkdf2_portable), "always", choice);
        claim(isAvailable(cpbkdf2_automatic), "always", choice);
    }
}

// Every combination of the features that are looked at, each with all others present and with all
// others absent.
void proveProcessor()
{
    using namespace detection;
    const unsigned sse41 = 1u << 19, xsave = 1u << 27, avx512 = 1u << 16, sha = 1u << 29;
    for (int choice = 0; choice < 1 << 12; choice++) {
        const auto bit = [choice](int place) { return choice >> place & 1; };
        hasLeaf1 = bit(0);
        hasLeaf7 = bit(11);
        const bool hasLeaves = hasLeaf1 && hasLeaf7;
        const unsigned others = bit(1) ? ~0u : 0;
        features1 = (others & ~(sse41 | xsave)) | (bit(2) ? sse41 : 0) | (bit(3) ? xsave : 0);
        features7 = (others & ~(avx512 | sha)) | (bit(4) ? avx512 : 0) | (bit(5) ? sha : 0);
        // XCR0: bits 1 (SSE), 2 (AVX) and 5 to 7 (AVX-512) say what the system keeps.
        const unsigned kept = (bit(6) ? 2 : 0) | (bit(7) ? 4 : 0) | unsigned(choice >> 8 & 7) << 5;
        registers = (others & ~0xE6u) | kept;
        const bool keepsAll = bit(3) && (registers & 0xE6) == 0xE6;
        const bool hasSHA = hasLeaves && bit(2) && bit(5);
        const bool hasAVX512 = hasLeaves && bit(4) && keepsAll;
        claimPaths(detection::cpbkdf2_is_available, hasSHA, hasAVX512, false, choice);
    }
    for (const bool hasOthers : {false, true})
        for (const bool hasSHA1 : {false, true}) {
            const unsigned long sha1 = 1ul << 5; // HWCAP_SHA1
            hardwareBits = (hasOthers ? ~sha1 : 0) | (hasSHA1 ? sha1 : 0);
            claimPaths(armLinux::cpbkdf2_is_available, false, false, hasSHA1, 0);
        }
    claimPaths(armApple::cpbkdf2_is_available, false, false, true, 0);
    claimPaths(armElsewhere::cpbkdf2_is_available, false, false, false, 0);
    claimPaths(elsewhere::cpbkdf2_is_available, false, false, false, 0);
}
