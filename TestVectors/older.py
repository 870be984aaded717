"""Cases that a reader of versions 2, 1 and 0 must accept, beyond those of version 3."""

from altered import NEW_PAYEE, OLD_PAYEE, ORDER, payee_iv
from reader import Refused, read
from rules import BLOCK, KEYSTREAM, MODES, VERSIONS
from sample import Sample, flipped, success, with_byte

BMP, LATIN = "\u4e2d\u6587\u5bc6\u7801", "p\u00e4ssw\u00f6rd"
ASTRAL, ASTRAL_AT_END = "\U0001f511\U0001f40e\U0001f50b", "password\U0001f511"
WRITERS = {"all-bytes": "none", "utf16-units": "utf-16 units", "code-points": "code points"}

# By the kind of password: the text, and a comment on each way in which a writer may have used it.
EVERY_VERSION = {
    "ascii": ("correct horse battery staple", {
        "all-bytes": "As many characters as bytes, so that every writer uses all of it.",
    }),
    "bmp": (BMP, {
        "all-bytes": "All 12 bytes: the writer never truncated.",
        "utf16-units": "4 of 12 bytes, a character and a third. Code points count the same.",
    }),
    "latin": (LATIN, {
        "all-bytes": "All 10 bytes: the writer never truncated.",
        "code-points": "8 of 10 bytes. UTF-16 units count the same.",
    }),
    "astral": (ASTRAL, {
        "all-bytes": "All 12 bytes: the writer never truncated.",
        "utf16-units": "6 of 12 bytes, for three characters of two UTF-16 units.",
        "code-points": "3 of 12 bytes, for three code points.",
    }),
}
VERSION_2 = {
    "astral-at-end": (ASTRAL_AT_END, {
        "all-bytes": "All 12 bytes: the writer never truncated.",
        "utf16-units": "10 of 12 bytes: half of the last character.",
        "code-points": "9 of 12 bytes: a quarter of the last character.",
    }),
    "65-bytes": ("0123456789" * 6 + "01234", {
        "all-bytes": "ASCII, one byte over the block of HMAC-SHA1.",
    }),
    "130-bytes": ("\u00e4" * 65, {
        "all-bytes": "Over two blocks of HMAC-SHA1: HMAC hashes it first.",
        "utf16-units": "65 of 130 bytes, one over the block of HMAC-SHA1.",
    }),
    "128-bytes": ("\u00e4" * 64, {
        "code-points": "64 of 128 bytes: the block of HMAC-SHA1, not to be hashed.",
    }),
    "nul-inside": ("\u00e4\0\u00f6\u00fc", {
        "all-bytes": "NUL is a byte like any other: a C string would end at it.",
        "utf16-units": "4 of 7 bytes, of which the third is NUL.",
    }),
    "nfc": ("cr\u00e8me br\u00fbl\u00e9e", {
        "code-points": "12 of 15 bytes. NFC is not normalised before it is counted.",
    }),
    "nfd": ("cre\u0300me bru\u0302le\u0301e", {
        "code-points": "15 of 18 bytes: a combining accent counts.",
    }),
}


def older_cases(version):
    yield from _passwords(version)
    if not VERSIONS[version].mac_covers_header:
        yield from _unauthenticated_changes(version)
    if not VERSIONS[version].pads:
        yield from _counters(version)


def _passwords(version):
    texts = {**EVERY_VERSION, **(VERSION_2 if version == 2 else {})}
    for name, (_, comments) in texts.items():
        for writer, comment in comments.items():
            sample = password_sample(version, name, writer)
            yield sample.name, success(sample, comment)


def password_sample(version, name, writer):
    text, comments = {**EVERY_VERSION, **VERSION_2}[name]
    suffix = "" if list(comments) == ["all-bytes"] else f"-{writer}"
    return Sample(version, f"v{version}/password/password-{name}{suffix}", "password",
                  password=text, truncation=WRITERS[writer])


def _unauthenticated_changes(version):
    """Changes that somebody without the keys can make and no reader can notice."""
    unseen = " The MAC does not cover it: a reader cannot but accept this."
    for mode in MODES:
        for name, alter, comment, *plaintext in (
            _changed_ivs_of_blocks() if VERSIONS[version].pads else _changed_ivs_of_counter()
        ):
            if mode == "key" or name != "altered-iv-changes-length":
                yield _changed(version, mode, name, alter, comment + unseen, *plaintext)
    comment = "One bit of the encryption salt is flipped, and all of the plaintext is garbage."
    if VERSIONS[version].pads:
        comment += " Its end looks like padding, by a chance of 1 in 256."
    yield _changed(version, "password", "altered-encryption-salt",
                   lambda s: {"encryption_salt": flipped(s.encryption_salt, 0)}, comment + unseen)


def _changed_ivs_of_blocks():
    yield ("altered-iv", lambda s: {"iv": flipped(s.iv, 5)},
           "One bit of the IV is flipped, and with it one bit of the first block.")
    yield ("altered-iv-changes-payee", lambda s: {"iv": payee_iv(s)},
           f'"{OLD_PAYEE.decode()}" became "{NEW_PAYEE.decode()}" by a change of the IV.', ORDER)
    yield ("altered-iv-changes-length", lambda s: {"iv": flipped(s.iv, 15, 0x03)},
           "The IV turns 2 bytes of padding into 1 and a byte of plaintext.", b"fourteen bytes")


def _changed_ivs_of_counter():
    yield ("altered-iv-first-byte", lambda s: {"iv": with_byte(s.iv, 0, (s.iv[0] + 1) % 256)},
           "The counter in the IV starts one later, and all of the plaintext is garbage.")
    yield ("altered-iv-last-byte", lambda s: {"iv": flipped(s.iv, 15)},
           "One bit of the IV is flipped, and all of the plaintext is garbage.")


def _changed(version, mode, name, alter, comment, plaintext=None):
    path = f"v{version}/{mode}/{name}"
    for draw in range(10_000):
        sent = Sample(version, path, mode, draw=draw, plaintext=plaintext)
        changed = {"iv": sent.iv, **alter(sent)}
        header = Sample(version, path, mode, **changed).header
        message = header + sent.message[len(header):]
        try:
            result = read(message, mode, sent.credential())
        except Refused:
            continue  # this time the plaintext does not end in padding
        received = Sample(version, path, mode, plaintext=result, **changed)
        if received.message != message or result == sent.plaintext:
            break
        return path, {**success(received, comment), "unauthenticatedChange": True}
    raise ValueError(f"{path}: the attack does not work")


def _counters(version):
    def case(name, comment, alter=lambda iv: iv, plaintext=None, length=3 * BLOCK + 1):
        path = f"v{version}/key/{name}"
        iv = alter(Sample(version, path, "key").iv)
        return path, success(
            Sample(version, path, "key", iv=iv, plaintext=plaintext, length=length), comment)

    yield case("iv-byte-0-ff", "Byte 0 of the counter is 0 in the second block, without a carry.",
               lambda iv: b"\xff" + iv[1:])
    yield case("iv-byte-0-fe", "Byte 0 of the counter is 0 in the third block, without a carry.",
               lambda iv: b"\xfe" + iv[1:])
    yield case("iv-all-ff", "After ff comes 00 in byte 0; the other bytes stay ff.",
               lambda iv: b"\xff" * BLOCK)
    yield case("iv-byte-15-ff", "The last byte of the counter stays; a big-endian one would move.",
               lambda iv: iv[:15] + b"\xff")
    yield case("plaintext-zeros", "Zeros lay the keystream bare: it repeats after 4,096 bytes.",
               plaintext=bytes(2 * KEYSTREAM + 1))
