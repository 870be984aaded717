#include "CPBKDF2Lanes.h"
#include "lanes.h"

// The fastest function for so many keys, and how many lanes it has.
static size_t choose(
    enum cpbkdf2_path path, size_t keys, void (**iterate)(struct lanes *lanes, uint32_t steps))
{
    const bool any = path == cpbkdf2_automatic;
#if defined(__x86_64__)
    const bool sha = (any || path == cpbkdf2_sha) && cpbkdf2_is_available(cpbkdf2_sha);
    const bool avx512 = (any || path == cpbkdf2_avx512) && cpbkdf2_is_available(cpbkdf2_avx512);

    // Thirty-two lanes take as long as eleven chains over the SHA instructions do.
    if (avx512 && (keys > 5 || !sha)) {
        *iterate = cpbkdf2_iterate_32_avx512;
        return 32;
    }
    if (sha) {
        *iterate = keys == 1 ? cpbkdf2_iterate_2_sha : cpbkdf2_iterate_4_sha;
        return keys == 1 ? 2 : 4;
    }
#endif
#if defined(__aarch64__)
    // Two lanes for a single key, because the other two would compute for nothing.
    if ((any || path == cpbkdf2_arm) && cpbkdf2_is_available(cpbkdf2_arm)) {
        *iterate = keys == 1 ? cpbkdf2_iterate_2_arm : cpbkdf2_iterate_4_arm;
        return keys == 1 ? 2 : 4;
    }
#endif
    (void)any, (void)keys;
    *iterate = cpbkdf2_iterate_4_portable;
    return 4;
}

static void write_key(uint8_t *key, const struct lanes *lanes, size_t lane)
{
    for (size_t i = 0; i < CPBKDF2_KEY_BYTES; i++) {
        const size_t word = i / 4;
        key[i] = (uint8_t)(lanes->sum[word % 5][lane + word / 5] >> (24 - 8 * (i % 4)));
    }
}

// Not a part of cpbkdf2_derive, so that all that it leaves on the stack is well below that frame.
__attribute__((noinline)) CLEANSES_REGISTERS
static void derive(
    enum cpbkdf2_path path, const struct cpbkdf2_request *requests, size_t count,
    uint32_t iterations)
{
    // Lanes without a chain compute from zeros, or from what earlier requests left in them. Their
    // results are not read.
    struct lanes lanes = {0};
    struct keyed_states states;
    uint32_t first[5];
    const struct cpbkdf2_request *keyed = NULL;

    while (count > 0) {
        void (*iterate)(struct lanes *lanes, uint32_t steps);
        const size_t most = choose(path, count, &iterate) / LANES_PER_KEY;
        const size_t keys = count < most ? count : most;
        for (size_t i = 0; i < keys; i++) {
            const struct cpbkdf2_request *request = &requests[i];
            if (!keyed || keyed->password != request->password
                || keyed->password_bytes != request->password_bytes)
                cpbkdf2_key(&states, request->password, request->password_bytes);
            keyed = request;
            for (size_t block = 0; block < LANES_PER_KEY; block++) {
                cpbkdf2_first(
                    first, &states, request->salt, request->salt_bytes, (uint32_t)block + 1);
                const size_t lane = LANES_PER_KEY * i + block;
                for (int word = 0; word < 5; word++) {
                    lanes.inner[word][lane] = states.inner[word];
                    lanes.outer[word][lane] = states.outer[word];
                    lanes.last[word][lane] = first[word];
                }
            }
        }
        iterate(&lanes, iterations - 1);
        for (size_t i = 0; i < keys; i++)
            write_key(requests[i].key, &lanes, LANES_PER_KEY * i);
        requests += keys;
        count -= keys;
    }
    cpbkdf2_cleanse(&lanes, sizeof lanes);
    cpbkdf2_cleanse(&states, sizeof states);
    cpbkdf2_cleanse(first, sizeof first);
}

CLEANSES_REGISTERS
void cpbkdf2_derive(
    enum cpbkdf2_path path, const struct cpbkdf2_request *requests, size_t count,
    uint32_t iterations)
{
    derive(path, requests, count, iterations);
    cpbkdf2_cleanse_stack();
}
