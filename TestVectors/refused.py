"""The cases that a reader must refuse: one fault each, in a message that is right otherwise."""

import base64

from altered import altered, encoded, mangled, other_macs, payee
from cases import PASSWORDS, password_sample, shared_salts_sample
from older_refused import older_refused, relabelled, truncated
from reader import EXPECT
from rules import NEWEST, VERSIONS
from sample import GENERATED, flipped, in_modes, refusal, with_byte

# The password bit stays right, so that the undefined bit is the only fault.
UNDEFINED_OPTIONS = {
    3: {"password": (0x03, 0x81), "key": (0x02, 0x80, 0xFE)},
    2: {"password": (0x03,), "key": (0x02, 0x80)},
    1: {"password": (0x03,), "key": (0x02, 0x80)},
    0: {"password": (0x01, 0x02), "key": (0x01, 0x80)},
}

# The refusals of version 3 that older versions repeat. The others do not depend on the version.
REPEATED = {
    "key-1-byte-appended", "key-base64", "key-block-removed", "key-flipped-first-block",
    "key-flipped-iv", "key-flipped-last-block", "key-flipped-mac-first-byte",
    "key-flipped-mac-last-byte", "key-given-for-password-message", "key-header-only",
    "key-iv-changes-payee", "key-mac-half", "key-no-ciphertext", "key-one-byte-short",
    "key-padding-0", "key-padding-first-of-16", "key-wrong-hmac-key", "password-1-byte-appended",
    "password-flipped-encryption-salt", "password-flipped-hmac-salt", "password-flipped-iv",
    "password-flipped-mac-last-byte", "password-given-for-key-message",
    "password-iv-changes-payee", "password-one-byte-short", "password-padding-0",
    "password-wrong",
}


def refused(version):
    rules = VERSIONS[version]
    common = [_lengths, _wrong_credentials, altered, encoded]
    common += [_whole_blocks, _other_kinds, _padding] if rules.pads else []
    common += [payee] if rules.mac_covers_header else []
    made = [case for make in common for case in make(version)]
    if version != NEWEST:
        made = [case for case in made if case[0] in REPEATED]
    own = [mangled, truncated, _versions, _spellings] if version == NEWEST else [older_refused]
    own += [_changed_options] if rules.pads else []
    own += [_options, other_macs, relabelled]
    made += [case for make in own for case in make(version)]

    for name, sample, message, fault, comment, *given in made:
        mode, parts = given or (sample.mode, sample.credential())
        yield f"v{version}/refused/{name}", {
            "comment": comment,
            "source": GENERATED,
            "kind": "message",
            "version": version,
            "mode": mode,
            **parts,
            "message": message.hex(),
            "expect": EXPECT[fault],
            "fault": fault,
        }


def _lengths(version):
    yield from in_modes(version, [
        ("empty", lambda s: b"", "No bytes at all."),
        ("version-only", lambda s: s.message[:1], "The version byte and nothing behind it."),
        ("header-only", lambda s: s.header, "The header and nothing behind it."),
        ("one-byte-short", lambda s: s.message[:-1], "The shortest message without its last byte."),
    ], "message-too-short", length=0)


def _whole_blocks(version):
    yield from in_modes(version, [
        ("no-ciphertext", lambda s: s.seal(ciphertext=b""),
         "The MAC is right, but even an empty plaintext has a block of ciphertext."),
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


def _versions(version):
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


def _options(version):
    for mode, values in UNDEFINED_OPTIONS[version].items():
        for value in values:
            yield from in_modes(version, [
                (f"options-{value:02x}", lambda s: s.seal(header=with_byte(s.header, 1, value)),
                 "Sets options that are not defined. The MAC is right."),
            ], "unsupported-options", modes=[mode])


def _changed_options(version):
    """The one defined bit is changed, so that the fields are in other places."""
    for name, mode, given_name, given, comment in [
        ("password-option-cleared", "password", "given-keys", "key",
         "Salts are taken for the IV, and the IV for ciphertext."),
        ("key-option-set", "key", "given-password", "password",
         "The IV is taken for salts, and the first block for the IV."),
    ]:
        def changed(s):
            return flipped(s.message, 1)

        def credential(s):
            return given, s.keys() if given == "key" else {"password": "password of " + name}

        yield refusal(
            version, name, mode, "credential-mismatch",
            "The password bit of the options is wrong. The credential is the writer's.", changed)
        _, *rest = refusal(
            version, name, mode, "authentication-failed", comment, changed, credential)
        yield (f"{name}-{given_name}", *rest)


def _other_kinds(version):
    fault, name = "credential-mismatch", "password-given-for-key-message"
    yield refusal(
        version, "key-given-for-password-message", "password", fault,
        "The keys are right, being derived from the password, but the message asks for that.",
        given=lambda s: ("key", s.keys()))
    yield refusal(
        version, name, "key", fault, "A key message has no salts to derive keys from.",
        given=lambda s: ("password", {"password": "password of " + name}))
    if version != NEWEST:
        return
    fault = "message-too-short"
    comment = "The header is cut off, so nothing is said about the kind of credential."
    for name, count in [("key-options-only-given-password", 2),
                        ("key-header-cut-given-password", 17)]:
        yield refusal(
            version, name, "key", fault, comment, lambda s: s.header[:count],
            given=lambda s: ("password", {"password": "password of " + name}))
    for name, count in [("password-options-only-given-keys", 2),
                        ("password-header-cut-given-keys", 33)]:
        yield refusal(
            version, name, "password", fault, comment, lambda s: s.header[:count],
            given=lambda s: ("key", s.keys()))


def _wrong_credentials(version):
    fault = "authentication-failed"

    def other_password(s):
        return "password", {"password": s.password + "?"}

    def other_hmac_key(s):
        return "key", {**s.keys(), "hmacKey": s.fill("another HMAC key", 32).hex()}

    def swapped_keys(s):
        return "key", {"encryptionKey": s.hmac_key.hex(), "hmacKey": s.encryption_key.hex()}

    yield refusal(
        version, "password-wrong", "password", fault, "Another password than the writer's.",
        given=other_password)
    s = shared_salts_sample(version, "1")
    comment = (
        "Right salts and a wrong password: keys that a reader kept for these salts must not open "
        "it.")
    yield ("password-shared-salts-wrong", s, s.message, fault, comment, *other_password(s))
    yield refusal(
        version, "key-wrong-hmac-key", "key", fault,
        "The encryption key is right, the HMAC key is not.", given=other_hmac_key)
    yield refusal(
        version, "key-swapped-keys", "key", fault,
        "The two keys are right, but each is in the other's place.", given=swapped_keys)


def _spellings(version):
    fault = "authentication-failed"
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
