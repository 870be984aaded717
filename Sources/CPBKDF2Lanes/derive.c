#include "CPBKDF2Lanes.h"
#include "lanes.h"

struct engine {
    size_t lanes;
    void (*iterate)(struct lanes *lanes, uint32_t steps);
};

static struct engine engine_for(enum cpbkdf2_path path, size_t keys)
{
#if defined(__x86_64__)
    const struct engine two = {2, cpbkdf2_iterate_2_sha};
    const struct engine four = {4, cpbkdf2_iterate_4_sha};
    const struct engine sixteen = {16, cpbkdf2_iterate_16_avx512};
    const struct engine thirty_two = {32, cpbkdf2_iterate_32_avx512};
    const bool sha = path != cpbkdf2_portable && cpbkdf2_is_available(cpbkdf2_sha);
    const bool avx512 = path != cpbkdf2_portable && cpbkdf2_is_available(cpbkdf2_avx512);

    // Sixteen lanes take as long as eight over the SHA instructions, so they are used for more than eight. Thirty-two
    // lanes take as long as twenty-two would at the rate of sixteen.
    if (avx512 && (path == cpbkdf2_avx512 || (path == cpbkdf2_automatic && (keys > 4 || !sha))))
        return keys > 8 ? thirty_two : sixteen;
    if (sha && path != cpbkdf2_avx512)
        return keys == 1 ? two : four;
#else
    (void)path, (void)keys;
#endif
    return (struct engine){4, cpbkdf2_iterate_4_portable};
}

static void fill_lane(struct lanes *lanes, size_t lane, const struct keyed_states *states, const uint32_t first[5])
{
    for (int i = 0; i < 5; i++) {
        lanes->inner[i][lane] = states->inner[i];
        lanes->outer[i][lane] = states->outer[i];
        lanes->last[i][lane] = lanes->sum[i][lane] = first[i];
    }
}

static void write_key(uint8_t *key, const struct lanes *lanes, size_t lane)
{
    for (size_t i = 0; i < CPBKDF2_KEY_BYTES; i++) {
        const size_t word = i / 4;
        key[i] = (uint8_t)(lanes->sum[word % 5][lane + word / 5] >> (24 - 8 * (i % 4)));
    }
}

CLEANSES_REGISTERS
void cpbkdf2_derive(enum cpbkdf2_path path, const struct cpbkdf2_request *requests, size_t count, uint32_t iterations)
{
    // Lanes without a chain compute from zeros, or from what earlier requests left in them. Their results are not read.
    struct lanes lanes = {0};
    struct keyed_states states;
    uint32_t first[5];
    const struct cpbkdf2_request *keyed = NULL;

    while (count > 0) {
        const struct engine engine = engine_for(path, count);
        const size_t most = engine.lanes / LANES_PER_KEY;
        const size_t keys = count < most ? count : most;
        for (size_t i = 0; i < keys; i++) {
            const struct cpbkdf2_request *request = &requests[i];
            if (!keyed || keyed->password != request->password || keyed->password_bytes != request->password_bytes)
                cpbkdf2_key(&states, request->password, request->password_bytes);
            keyed = request;
            for (uint32_t block = 0; block < LANES_PER_KEY; block++) {
                cpbkdf2_first(first, &states, request->salt, request->salt_bytes, block + 1);
                fill_lane(&lanes, LANES_PER_KEY * i + block, &states, first);
            }
        }
        engine.iterate(&lanes, iterations - 1);
        for (size_t i = 0; i < keys; i++)
            write_key(requests[i].key, &lanes, LANES_PER_KEY * i);
        requests += keys;
        count -= keys;
    }
    cpbkdf2_cleanse_stack();
    cpbkdf2_cleanse(&lanes, sizeof lanes);
    cpbkdf2_cleanse(&states, sizeof states);
    cpbkdf2_cleanse(first, sizeof first);
}
