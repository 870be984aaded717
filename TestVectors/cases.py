"""The cases that a reader must accept, by the path of their file."""

import base64

from altered import FORMS, encoded_sample, lines
from older import older_cases
from rules import ITERATIONS, KEYSTREAM, MODES, NEWEST, VERSIONS, derive_key, material
from sample import GENERATED, Sample, success

DIGITS = "0123456789" * 13

# Besides those that a reader which does not decode them has to refuse.
MORE_FORMS = [
    ("base64-newline", lambda m: base64.b64encode(m) + b"\n",
     "Base64 in one line that ends in LF."),
    ("base64-lines-of-64", lambda m: lines(m, b"\n", 64)[:-1],
     "Base64 in lines of 64. The last one does not end in LF."),
    ("base64-indented", lambda m: lines(m, b"\n", 64, b"  "),
     "Base64 in lines that are indented, as in YAML."),
    ("base64-space-before", lambda m: b"  " + base64.b64encode(m),
     "Base64 in one line, copied with the spaces before it, which are no plus signs."),
    ("base64-space-behind", lambda m: base64.b64encode(m) + b" ",
     "Base64 in one line, copied with the space behind it, which is no plus sign."),
    ("base64url-unpadded", lambda m: base64.urlsafe_b64encode(m).rstrip(b"="),
     "Base64 for URLs without the = at its end, as in a web token."),
]

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
    makers = [_lengths]
    if version == NEWEST:
        makers += [_all_byte_values, _passwords, _texts, _shared_salts]
    else:
        makers += [older_cases]
    for make in makers:
        yield from make(version)


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
                comment = f"{length} of plaintext, in bytes, and no padding."
                if length > KEYSTREAM:
                    comment += f" The keystream has begun again after {KEYSTREAM}."
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
    sample = Sample(
        version, f"v{version}/password/password-empty", "password", password="", plaintext=b"",
        encryption_salt=bytes(8), hmac_salt=bytes(8), iv=bytes(16))
    comment = (
        "The empty password: anybody can read and forge what is under it. The format forbids "
        "it, but some programs use it. All else is empty or zero as well.")
    yield sample.name, success(sample, comment)


def _texts(version):
    for name, encode, comment in FORMS + MORE_FORMS:
        for mode in MODES if name == "base64-lf" else ["key"]:
            sample = encoded_sample(version, f"v{version}/{mode}/{name}", mode)
            yield sample.name, success(sample, comment, encode(sample.message).decode("ascii"))
    path = f"v{version}/key/base64-space-at-end"

    def wanted(s):
        return base64.b64encode(s.message).endswith(b"+")

    sample = Sample.drawn(wanted, version, path, "key", length=15)
    text = base64.b64encode(sample.message).decode("ascii").replace("+", " ")
    comment = "Every + became a space, and the last one is not white space."
    yield path, success(sample, comment, text)


def shared_salts_sample(version, name, **other):
    path = f"v{version}/password/shared-salts"
    salts = {part: material(f"{path} {part}", 8) for part in ("encryption_salt", "hmac_salt")}
    parts = {"password": "one of many", **salts, **other}
    return Sample(version, f"{path}-{name}", "password", **parts)


def _shared_salts(version):
    """Messages of a writer that keeps its keys.

    A reader may keep them, too, if it compares all that they depend on.
    """
    for name, comment, other in [
        ("1", "The first of three with the same password and salts. Their IVs differ.", {}),
        ("2", "The second of three with the same password and salts.", {}),
        ("3", "The third of three with the same password and salts.", {}),
        ("other-password", "The salts of the three, under another password.",
         {"password": "another of many"}),
        ("other-encryption-salt", "Only the HMAC salt is that of the three.",
         {"encryption_salt": b"another."}),
        ("other-hmac-salt", "Only the encryption salt is that of the three.",
         {"hmac_salt": b"another."}),
    ]:
        sample = shared_salts_sample(version, name, **other)
        yield sample.name, success(sample, comment)
