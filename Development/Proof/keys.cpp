// derive.c: what it writes where. The functions that it calls are not looked into, but told apart
// by all that is passed in.
#include "code.h"

namespace derivation {
#include "CPBKDF2Lanes.h"
#include "lanes.h"

struct Available {
    bool sha, avx512, arm;
} available;
int callCount;
// Which functions continued the chains.
struct Step {
    cpbkdf2_path path;
    int lanes;
    bool operator==(const Step &other) const { return path == other.path && lanes == other.lanes; }
};
std::vector<Step> steps;

bool cpbkdf2_is_available(enum cpbkdf2_path path)
{
    if (path == cpbkdf2_sha)
        return available.sha;
    if (path == cpbkdf2_avx512)
        return available.avx512;
    if (path == cpbkdf2_arm)
        return available.arm;
    return true;
}

enum Function { key, first, chain, unused, together };

Word result(Function function, int number, const std::vector<Word> &arguments)
{
    Atom atom{Atom::opaque, unsigned(function * 16 + number), 0, {}};
    for (const Word argument : arguments)
        atom.words.push_back(argument.form);
    return Word::of(atom);
}

void cpbkdf2_key(struct keyed_states *states, const Byte *password, size_t count)
{
    callCount++;
    const Word all = result(together, 0, {password, password + count});
    for (int i = 0; i < 5; i++) {
        states->inner[i] = result(key, i, {all});
        states->outer[i] = result(key, 5 + i, {all});
    }
}

std::vector<Word> statesOf(const struct keyed_states &states)
{
    std::vector<Word> words(states.inner, states.inner + 5);
    words.insert(words.end(), states.outer, states.outer + 5);
    return words;
}

void cpbkdf2_first(
    Word digest[5], const struct keyed_states *states, const Byte *salt, size_t count, Word block)
{
    std::vector<Word> arguments = statesOf(*states);
    arguments.insert(arguments.end(), salt, salt + count);
    arguments.push_back(block);
    const Word all = result(together, 0, arguments);
    for (int i = 0; i < 5; i++)
        digest[i] = result(first, i, {all});
}

// Continues the chains of `count` lanes. What is in the sums of all others must never be read.
void iterate(struct lanes *lanes, Word steps, cpbkdf2_path path, int count)
{
    derivation::steps.push_back({path, count});
    for (int lane = 0; lane < MAXIMUM_LANES; lane++) {
        std::vector<Word> arguments;
        for (auto words : {lanes->inner, lanes->outer, lanes->last})
            for (int i = 0; i < 5; i++)
                arguments.push_back(words[i][lane]);
        arguments.push_back(steps);
        const std::vector<Word> nothing = {Word(unsigned(lane))};
        for (int i = 0; i < 5; i++)
            lanes->sum[i][lane] =
                lane < count ? result(chain, i, arguments) : result(unused, i, nothing);
    }
}

void cpbkdf2_iterate_4_portable(struct lanes *lanes, Word steps)
{
    iterate(lanes, steps, cpbkdf2_portable, 4);
}

void cpbkdf2_iterate_2_sha(struct lanes *lanes, Word steps)
{
    iterate(lanes, steps, cpbkdf2_sha, 2);
}

void cpbkdf2_iterate_4_sha(struct lanes *lanes, Word steps)
{
    iterate(lanes, steps, cpbkdf2_sha, 4);
}

void cpbkdf2_iterate_32_avx512(struct lanes *lanes, Word steps)
{
    iterate(lanes, steps, cpbkdf2_avx512, 32);
}

void cpbkdf2_iterate_2_arm(struct lanes *lanes, Word steps)
{
    iterate(lanes, steps, cpbkdf2_arm, 2);
}

void cpbkdf2_iterate_4_arm(struct lanes *lanes, Word steps)
{
    iterate(lanes, steps, cpbkdf2_arm, 4);
}

void cpbkdf2_cleanse_stack(void) {}

void cpbkdf2_cleanse(void *bytes, size_t count)
{
    std::fill_n(static_cast<char *>(bytes), count, 0);
}

namespace x86 {
#include "derive.c"
}
// The same as other processors compile it.
#undef __x86_64__
namespace elsewhere {
#include "derive.c"
}
namespace arm {
#define __aarch64__ 1
#include "derive.c"
#undef __aarch64__
} // namespace arm
#define __x86_64__ 1

enum Processor { isX86, isARM, isOther };

// A path that is named is taken if it is available, and the portable one if it is not. Otherwise
// thirty-two lanes are taken for more chains than eleven, or where there are no SHA instructions;
// those and ARM's have two lanes for the last key.
std::vector<Step> expectedSteps(Processor processor, cpbkdf2_path path, int keys)
{
    const bool hasSHA = processor == isX86 && available.sha;
    const bool hasAVX512 = processor == isX86 && available.avx512;
    const bool hasARM = processor == isARM && available.arm;
    std::vector<Step> expected;
    while (keys > 0) {
        const bool isFree = path == cpbkdf2_automatic;
        Step step = {cpbkdf2_portable, 4};
        if (hasSHA && (isFree || path == cpbkdf2_sha))
            step = {cpbkdf2_sha, keys == 1 ? 2 : 4};
        if (hasARM && (isFree || path == cpbkdf2_arm))
            step = {cpbkdf2_arm, keys == 1 ? 2 : 4};
        const bool isBetterWide = 2 * keys > 11 || !hasSHA;
        if (hasAVX512 && (path == cpbkdf2_avx512 || (isFree && isBetterWide)))
            step = {cpbkdf2_avx512, 32};
        expected.push_back(step);
        keys -= step.lanes / 2;
    }
    return expected;
}

const size_t guardCount = 4;

// `count` keys, `sharing` of them in a row with the same password. Each key has memory of its own,
// between bytes that must stay.
static void proveDerivation(
    Processor processor, cpbkdf2_path path, size_t count, size_t sharing, size_t longest = 257)
{
    forgetWords();
    // One after the other: a null pointer, parts of a block, and more. The last of a row of 3 bytes
    // has 2, as the next row has.
    const size_t passwordCounts[] = {0, 3, 2, 64, longest, 1, 65};
    const size_t saltCounts[] = {8, 1, 0, 16, longest, 64, 65};
    const Bytes inputs = anyBytes(longest);
    std::vector<Bytes> passwords, salts, keys;
    std::vector<cpbkdf2_request> requests;
    for (size_t i = 0; i < count; i++) {
        if (i % sharing == 0) {
            // Each password differs from the others in its first byte.
            const size_t passwordCount = passwordCounts[i / sharing % 7];
            passwords.emplace_back(inputs.begin(), inputs.begin() + passwordCount);
            if (!passwords.back().empty())
                passwords.back()[0] = Word::input();
        }
        salts.emplace_back(inputs.begin(), inputs.begin() + saltCounts[i % 7]);
        if (!salts.back().empty())
            salts.back()[0] = Word::input();
        keys.push_back(inputs);
        keys.back().resize(guardCount + CPBKDF2_KEY_BYTES + guardCount);
    }
    for (size_t i = 0; i < count; i++) {
        // The last of each row has a byte less, at the same address.
        const Bytes &password = passwords[i / sharing];
        const size_t passwordCount = password.size() - (i % sharing == 2 && !password.empty());
        // Some have the salt of the key before, which has another password.
        const Bytes &salt = salts[i % 6 == 3 ? i - 1 : i];
        requests.push_back({
            password.empty() ? nullptr : password.data(), passwordCount,
            salt.data(), salt.size(), &keys[i][guardCount]});
    }
    const Word iterations = Word::input();
    callCount = 0;
    steps.clear();
    const auto derive = processor == isX86 ? x86::cpbkdf2_derive
        : processor == isARM ? arm::cpbkdf2_derive
        : elsewhere::cpbkdf2_derive;
    derive(path, requests.data(), count, iterations);
    claim(steps == expectedSteps(processor, path, int(count)), "the path taken", int(count));
    int passwordCount = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || requests[i].password != requests[i - 1].password ||
            requests[i].password_bytes != requests[i - 1].password_bytes)
            passwordCount++;
    }
    claim(callCount == passwordCount, "the work for a password is shared", int(count));
    for (size_t i = 0; i < count; i++) {
        struct keyed_states states;
        cpbkdf2_key(&states, requests[i].password, requests[i].password_bytes);
        Bytes expected(inputs.begin(), inputs.begin() + guardCount);
        for (unsigned block = 1; block <= 2; block++) {
            std::vector<Word> arguments = statesOf(states);
            Word last[5];
            cpbkdf2_first(last, &states, requests[i].salt, requests[i].salt_bytes, block);
            arguments.insert(arguments.end(), last, last + 5);
            arguments.push_back(iterations + Word(~0u));
            Digest sum;
            for (int word = 0; word < 5; word++)
                sum.h[word] = result(chain, word, arguments);
            const Bytes bytes = bytesOf(sum);
            expected.insert(expected.end(), bytes.begin(), bytes.end());
        }
        expected.resize(guardCount + CPBKDF2_KEY_BYTES);
        expected.insert(expected.end(), inputs.begin() + guardCount + CPBKDF2_KEY_BYTES,
            inputs.begin() + guardCount + CPBKDF2_KEY_BYTES + guardCount);
        claim(std::equal(expected.begin(), expected.end(), keys[i].begin(), keys[i].end(),
                  [](Byte a, Byte b) { return a.isSame(b); }),
            "a key, and the bytes around it", int(i));
    }
}

} // namespace derivation

void proveKeys()
{
    using namespace derivation;
    const cpbkdf2_path paths[] = {
        cpbkdf2_automatic, cpbkdf2_portable, cpbkdf2_sha, cpbkdf2_avx512, cpbkdf2_arm};
    for (const cpbkdf2_path path : paths)
        for (int features = 0; features < 8; features++) {
            available = {(features & 1) != 0, (features & 2) != 0, (features & 4) != 0};
            const bool isForX86 = !available.arm;
            for (size_t count = 0; isForX86 && count <= 35; count++) {
                proveDerivation(isX86, path, count, 3);
                if (path == cpbkdf2_automatic)
                    proveDerivation(isX86, path, count, 1);
            }
            // More than a byte can count, and more than two bytes can.
            if (isForX86)
                proveDerivation(isX86, path, path == cpbkdf2_automatic ? 256 : 100, 3);
            if (path == cpbkdf2_automatic && features == 0)
                proveDerivation(isX86, path, 7, 1, 65537);
            // The same code, after the choice of a path.
            for (const size_t count : {0, 1, 2, 3, 4, 5, 35})
                proveDerivation(isARM, path, count, 3);
            proveDerivation(isOther, path, 35, 3);
        }
}
