"""The cases that a reader must refuse: one fault each, in a message that is right otherwise."""

import base64

from altered import altered, encoded, mangled, payee
from cases import GENERATED, PASSWORDS, password_sample
from reader import EXPECT
from sample import Sample, in_modes, with_byte


def refused(version):
    found = {}
    for make in (_lengths, _starts, _credentials, _padding, altered, mangled, encoded, payee):
        for name, sample, message, fault, comment, *given in make(version):
            path = f"v{version}/refused/{name}"
            if path in found:
                raise ValueError(f"two cases are named {path}")
            mode, credential = given or (sample.mode, sample.credential())
            found[path] = {
                "comment": comment,
                "source": GENERATED,
                "kind": "message",
                "version": version,
                "mode": mode,
                **credential,
                "message": message.hex(),
                "expect": EXPECT[fault],
                "fault": fault,
            }
    return found


def _lengths(version):
    yield from in_modes(version, [
        ("empty", lambda s: b"", "No bytes at all."),
        ("version-only", lambda s: s.message[:1], "The version byte and nothing behind it."),
        ("header-only", lambda s: s.header, "The header and nothing behind it."),
        ("no-ciphertext", lambda s: s.seal(ciphertext=b""),
         "The MAC is right, but even an empty plaintext has a block of ciphertext."),
        ("one-byte-short", lambda s: s.message[:-1], "The shortest message without its last byte."),
    ], "message-too-short", length=0)

    for name, count in [
        ("1-byte-appended", 1), ("8-bytes-appended", 8), ("15-bytes-appended", 15),
        ("1-byte-removed", -1),
    ]:
        yield from in_modes(version, [
            (name, lambda s: _resized(s.message, s, count),
             "The ciphertext is not whole blocks, which shows before any key is derived."),
            (f"{name}-mac-right", lambda s: s.seal(ciphertext=_resized(s.ciphertext, s, count)),
             "The ciphertext is not whole blocks, and a right MAC over it does not mend that."),
        ], "invalid-message-length")


def _resized(data, sample, count):
    return data + sample.fill("appended", count) if count > 0 else data[:count]


def _starts(version):
    for number in (4, 5, 0x41, 0x42, 255):
        yield from in_modes(version, [
            (f"version-{number}", lambda s: s.seal(header=with_byte(s.header, 0, number)),
             f"No version {number} exists. The MAC is right, so only the version byte can tell."),
        ], "unsupported-version")
    yield from in_modes(version, [
        ("draft-4", lambda s: b"RNC\x04" + s.message[4:],
         "The start of the draft of version 4, which is not a format in use."),
        ("begins-with-a", lambda s: with_byte(base64.b64encode(s.message), 8, ord("!")),
         "Begins as base64 does, but the ninth byte, '!', is not base64: no hint is due."),
    ], "unsupported-version")

    # The bit for a password stays right, so that the undefined bit is the only fault.
    for mode, values in (("password", (0x03, 0x81)), ("key", (0x02, 0x80, 0xFE))):
        for value in values:
            yield from in_modes(version, [
                (f"options-{value:02x}", lambda s: s.seal(header=with_byte(s.header, 1, value)),
                 "Sets options that are not defined. The MAC is right."),
            ], "unsupported-options", modes=[mode])


def _credentials(version):
    def sample(name, mode, **parts):
        return Sample(version, f"v{version}/refused/{name}", mode, **parts)

    name = "key-given-for-password-message"
    s = sample(name, "password")
    yield (name, s, s.message, "credential-mismatch",
           "The keys are right, being derived from the password, but the message asks for that.",
           "key", s.keys())
    name = "password-given-for-key-message"
    s = sample(name, "key")
    yield (name, s, s.message, "credential-mismatch",
           "A key message has no salts to derive keys from.",
           "password", {"password": "password of " + name})

    fault = "authentication-failed"
    name = "password-wrong"
    s = sample(name, "password")
    yield (name, s, s.message, fault, "Another password than the writer's.",
           "password", {"password": s.password + "?"})
    for name, written, given, comment in [
        ("password-nfc-given-nfd", "nfc", PASSWORDS["nfd"][0],
         "Written with the NFC spelling: a reader must not normalise."),
        ("password-nfd-given-nfc", "nfd", PASSWORDS["nfc"][0],
         "Written with the NFD spelling: a reader must not normalise."),
        ("password-cut-at-nul", "nul-inside", "before",
         "What a C string would keep of the password."),
        ("password-without-newline", "newline-at-end", "password",
         "The writer's newline belongs to the password."),
    ]:
        s = password_sample(version, written)
        yield name, s, s.message, fault, comment, "password", {"password": given}

    name = "key-wrong-hmac-key"
    s = sample(name, "key")
    yield (name, s, s.message, fault, "The encryption key is right, the HMAC key is not.",
           "key", {**s.keys(), "hmacKey": s.fill("another HMAC key", 32).hex()})
    name = "key-swapped-keys"
    s = sample(name, "key")
    yield (name, s, s.message, fault, "The two keys are right, but each is in the other's place.",
           "key", {"encryptionKey": s.hmac_key.hex(), "hmacKey": s.encryption_key.hex()})


def _padding(version):
    def right_mac(name, wrong, comment):
        return name, lambda s: s.seal_blocks(wrong(s)), comment + " The MAC is right."

    both = [
        right_mac("padding-0", lambda s: s.fill("block", 31) + b"\x00",
                  "Padding of 0 bytes: there is always at least one."),
        right_mac("padding-17", lambda s: s.fill("block", 15) + b"\x11" * 17,
                  "Seventeen bytes of padding, all alike, are more than a block."),
        right_mac("padding-first-of-16", lambda s: s.fill("block", 16) + b"\x00" + b"\x10" * 15,
                  "Of a whole block of padding, only the first byte is wrong."),
    ]
    key_only = [
        right_mac("padding-255", lambda s: s.fill("block", 1) + b"\xff" * 255,
                  "255 bytes of padding, all alike, are more than a block."),
        right_mac("padding-16-inconsistent", lambda s: s.fill("block", 31) + b"\x10",
                  "The last byte says 16 bytes of padding, the 15 before it do not."),
        right_mac("padding-2-first-differs", lambda s: s.fill("block", 30) + b"\x03\x02",
                  "The last byte says 2 bytes of padding, the one before it does not."),
        right_mac("padding-byte-before-last",
                  lambda s: s.fill("block", 16) + b"\x10" * 14 + b"\x11\x10",
                  "Of a whole block of padding, only the byte before the last is wrong."),
    ]
    yield from in_modes(version, both, "corrupt-padding")
    yield from in_modes(version, key_only, "corrupt-padding", modes=["key"])
