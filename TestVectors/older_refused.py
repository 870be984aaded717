"""Refusals that exist because there are several versions, and because the older ones have other
rules.
"""

from older import ASTRAL, BMP, VERSION_2, WRITERS, password_sample
from rules import BLOCK, MODES, VERSIONS, password_bytes
from sample import Sample, flipped, in_modes, refusal

FAULT = "authentication-failed"


def relabelled(version):
    """Messages whose version and options were changed to those of another version.

    The credential is right.
    """
    for origin in VERSIONS:
        if origin == version:
            continue
        both_pad = VERSIONS[origin].pads and VERSIONS[version].pads
        for mode in MODES if both_pad else ["key"]:
            name = f"{mode}-relabelled-from-{origin}"
            # Whole blocks, so that messages of version 0 get as far as the MAC.
            s = Sample(origin, f"v{version}/refused/{name}", mode, length=3 * BLOCK)
            start = bytes([version, VERSIONS[version].options[mode]])
            yield (name, s, start + s.message[2:], FAULT,
                   f"Made as version {origin}, then called version {version}: "
                   "the MACs of the two differ.")


def truncated(version):
    """Messages under truncated passwords, for versions that do not truncate."""
    for writer, truncation in WRITERS.items():
        if truncation != "none":
            count = len(password_bytes(ASTRAL, truncation))
            comment = (
                f"Written with the {count} bytes of the password that some writers of version 2 "
                "use. Version 3 uses all of them.")
            yield refusal(
                version, f"password-truncated-{writer}", "password", FAULT, comment,
                password=ASTRAL, truncation=truncation)


def older_refused(version):
    yield from _wrong_passwords(version)
    yield from _forgeries(version)
    if version == 2:
        yield from _spellings(version)
    if version == 1:
        yield from _unauthenticated_changes(version)
    if not VERSIONS[version].pads:
        yield from _version_0(version)


def _wrong_passwords(version):
    for name, writer, given, comment in [
        ("bmp", "utf16-units", BMP + "!",
         "The password given has one character more, so that one byte more would be used of it."),
        ("astral", "code-points", ASTRAL[:-1],
         "The password given lacks the last character: 8, 4 or 2 bytes, where 3 were used."),
    ]:
        s = password_sample(version, name, writer)
        yield (f"password-wrong-{name}", s, s.message, FAULT,
               comment + " It is wrong under every truncation.", "password", {"password": given})


# What somebody who does not know a password has to guess of it in order to forge a message.
FORGERIES = {
    "emoji-code-points": ("\U0001f511", "code-points",
                          "With the byte F0, which begins nearly every emoji."),
    "emoji-utf16-units": ("\U0001f511", "utf16-units",
                          "With the bytes F0 9F, which begin nearly every emoji, too."),
    "han": ("\u5bc6\u78bc", "utf16-units",
            "With 2 of 6 bytes, of which the first is one of a few."),
    "cyrillic": ("\u043f\u0430\u0440\u043e\u043b\u044c", "utf16-units",
                 "With 6 of 12 bytes, of which every other one is D0 or D1."),
    "several-emoji-code-points": (
        ASTRAL, "code-points", "With 3 of 12 bytes, counted by code points: F0 9F and one more."),
}


def _forgeries(version):
    def given(s):
        plaintext = {"plaintext": s.plaintext.hex()}
        return "password", {**s.credential(), **s.used_of_password(), **plaintext}

    for name, (password, writer, guessed) in FORGERIES.items():
        comment = (
            f"Forged without the password. {guessed} Only a reader that was told to accept "
            "shortened passwords takes it for genuine.")
        yield refusal(
            version, f"password-forged-{name}", "password", FAULT, comment, given=given,
            password=password, truncation=WRITERS[writer],
            plaintext=b"Nobody who knows the password wrote this.")


def _spellings(version):
    for written, given in (("nfc", "nfd"), ("nfd", "nfc")):
        s = password_sample(version, written, "code-points")
        yield (f"password-{written}-given-{given}", s, s.message, FAULT,
               f"Written with the {written.upper()} spelling: a reader must not normalise.",
               "password", {"password": VERSION_2[given][0]})
    s = password_sample(version, "nul-inside", "utf16-units")
    yield ("password-cut-at-nul", s, s.message, FAULT,
           "What a C string would keep of the password.", "password",
           {"password": s.password.split("\0")[0]})

    whole = "cafe\u0301s au lait"
    comment = (
        "Written with 13 of 15 bytes, as letter and combining accent make one grapheme. "
        "No writer counts graphemes.")
    yield refusal(
        version, "password-truncated-graphemes", "password", FAULT, comment,
        password=whole[:-2], given=lambda s: ("password", {"password": whole}))


def _unauthenticated_changes(version):
    """Changes that also break the padding. A reader that says so is a padding oracle."""
    comment = "The MAC is right, as it does not cover {}. What is decrypted ends in no padding."
    yield refusal(
        version, "key-iv-breaks-padding", "key", "corrupt-padding", comment.format("the IV"),
        lambda s: s.with_iv(flipped(s.iv, 15)), length=14)
    yield refusal(
        version, "password-encryption-salt-breaks-padding", "password", "corrupt-padding",
        comment.format("the encryption salt"), lambda s: flipped(s.message, 2))


def _version_0(version):
    yield from in_modes(version, [
        ("1-byte-appended", lambda s: s.message + s.fill("appended", 1),
         "Any length is possible, so that only the MAC can tell."),
        ("1-byte-removed", lambda s: s.message[:-1],
         "Any length is possible, so that only the MAC can tell."),
    ], FAULT, modes=["key"])

    comment = (
        "The keys are right, being derived from the password, but nothing says that there are "
        "salts: they are taken for the IV.")
    yield refusal(
        version, "key-given-for-password-message", "password", FAULT, comment,
        given=lambda s: ("key", s.keys()))
    for name, length, fault, comment in [
        ("password-given-for-key-message", 40, FAULT,
         "Nothing says that there are no salts: the IV is taken for them."),
        ("password-given-for-shortest-key-message", 0, "message-too-short",
         "50 bytes are a key message; a password message has 66 at least."),
    ]:
        yield refusal(version, name, "key", fault, comment, length=length,
                      given=lambda s: ("password", {"password": "password of " + name}))
