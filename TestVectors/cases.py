"""The cases that a reader must accept, by the path of their file."""

from older import older_cases
from rules import ITERATIONS, KEYSTREAM, MODES, NEWEST, VERSIONS, derive_key, material
from sample import GENERATED, Sample, success

DIGITS = "0123456789" * 13

# Lengths around the block, the byte, a common buffer, and the keystream of version 0.
AROUND_BLOCKS = (0, 1, 15, 16, 17, 31, 32, 33)
LENGTHS = {
    3: {"key": AROUND_BLOCKS + (255, 256, 257, 4096), "password": (0, 1, 15, 16, 17, 4096)},
    2: {"key": AROUND_BLOCKS, "password": (0, 15, 16)},
    1: {"key": AROUND_BLOCKS, "password": (0, 16)},
    0: {"key": AROUND_BLOCKS + (4095, 4096, 4097, 8193), "password": (0, 1, 16)},
}

PASSWORDS = {
    "nul-inside": ("before\0after", "NUL is a byte like any other: a C string would end at it."),
    "nfc": ("cr\u00e8me br\u00fbl\u00e9e", "Composed accents; NFD is another password."),
    "nfd": ("cre\u0300me bru\u0302le\u0301e", "Decomposed accents; NFC is another password."),
    "64-bytes": (DIGITS[:64], "The block of HMAC-SHA1, and the longest that is used as it is."),
    "65-bytes": (DIGITS[:65], "One byte over the block of HMAC-SHA1: HMAC hashes it first."),
    "128-bytes": (DIGITS[:128], "Two whole blocks of HMAC-SHA1."),
    "129-bytes": (DIGITS[:129], "One byte over two blocks of HMAC-SHA1."),
    "emoji": ("\U0001f511\U0001f40e\U0001f50b", "Four bytes each in UTF-8, not six."),
    "spaces-around": (" pass word ", "Spaces at both ends belong to the password."),
    "newline-at-end": ("password\n", "A newline at the end belongs to the password."),
}


def cases(version):
    found = {}
    ours = (_all_byte_values, _passwords) if version == NEWEST else (older_cases,)
    for make in (_lengths, *ours):
        for path, case in make(version):
            if path in found:
                raise ValueError(f"two cases are named {path}")
            found[path] = case
    return found


def kdf(version, password, salt, comment):
    return {
        "comment": comment,
        "source": GENERATED,
        "kind": "kdf",
        "version": version,
        "password": password,
        "salt": salt.hex(),
        "iterations": ITERATIONS,
        "key": derive_key(password.encode("utf-8"), salt).hex(),
    }


def password_sample(version, name):
    return Sample(version, f"v{version}/password/password-{name}", "password",
                  password=PASSWORDS[name][0])


def _lengths(version):
    for mode, lengths in LENGTHS[version].items():
        for length in lengths:
            path = f"v{version}/{mode}/plaintext-{length}-bytes"
            comment = f"{length} of plaintext and {16 - length % 16} of padding, in bytes."
            if not VERSIONS[version].pads:
                again = length > KEYSTREAM
                comment = f"{length} of plaintext, in bytes, and no padding." + (
                    f" The keystream has begun again after {KEYSTREAM}." if again else "")
            yield path, success(Sample(version, path, mode, length=length), comment)


def _all_byte_values(version):
    for mode in MODES:
        path = f"v{version}/{mode}/plaintext-all-byte-values"
        comment = "Every byte value once: plaintext is bytes, not text."
        yield path, success(Sample(version, path, mode, plaintext=bytes(range(256))), comment)


def _passwords(version):
    for name, (password, comment) in PASSWORDS.items():
        path = f"v{version}/kdf/password-{name}"
        yield path, kdf(version, password, material(f"{path} salt", 8), comment)
        sample = password_sample(version, name)
        yield sample.name, success(sample, comment)
