"""What happens to a message on its way: by accident, or at somebody's hand."""

import base64
import hashlib
import hmac

from rules import BLOCK, MAC_LENGTH, MODES
from sample import Sample, in_modes, with_byte

OLD_PAYEE, NEW_PAYEE = b"Pay to: Margaret", b"Pay to: Benedict"
ORDER = OLD_PAYEE + b"\nAmount: 100 EUR\nReference: 2041\n"


def altered(version):
    fault = "authentication-failed"
    flips = [
        ("iv", lambda s: len(s.header) - 1, "the IV"),
        ("first-block", lambda s: len(s.header), "the first block of ciphertext"),
        ("last-block", lambda s: -MAC_LENGTH - 1, "the last block of ciphertext"),
        ("mac-first-byte", lambda s: -MAC_LENGTH, "the first byte of the MAC"),
        ("mac-last-byte", lambda s: -1, "the last byte of the MAC"),
    ]
    salts = [
        ("encryption-salt", lambda s: 2, "the encryption salt"),
        ("hmac-salt", lambda s: 10, "the HMAC salt"),
    ]
    for modes, table in ((MODES, flips), (["password"], salts)):
        for name, place, where in table:
            yield from in_modes(version, [
                (f"flipped-{name}", lambda s: _flipped(s.message, place(s)),
                 f"One bit is flipped in {where}."),
            ], fault, modes)

    yield from in_modes(version, [
        ("block-appended", lambda s: s.message + s.fill("appended", BLOCK),
         "A block at the end, so that the MAC is not where it was."),
        ("block-inserted", lambda s: s.with_ciphertext(s.ciphertext + s.fill("inserted", BLOCK)),
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
        ("mac-half", lambda s: s.message[:-16] + bytes(16),
         "Half a MAC, filled up with zeros: all 32 bytes are to be compared."),
        ("mac-sha1",
         lambda s: s.message[:-MAC_LENGTH]
         + hmac.new(s.hmac_key, s.header + s.ciphertext, hashlib.sha1).digest() + bytes(12),
         "HMAC-SHA1 over header and ciphertext, then 12 zeros: the form of version 0's trailer."),
        ("mac-ciphertext-only",
         lambda s: s.message[:-MAC_LENGTH]
         + hmac.new(s.hmac_key, s.ciphertext, hashlib.sha256).digest(),
         "The MAC is over the ciphertext only, as in version 1: the header is not protected."),
    ], fault)


def mangled(version):
    """Messages that were handled as text. By length, some of them still pass for a message."""
    def crlf(message):
        return message.replace(b"\n", b"\r\n")

    def utf8(message):
        return message.decode("latin-1").encode("utf-8")

    what = {
        "crlf": (crlf, "Copied as text: each LF became CR LF."),
        "utf8": (utf8, "Read as Latin-1 and written as UTF-8: each byte over 127 became two."),
    }
    for name, (mangle, comment) in what.items():
        # Sixteen LF by chance take a long message.
        fitting = 2048 if mangle is crlf else 40
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
                s = Sample.drawn(wanted, version, f"v{version}/refused/{case}", mode, length=length)
                yield case, s, mangle(s.message), fault, f"{comment} {result}"


def encoded(version):
    def lines(message, end):
        text = base64.b64encode(message)
        return b"".join(text[i:i + 76] + end for i in range(0, len(text), 76))

    forms = [
        ("base64", base64.b64encode, "The message was not decoded from base64."),
        ("base64-lf", lambda m: lines(m, b"\n"), "Base64 in lines of 76 that end in LF."),
        ("base64-crlf", lambda m: lines(m, b"\r\n"), "Base64 in lines of 76 that end in CR LF."),
        ("base64url", base64.urlsafe_b64encode, "Base64 with the alphabet for URLs, - and _."),
        ("base64-unpadded", lambda m: base64.b64encode(m).rstrip(b"="),
         "Base64 without the = at its end."),
        ("base64-spaces", lambda m: base64.b64encode(m).replace(b"+", b" "),
         "Base64 that a URL decoder went over: every + became a space."),
    ]
    for mode in MODES:
        for name, encode, comment in forms:
            name = f"{mode}-{name}"
            # Both characters that the alphabets differ in, and padding to lose.
            s = Sample.drawn(
                lambda s: all(c in base64.b64encode(s.message) for c in b"+/="),
                version, f"v{version}/refused/{name}", mode, length=20)
            yield name, s, encode(s.message), "looks-base64-encoded", comment


def payee(version):
    comment = (
        "The IV is changed, without the keys, so that bare AES-CBC decrypts a payment order to "
        f'"{NEW_PAYEE.decode()}" in place of "{OLD_PAYEE.decode()}" and the rest as it was. '
        "Only a MAC that covers the header can tell.")
    for mode in MODES:
        name = f"{mode}-iv-changes-payee"
        s = Sample(version, f"v{version}/refused/{name}", mode, plaintext=ORDER)
        iv = bytes(a ^ b ^ c for a, b, c in zip(s.iv, OLD_PAYEE, NEW_PAYEE))
        if not s.bare_decryption(iv).startswith(NEW_PAYEE + ORDER[BLOCK:]):
            raise ValueError(f"{name}: the attack does not work")
        yield name, s, s.with_iv(iv), "authentication-failed", comment


def _flipped(data, place):
    return with_byte(data, place, data[place] ^ 0x01)
