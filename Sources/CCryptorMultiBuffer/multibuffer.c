#include "CCryptorMultiBuffer.h"

#ifdef CRYPTORFORMAT_MULTIBUFFER

#include <intel-ipsec-mb.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES 32
#define TAG_BYTES 32
#define BLOCK_BYTES 64
#define ROUND_KEY_WORDS 60
#define ALIGNMENT 64

struct ccryptor_multibuffer {
    _Alignas(ALIGNMENT) uint32_t encryption[ROUND_KEY_WORDS];
    _Alignas(ALIGNMENT) uint32_t decryption[ROUND_KEY_WORDS];
    // The states of SHA-256 after the block of HMAC's inner key, and after that of its outer key.
    _Alignas(ALIGNMENT) uint8_t inner[TAG_BYTES];
    _Alignas(ALIGNMENT) uint8_t outer[TAG_BYTES];
    // The library's manager, in memory that is allocated here, so that all of it can be overwritten.
    IMB_MGR *manager;
    size_t manager_bytes;
    // The jobs of one call of `do_jobs`.
    IMB_JOB jobs[CCRYPTOR_MULTIBUFFER_MESSAGES];
};

static size_t rounded(size_t count)
{
    return (count + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void pad_key(IMB_MGR *manager, const uint8_t *key, uint8_t pad, uint8_t *state)
{
    uint8_t block[BLOCK_BYTES];
    memset(block, pad, sizeof block);
    for (size_t i = 0; i < KEY_BYTES; i++)
        block[i] ^= key[i];
    IMB_SHA256_ONE_BLOCK(manager, block, state);
    explicit_bzero(block, sizeof block);
}

static bool set_up(struct ccryptor_multibuffer *context)
{
    IMB_ARCH architecture = IMB_ARCH_NONE;
    context->manager_bytes = rounded(imb_get_mb_mgr_size());
    void *memory = aligned_alloc(ALIGNMENT, context->manager_bytes);
    if (memory == NULL) return false;
    memset(memory, 0, context->manager_bytes);
    context->manager = memory;
    if (imb_set_pointers_mb_mgr(memory, 0, 1) == NULL) return false;
    init_mb_mgr_auto(context->manager, &architecture);
    if (imb_get_errno(context->manager) != 0 || architecture == IMB_ARCH_NONE || architecture == IMB_ARCH_NOAESNI)
        return false;
    const uint64_t self_test = IMB_FEATURE_SELF_TEST | IMB_FEATURE_SELF_TEST_PASS;
    return (context->manager->features & self_test) == self_test;
}

struct ccryptor_multibuffer *ccryptor_multibuffer_new(const uint8_t *encryption_key, const uint8_t *hmac_key)
{
    struct ccryptor_multibuffer *context = aligned_alloc(ALIGNMENT, rounded(sizeof *context));
    if (context == NULL) return NULL;
    memset(context, 0, sizeof *context);
    if (!set_up(context)) {
        ccryptor_multibuffer_free(context);
        return NULL;
    }
    IMB_AES_KEYEXP_256(context->manager, encryption_key, context->encryption, context->decryption);
    pad_key(context->manager, hmac_key, 0x36, context->inner);
    pad_key(context->manager, hmac_key, 0x5C, context->outer);
    return context;
}

void ccryptor_multibuffer_free(struct ccryptor_multibuffer *context)
{
    if (context->manager != NULL) {
        explicit_bzero(context->manager, context->manager_bytes);
        free(context->manager);
    }
    explicit_bzero(context, sizeof *context);
    free(context);
}

// Counts a job that the library returned as done. Returns false if it failed. NULL means that no job is done yet.
static bool took(const IMB_JOB *job, size_t *done)
{
    if (job == NULL) return true;
    (*done)++;
    return job->status == IMB_STATUS_COMPLETED;
}

static void cipher(
    struct ccryptor_multibuffer *context, IMB_JOB *job, IMB_CIPHER_DIRECTION direction, const uint8_t *iv)
{
    job->cipher_mode = IMB_CIPHER_CBC;
    job->cipher_direction = direction;
    job->chain_order = direction == IMB_DIR_ENCRYPT ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    job->enc_keys = context->encryption;
    job->dec_keys = context->decryption;
    job->key_len_in_bytes = KEY_BYTES;
    job->iv = iv;
    job->iv_len_in_bytes = 16;
}

static void hash(struct ccryptor_multibuffer *context, IMB_JOB *job, size_t count, uint8_t *tag)
{
    job->hash_alg = IMB_AUTH_HMAC_SHA_256;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = count;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = TAG_BYTES;
    job->u.HMAC._hashed_auth_key_xor_ipad = context->inner;
    job->u.HMAC._hashed_auth_key_xor_opad = context->outer;
}

// Does the jobs that are left. Returns whether all `count` jobs are done and all have succeeded.
static bool finish(struct ccryptor_multibuffer *context, bool is_right, size_t done, size_t count)
{
    IMB_JOB *job;
    while ((job = IMB_FLUSH_JOB(context->manager)) != NULL)
        is_right &= took(job, &done);
    return is_right && done == count;
}

bool ccryptor_multibuffer_encrypt(
    struct ccryptor_multibuffer *context, const struct ccryptor_multibuffer_encryption *messages, size_t count)
{
    size_t done = 0;
    bool is_right = true;
    for (size_t i = 0; i < count; i++) {
        uint8_t *message = messages[i].message;
        const size_t header = messages[i].header_bytes, bytes = messages[i].ciphertext_bytes;
        IMB_JOB *job = IMB_GET_NEXT_JOB(context->manager);
        cipher(context, job, IMB_DIR_ENCRYPT, message + header - 16);
        hash(context, job, header + bytes, message + header + bytes);
        job->src = message;
        job->dst = message + header;
        job->cipher_start_src_offset_in_bytes = header;
        job->msg_len_to_cipher_in_bytes = bytes;
        is_right &= took(IMB_SUBMIT_JOB(context->manager), &done);
        if (imb_get_errno(context->manager) != 0) is_right = false;
    }
    return finish(context, is_right, done, count);
}

// Does `count` jobs, as many at a time as the library takes, and returns whether all have succeeded.
static bool do_jobs(struct ccryptor_multibuffer *context, size_t count, bool is_hashing)
{
    IMB_MGR *manager = context->manager;
    size_t done = 0;
    for (size_t first = 0; first < count; first += IMB_MAX_BURST_SIZE) {
        IMB_JOB *jobs = &context->jobs[first];
        const size_t rest = count - first;
        const uint32_t some = (uint32_t)(rest < IMB_MAX_BURST_SIZE ? rest : IMB_MAX_BURST_SIZE);
        if (is_hashing)
            done += IMB_SUBMIT_HASH_BURST(manager, jobs, some, IMB_AUTH_HMAC_SHA_256);
        else
            done += IMB_SUBMIT_CIPHER_BURST(manager, jobs, some, IMB_CIPHER_CBC, IMB_DIR_DECRYPT, IMB_KEY_256_BYTES);
    }
    bool is_right = done == count;
    for (size_t i = 0; i < count; i++)
        is_right &= context->jobs[i].status == IMB_STATUS_COMPLETED;
    return is_right;
}

bool ccryptor_multibuffer_authenticate(
    struct ccryptor_multibuffer *context, const struct ccryptor_multibuffer_authentication *messages, size_t count)
{
    if (count > CCRYPTOR_MULTIBUFFER_MESSAGES) return false;
    for (size_t i = 0; i < count; i++) {
        IMB_JOB *job = &context->jobs[i];
        hash(context, job, messages[i].count, messages[i].tag);
        job->src = messages[i].bytes;
        job->status = IMB_STATUS_BEING_PROCESSED;
    }
    return do_jobs(context, count, true);
}

bool ccryptor_multibuffer_decrypt(
    struct ccryptor_multibuffer *context, const struct ccryptor_multibuffer_decryption *messages, size_t count)
{
    if (count > CCRYPTOR_MULTIBUFFER_MESSAGES) return false;
    for (size_t i = 0; i < count; i++) {
        IMB_JOB *job = &context->jobs[i];
        job->status = IMB_STATUS_BEING_PROCESSED;
        cipher(context, job, IMB_DIR_DECRYPT, messages[i].iv);
        job->src = messages[i].ciphertext;
        job->dst = messages[i].plaintext;
        job->msg_len_to_cipher_in_bytes = messages[i].ciphertext_bytes;
    }
    return do_jobs(context, count, false);
}

#else

// Some linkers want a symbol in each file.
extern const int ccryptor_multibuffer_is_left_out;
const int ccryptor_multibuffer_is_left_out = 1;

#endif
