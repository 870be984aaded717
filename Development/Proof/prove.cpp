// Checks symbolically that CPBKDF2Lanes computes what the standards say, for inputs of the lengths
// that are printed. The C files of the package are compiled as they are, over words that are
// expressions; a branch or an address that depends on an input ends the check. What the compiler
// makes of the files is not looked at.
#include "standards.h"
#include <arm_neon.h>  // of this directory
#include <immintrin.h> // of this directory
#include <cstring>
#include <ctime>

void proveChains();
void proveFirst();
void proveKeys();
void proveProcessor();

// The processor's own instructions, from models.c: 0 SHA1NEXTE, 1 SHA1MSG1, 2 SHA1MSG2, 3 to 6
// SHA1RNDS4, 7 PXOR, 8 POR, 9 PADDD, 10 to 13 PEXTRD, 14 the order of _mm_set_epi32.
extern "C" bool processor_has_sha(void);
extern "C" void processor_computes(
    int instruction, const uint32_t a[4], const uint32_t b[4], uint32_t result[4]);

static bool compareModels()
{
    if (!processor_has_sha())
        return false;
    uint64_t state = 1;
    const auto random = [&state] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return uint32_t(state >> 32);
    };
    for (int round = 0; round < 200; round++)
        for (int instruction = 0; instruction <= 14; instruction++) {
            uint32_t a[4], b[4], expected[4];
            Vector128 left, right, found = 0;
            for (int i = 0; i < 4; i++) {
                a[i] = random();
                b[i] = random();
                left.lanes[i] = a[i];
                right.lanes[i] = b[i];
            }
            processor_computes(instruction, a, b, expected);
            switch (instruction) {
            case 0: found = _mm_sha1nexte_epu32(left, right); break;
            case 1: found = _mm_sha1msg1_epu32(left, right); break;
            case 2: found = _mm_sha1msg2_epu32(left, right); break;
            case 7: found = _mm_xor_si128(left, right); break;
            case 8: found = _mm_or_si128(left, right); break;
            case 9: found = _mm_add_epi32(left, right); break;
            case 10: case 11: case 12: case 13:
                found.lanes[0] = _mm_extract_epi32(left, instruction - 10);
                break;
            case 14:
                found = _mm_set_epi32(left.lanes[0], left.lanes[1], left.lanes[2], left.lanes[3]);
                break;
            default: found = _mm_sha1rnds4_epu32(left, right, instruction - 3);
            }
            for (int i = 0; i < 4; i++)
                if (!found.lanes[i].isSame(expected[i]))
                    refuse("the model of an instruction");
        }
    return true;
}

#define uint32_t Word
#include "arm.h"
#undef uint32_t

// Standard input is what emulated.c wrote, or empty.
static bool compareARMModels()
{
    int rounds = 0;
    uint32_t operands[3][4], expected[ARM_INSTRUCTIONS][4];
    while (std::fread(operands, sizeof operands, 1, stdin) == 1 &&
           std::fread(expected, sizeof expected, 1, stdin) == 1) {
        Word words[3][4], found[ARM_INSTRUCTIONS][4];
        for (int i = 0; i < 12; i++)
            words[i / 4][i % 4] = operands[i / 4][i % 4];
        computeOnARM(words[0], words[1], words[2], found);
        for (int i = 0; i < ARM_INSTRUCTIONS * 4; i++)
            if (!found[i / 4][i % 4].isSame(expected[i / 4][i % 4]))
                refuse("the model of an instruction of ARM");
        rounds++;
    }
    if (rounds != 0 && rounds != 200)
        refuse("an emulator that ends early");
    return rounds != 0;
}

// Says what has been checked, and how much processor time it took.
static void report(const char *what)
{
    static clock_t before;
    const clock_t now = clock();
    std::printf("%5.1f s  %s\n", double(now - before) / CLOCKS_PER_SEC, what);
    std::fflush(stdout);
    before = now;
}

// All claims, or those that are named.
int main(int count, char **names)
{
    const struct {
        const char *name;
        void (*prove)();
        const char *sentence;
    } claims[] = {
        {"first", proveFirst,
            "first HMAC: any password of 0 to 130 bytes, any salt of 0 to 80, any block number; "
            "some of 256 and 65,537 bytes"},
        {"chains", proveChains,
            "chains: 0 to 2 steps from any states, on all five paths, lane by lane"},
        {"keys", proveKeys,
            "keys: 0 to 35, 100 or 256 of them, on every path, with every set of instructions, "
            "passwords shared or not; the hashes are not looked into"},
        {"choice", proveProcessor,
            "choice: a path is taken only where processor and system have its instructions"},
    };
    std::puts("Checked symbolically, in the C source, over models of words and instructions:");
    forgetWords();
    if (compareModels())
        report("models of instructions: equal this processor's in 3,000 random cases");
    else
        report("models of instructions: NOT compared, this processor has no SHA instructions");
    if (compareARMModels())
        report("models of ARM's instructions: equal the emulator's in 2,600 random cases");
    else
        report("models of ARM's instructions: NOT compared, see scripts/prepare emulation");
    for (const auto &claim : claims) {
        const auto isThis = [&](char *name) { return !std::strcmp(name, claim.name); };
        if (count > 1 && std::none_of(names + 1, names + count, isThis))
            continue;
        claim.prove();
        report(claim.sentence);
    }
}
