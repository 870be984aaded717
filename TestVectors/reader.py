"""A reader that shows in which order a message is checked.

generate.py checks every case with it.
"""

import base64
import hmac

from rules import BLOCK, HEADER_LENGTH, ITERATIONS, MAC_LENGTH, VERSIONS, derive_key

EXPECT = {
    "message-too-short": "malformed",
    "invalid-message-length": "malformed",
    "looks-base64-encoded": "malformed",
    "unsupported-version": "unsupported",
    "unsupported-options": "unsupported",
    "credential-mismatch": "credential mismatch",
    "authentication-failed": "authentication failure",
    "corrupt-padding": "padding failure",
}
BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_= \t\r\n"


class Refused(Exception):
    pass


def from_base64(text):
    """In a text of one line, spaces are plus signs that a URL decoder changed.

    Before the first character they are white space, and so are those at its end, unless they
    complete a message. In other texts, all of them are white space.
    """
    text = text.strip("\r\n")
    if "\n" in text:
        text = "".join(text.split())
    else:
        text = text.lstrip(" ")
        without = text.rstrip(" ")
        is_whole = without.endswith("=") or len(without) * 6 // 8 % BLOCK == 2
        text = (without if is_whole else text).replace(" ", "+")
    text = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)


def read(message, mode, credential, shortened=False):
    """`shortened`: whether shortened readings of a password are accepted."""
    if not message:
        raise Refused("message-too-short")
    if message[0] not in VERSIONS:
        encoded = message[:1] == b"A" and not message.strip(BASE64)
        raise Refused("looks-base64-encoded" if encoded else "unsupported-version")
    version = VERSIONS[message[0]]
    if len(message) < 2:
        raise Refused("message-too-short")
    if message[1] not in version.options.values():
        raise Refused("unsupported-options")
    if message[1] != version.options[mode]:
        other = next(other for other in HEADER_LENGTH if other != mode)
        is_cut = len(message) < HEADER_LENGTH[other]
        raise Refused("message-too-short" if is_cut else "credential-mismatch")

    start = HEADER_LENGTH[mode]
    header, ciphertext = message[:start], message[start:-MAC_LENGTH]
    if len(message) < start + version.shortest_ciphertext + MAC_LENGTH:
        raise Refused("message-too-short")
    if version.pads and len(ciphertext) % BLOCK:
        raise Refused("invalid-message-length")

    def fits(hmac_key):
        mac = version.mac(hmac_key, header, ciphertext)
        return hmac.compare_digest(mac, message[-MAC_LENGTH:])

    encryption_key = _encryption_key(version, mode, credential, shortened, header, fits)
    decrypted = version.decrypt(encryption_key, header[-BLOCK:], ciphertext)
    return _unpadded(decrypted) if version.pads else decrypted


def _encryption_key(version, mode, credential, shortened, header, fits):
    """Only the MAC tells which bytes of a password the writer used."""
    if mode == "key":
        if fits(bytes.fromhex(credential["hmacKey"])):
            return bytes.fromhex(credential["encryptionKey"])
    else:
        iterations = credential.get("iterations", ITERATIONS)
        for password in version.candidates(credential["password"], shortened):
            if fits(derive_key(password, header[10:18], iterations)):
                return derive_key(password, header[2:10], iterations)
    raise Refused("authentication-failed")


def _unpadded(padded):
    count = padded[-1]
    if not 1 <= count <= BLOCK or padded[-count:] != bytes([count]) * count:
        raise Refused("corrupt-padding")
    return padded[:-count]
