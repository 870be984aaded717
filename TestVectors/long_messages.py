"""Messages of 1 MiB. The case states how to make one, and what the result must be."""

import hashlib

from older import ASTRAL_AT_END
from reader import Refused, read
from sample import GENERATED, Sample

MEBIBYTE = 1 << 20
RULE = "byte i is (7 * i + (i >> 8) + 13 * (i >> 16)) & 255"

WHOLE_BLOCKS = "Whole blocks, and so a whole block of padding."
LATE = "The right candidate for the password is known at the end only."

# By version: the mode, the number of bytes of plaintext, what the case shows, and how the password
# was used.
LONG = {
    3: [
        ("key", MEBIBYTE, WHOLE_BLOCKS, {}),
        ("key", MEBIBYTE - 1, "One byte of padding.", {}),
        ("password", MEBIBYTE, WHOLE_BLOCKS, {}),
    ],
    2: [
        ("key", MEBIBYTE, WHOLE_BLOCKS, {}),
        ("password", MEBIBYTE, LATE, {"password": ASTRAL_AT_END, "truncation": "code points"}),
    ],
    1: [
        ("password", MEBIBYTE, LATE, {"password": ASTRAL_AT_END, "truncation": "utf-16 units"}),
    ],
    0: [
        ("key", MEBIBYTE, "The keystream is used 256 times in whole.", {}),
        ("key", MEBIBYTE + 1, "The last block is one byte.", {}),
        ("password", MEBIBYTE, LATE, {"password": ASTRAL_AT_END, "truncation": "utf-16 units"}),
    ],
}


def ruled_plaintext(count):
    """The third term keeps any two pieces of 64 KiB from being alike."""
    return bytes((7 * i + (i >> 8) + 13 * (i >> 16)) & 255 for i in range(count))


def long_cases(version):
    for mode, count, comment, parts in LONG[version]:
        path = f"v{version}/long/{mode}-{count}-bytes"
        sample = Sample(version, path, mode, plaintext=ruled_plaintext(count), **parts)
        yield path, {
            "comment": comment,
            "source": GENERATED,
            "kind": "long message",
            "version": version,
            "mode": mode,
            **sample.credential(),
            **sample.used_of_password(),
            "expect": "success",
            "plaintextByteCount": count,
            "plaintextRule": RULE,
            "plaintextSHA256": hashlib.sha256(sample.plaintext).hexdigest(),
            **sample.randomness(),
            "messageByteCount": len(sample.message),
            "messageSHA256": hashlib.sha256(sample.message).hexdigest(),
        }


def built(case):
    """The message and the plaintext, made only from what the case states."""
    def field(name):
        return bytes.fromhex(case[name]) if name in case else None

    plaintext = ruled_plaintext(case["plaintextByteCount"])
    sample = Sample(
        case["version"], "unnamed", case["mode"], plaintext=plaintext, iv=field("iv"),
        password=case.get("password"), truncation=case.get("truncation", "none"),
        encryption_salt=field("encryptionSalt"), hmac_salt=field("hmacSalt"),
        encryption_key=field("encryptionKey"), hmac_key=field("hmacKey"))
    return sample.message, plaintext


def verify_long(path, case):
    message, plaintext = built(case)
    stated = case["messageByteCount"], case["messageSHA256"]
    if (len(message), hashlib.sha256(message).hexdigest()) != stated:
        raise ValueError(f"{path}: the message is not as stated")
    if read(message, case["mode"], case, shortened=True) != plaintext:
        raise ValueError(f"{path}: the reader says otherwise")
    if "shortenedPassword" in case:
        try:
            read(message, case["mode"], case)
        except Refused:
            return
        raise ValueError(f"{path}: it opens under all bytes of its password")
