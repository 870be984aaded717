"""Messages that were changed on their way, by accident or on purpose."""

import base64
import hashlib
import hmac

from rules import BLOCK, MAC_LENGTH, MODES, NEWEST, VERSIONS
from sample import Sample, flipped, in_modes, with_byte

OLD_PAYEE, NEW_PAYEE = b"Pay to: Margaret", b"Pay to: Benedict"
ORDER = OLD_PAYEE + b"\nAmount: 100 EUR\nReference: 2041\n"


def altered(version):
    fault = "authentication-failed"
    rules = VERSIONS[version]
    flips = [
        ("first-block", lambda s: len(s.header), "the first block of ciphertext"),
        ("last-block", lambda s: -MAC_LENGTH - 1, "the last block of ciphertext"),
        ("mac-first-byte", lambda s: -MAC_LENGTH, "the first byte of the MAC"),
        ("mac-last-byte", lambda s: -1, "the last byte of the MAC"),
    ]
    salts = [
        ("hmac-salt", lambda s: 10, "the HMAC salt"),
    ]
    # If the MAC does not cover them, no reader can notice the change: older.py has those cases.
    if rules.mac_covers_header:
        flips += [("iv", lambda s: len(s.header) - 1, "the IV")]
        salts += [("encryption-salt", lambda s: 2, "the encryption salt")]
    for modes, table in ((MODES, flips), (["password"], salts)):
        for name, place, where in table:
            yield from in_modes(version, [
                (f"flipped-{name}", lambda s: flipped(s.message, place(s)),
                 f"One bit is flipped in {where}."),
            ], fault, modes)

    yield from in_modes(version, [
        ("block-appended", lambda s: s.message + s.fill("appended", BLOCK),
         "A block at the end, so that the MAC is not where it was."),
        ("block-inserted",
         lambda s: s.with_ciphertext(s.ciphertext + s.fill("inserted", BLOCK)),
         "A block between ciphertext and MAC."),
        ("block-removed", lambda s: s.with_ciphertext(s.ciphertext[:-BLOCK]),
         "The last block of ciphertext is missing."),
        ("block-cut-off", lambda s: s.message[:-BLOCK],
         "The last 16 bytes are missing: half of the MAC."),
        ("blocks-swapped",
         lambda s: s.with_ciphertext(s.ciphertext[BLOCK:2 * BLOCK] + s.ciphertext[:BLOCK]
                                     + s.ciphertext[2 * BLOCK:]),
         "The first two blocks of ciphertext have changed places."),
        ("mac-zeros", lambda s: s.message[:-MAC_LENGTH] + bytes(MAC_LENGTH),
         "Zeros stand for the MAC."),
        ("mac-half",
         lambda s: s.message[:-MAC_LENGTH] + s.mac[:_mac_size(rules) // 2].ljust(MAC_LENGTH, b"\0"),
         f"Half a MAC, filled up with zeros: all {_mac_size(rules)} bytes are to be compared."),
    ], fault)


def _mac_size(rules):
    return hashlib.new(rules.mac_hash).digest_size


def other_macs(version):
    modes = MODES if version == NEWEST else ["key"]
    yield from in_modes(
        version, list(_other_macs(VERSIONS[version])), "authentication-failed", modes)


def _other_macs(rules):
    """Tags by the right key, in the form of other versions or of none."""
    def trailer(s, covered, algorithm):
        code = hmac.new(s.hmac_key, covered, algorithm).digest()
        return s.message[:-MAC_LENGTH] + code.ljust(MAC_LENGTH, b"\0")

    covered = "header and ciphertext" if rules.mac_covers_header else "the ciphertext"
    if rules.mac_hash == "sha256":
        yield ("mac-sha1",
               lambda s: trailer(s, rules.covered(s.header, s.ciphertext), "sha1"),
               f"HMAC-SHA1 over {covered}, then 12 zeros: the form of version 0's trailer.")
    else:
        yield ("mac-sha256", lambda s: trailer(s, s.ciphertext, "sha256"),
               "HMAC-SHA256 over the ciphertext, as in version 1.")
        yield ("mac-sha256-start",
               lambda s: trailer(s, s.ciphertext, "sha256")[:-12] + bytes(12),
               "The first 20 bytes of HMAC-SHA256, then 12 zeros.")
        for name, place in (("first", -12), ("last", -1)):
            yield (f"trailer-{name}-zero", lambda s, place=place: with_byte(s.message, place, 1),
                   f"The MAC is right, but the {name} of the 12 bytes behind it is not zero.")
    if rules.mac_covers_header:
        yield ("mac-ciphertext-only", lambda s: trailer(s, s.ciphertext, rules.mac_hash),
               "The MAC is over the ciphertext only, as in version 1: the header is not protected.")
    else:
        yield ("mac-covers-header", lambda s: trailer(s, s.header + s.ciphertext, rules.mac_hash),
               "The MAC is over header and ciphertext, as from version 2 on.")


def mangled(version):
    """Messages that were handled as text. By length, some of them still pass for a message."""
    # Only a long message has sixteen LF by chance.
    for name, fitting, mangle, comment in [
        ("crlf", 2048, lambda m: m.replace(b"\n", b"\r\n"),
         "Copied as text: each LF became CR LF."),
        ("utf8", 40, lambda m: m.decode("latin-1").encode("utf-8"),
         "Read as Latin-1 and written as UTF-8: each byte over 127 became two."),
    ]:
        for suffix, length, fits, fault, result in [
            ("", 40, False, "invalid-message-length", "The ciphertext is no longer whole blocks."),
            ("-length-fits", fitting, True, "authentication-failed",
             "The length still fits, so only the MAC can tell."),
        ]:
            for mode in MODES:
                def wanted(s):
                    grown = len(mangle(s.message)) - len(s.message)
                    return grown > 0 and (grown % BLOCK == 0) == fits

                case = f"{mode}-{name}{suffix}"
                path = f"v{version}/refused/{case}"
                s = Sample.drawn(wanted, version, path, mode, length=length)
                yield case, s, mangle(s.message), fault, f"{comment} {result}"


def lines(message, end, length=76, indentation=b""):
    text = base64.b64encode(message)
    return b"".join(indentation + text[i:i + length] + end for i in range(0, len(text), length))


FORMS = [
    ("base64", base64.b64encode, "Base64 in one line."),
    ("base64-lf", lambda m: lines(m, b"\n"), "Base64 in lines of 76 that end in LF."),
    ("base64-crlf", lambda m: lines(m, b"\r\n"), "Base64 in lines of 76 that end in CR LF."),
    ("base64url", base64.urlsafe_b64encode, "Base64 with the alphabet for URLs, - and _."),
    ("base64-unpadded", lambda m: base64.b64encode(m).rstrip(b"="),
     "Base64 without the = at its end."),
    ("base64-spaces", lambda m: base64.b64encode(m).replace(b"+", b" "),
     "Base64 that a URL decoder went over: every + became a space."),
]


def encoded(version):
    for mode in MODES:
        for name, encode, comment in FORMS:
            name = f"{mode}-{name}"
            s = encoded_sample(version, f"v{version}/refused/{name}", mode)
            text = encode(s.message)
            yield name, s, text, "looks-base64-encoded", f"{comment} It was not decoded."


def encoded_sample(version, path, mode):
    """A message for base64.

    Its text needs both characters in which the alphabets differ, and padding that can be lost.
    """
    def wanted(s):
        text = base64.b64encode(s.message)
        return all(character in text for character in b"+/=")

    return Sample.drawn(wanted, version, path, mode, length=20)


def payee(version):
    comment = (
        "The IV is changed, without the keys, so that bare AES-CBC decrypts a payment order to "
        f'"{NEW_PAYEE.decode()}" in place of "{OLD_PAYEE.decode()}" and the rest as it was. '
        "Only a MAC that covers the header can tell.")
    for mode in MODES:
        name = f"{mode}-iv-changes-payee"
        s = Sample(version, f"v{version}/refused/{name}", mode, plaintext=ORDER)
        iv = payee_iv(s)
        if not s.bare_decryption(iv).startswith(NEW_PAYEE + ORDER[BLOCK:]):
            raise ValueError(f"{name}: the attack does not work")
        yield name, s, s.with_iv(iv), "authentication-failed", comment


def payee_iv(sample):
    return bytes(a ^ b ^ c for a, b, c in zip(sample.iv, OLD_PAYEE, NEW_PAYEE))
