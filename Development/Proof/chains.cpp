// The chains on all paths, and the first HMAC of a chain.
#include "code.h"

namespace shared {
#include "CPBKDF2Lanes.h"
#include "hmac.c"
void cpbkdf2_cleanse(void *bytes, size_t count)
{
    std::fill_n(static_cast<char *>(bytes), count, 0);
}
} // namespace shared
#undef CLEAR_VECTORS
#define CLEAR_VECTORS
using shared::lanes;

namespace sha {
#include "chains_sha.c"
}

// As 64-bit ARM compiles it. `lanes.h` has been read, without what only ARM declares.
namespace arm {
#undef WITH_SHA
#undef INLINE
#undef EACH_LANE
#undef LARGEST
#undef FOUR_ROUNDS
#undef FOUR_SCHEDULED
#define __aarch64__ 1
#include "chains_arm.c"
#undef __aarch64__
} // namespace arm

namespace portable {
#undef uint32_t
#define uint32_t Vector<LANES>
#undef SHA1_WORD
#include "chains_portable.c"
} // namespace portable

namespace wide {
#undef uint32_t
#define uint32_t Vector<LANES>
#undef SHA1_WORD
#undef LANES
#include "chains_avx512.c"
} // namespace wide

// From any states on, `steps` HMACs of a chain and their exclusive or, in each of `count` lanes,
// with nothing else touched.
template <typename Iterate>
static void proveChains(const char *name, int count, int steps, Iterate iterate)
{
    forgetWords();
    struct {
        struct lanes all;
        Word behind[MAXIMUM_LANES];
    } memory = {};
    struct lanes &all = memory.all;
    for (Word &word : memory.behind)
        word = Word::input();
    const auto memoryBefore = memory;
    for (int lane = 0; lane < MAXIMUM_LANES; lane++)
        for (int i = 0; i < 5; i++) {
            all.inner[i][lane] = Word::input();
            all.outer[i][lane] = Word::input();
            all.last[i][lane] = Word::input();
            all.sum[i][lane] = Word::input();
        }
    const struct lanes before = all;
    iterate(&all, unsigned(steps));
    for (int lane = 0; lane < MAXIMUM_LANES; lane++)
        claim(memory.behind[lane].isSame(memoryBefore.behind[lane]), "memory behind the lanes");
    for (int lane = 0; lane < MAXIMUM_LANES; lane++) {
        KeyedHashes key;
        Digest last, sum;
        for (int i = 0; i < 5; i++) {
            key.inner.h[i] = before.inner[i][lane];
            key.outer.h[i] = before.outer[i][lane];
            last.h[i] = before.last[i][lane];
        }
        sum = last;
        for (int step = 0; step < steps; step++) {
            last = hmac(key, bytesOf(last));
            for (int i = 0; i < 5; i++)
                sum.h[i] ^= last.h[i];
        }
        for (int i = 0; i < 5; i++) {
            const Word expected = lane < count ? sum.h[i] : before.sum[i][lane];
            claim(all.sum[i][lane].isSame(expected), name, lane);
            claim(all.inner[i][lane].isSame(before.inner[i][lane]), name, lane);
            claim(all.outer[i][lane].isSame(before.outer[i][lane]), name, lane);
        }
    }
}

// So many bytes, of which the last three are inputs. Words that are known cost little.
static Bytes longBytes(size_t count)
{
    Bytes bytes;
    for (size_t i = 0; i + 3 < count; i++)
        bytes.push_back(int(i * i >> 3 & 0xFF));
    const Bytes last = anyBytes(3);
    bytes.insert(bytes.end(), last.begin(), last.end());
    return bytes;
}

// More than a counter of 8 or 16 bits can hold.
static const size_t longCounts[] = {256, 65537};

static void provePassword(const Bytes &password)
{
    struct shared::keyed_states states;
    shared::cpbkdf2_key(&states, password.data(), password.size());
    const KeyedHashes expected = keyed(password);
    for (int i = 0; i < 5; i++) {
        claim(states.inner[i].isSame(expected.inner.h[i]), "a password", int(password.size()));
        claim(states.outer[i].isSame(expected.outer.h[i]), "a password", int(password.size()));
    }
}

static void proveSalt(const KeyedHashes &key, const Bytes &salt)
{
    const Word block = Word::input();
    struct shared::keyed_states states;
    std::copy(key.inner.h, key.inner.h + 5, states.inner);
    std::copy(key.outer.h, key.outer.h + 5, states.outer);
    Digest digest;
    shared::cpbkdf2_first(digest.h, &states, salt.data(), salt.size(), block);
    claim(digest.isSame(hmac(key, withBlockNumber(salt, block))), "a salt", int(salt.size()));
}

void proveFirst()
{
    for (size_t count = 0; count <= 130; count++) {
        forgetWords();
        provePassword(anyBytes(count));
    }
    for (size_t count = 0; count <= 80; count++) {
        forgetWords();
        proveSalt({anyDigest(), anyDigest()}, anyBytes(count));
    }
    for (const size_t count : longCounts) {
        forgetWords();
        provePassword(longBytes(count));
        proveSalt({initialHash(), initialHash()}, longBytes(count));
    }
    // A length that fills the field for it, from any state on.
    forgetWords();
    const Digest before = anyDigest();
    const size_t count = 0x1122334455667740;
    struct shared::hash hash = {{}, count, {}};
    std::copy(before.h, before.h + 5, hash.state);
    const Digest expected = sha1Blocks(before, padded({}, count));
    shared::finish(&hash);
    for (int i = 0; i < 5; i++)
        claim(hash.state[i].isSame(expected.h[i]), "a length");
}

void proveChains()
{
    for (int steps = 0; steps <= 2; steps++) {
        proveChains("portable vectors", 4, steps, portable::cpbkdf2_iterate_4_portable);
        proveChains("two lanes of the SHA instructions", 2, steps, sha::cpbkdf2_iterate_2_sha);
        proveChains("four lanes of the SHA instructions", 4, steps, sha::cpbkdf2_iterate_4_sha);
        proveChains("two lanes of ARM's instructions", 2, steps, arm::cpbkdf2_iterate_2_arm);
        proveChains("four lanes of ARM's instructions", 4, steps, arm::cpbkdf2_iterate_4_arm);
        proveChains("wide vectors", 32, steps, wide::cpbkdf2_iterate_32_avx512);
    }
}
