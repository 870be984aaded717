"""The rules of the format: one table for the differences between versions, and the primitives."""

from dataclasses import dataclass
from functools import lru_cache
import hashlib
import hmac

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

ITERATIONS = 10_000
BLOCK = 16
MAC_LENGTH = 32
MODES = ("password", "key")
HEADER_LENGTH = {"password": 34, "key": 18}
KEYSTREAM = 256 * BLOCK  # after that, the keystream of version 0 repeats

# How many bytes of a password's UTF-8 a writer uses. A reader uses all of them, and tries the other
# two numbers, in this order, only if it was told to accept shortened passwords.
TRUNCATIONS = {
    "none": lambda password: len(password.encode("utf-8")),
    "utf-16 units": lambda password: len(password.encode("utf-16-le")) // 2,
    "code points": len,
}


def password_bytes(password, truncation):
    return password.encode("utf-8")[:TRUNCATIONS[truncation](password)]


@dataclass(frozen=True)
class FormatVersion:
    number: int
    options: dict  # by the kind of credential
    truncates: bool  # whether some of its writers truncate passwords
    pads: bool  # AES-CBC with padding, or else a counter mode without
    mac_hash: str
    mac_covers_header: bool

    @property
    def shortest_ciphertext(self):
        return BLOCK if self.pads else 0

    def candidates(self, password, shortened):
        """The readings of a password that a reader gives to PBKDF2, each once."""
        truncations = TRUNCATIONS if shortened and self.truncates else ["none"]
        return list(dict.fromkeys(password_bytes(password, t) for t in truncations))

    def encrypt(self, key, iv, plaintext):
        if self.pads:
            return encrypt_blocks(key, iv, pad(plaintext))
        return count_over(key, iv, plaintext)

    def decrypt(self, key, iv, ciphertext):
        """Leaves the padding on."""
        return (decrypt_blocks if self.pads else count_over)(key, iv, ciphertext)

    def covered(self, header, ciphertext):
        return header + ciphertext if self.mac_covers_header else ciphertext

    def mac(self, key, header, ciphertext):
        code = hmac.new(key, self.covered(header, ciphertext), self.mac_hash).digest()
        return code.ljust(MAC_LENGTH, b"\0")


BY_OPTION, BY_CREDENTIAL = {"password": 1, "key": 0}, {"password": 0, "key": 0}
VERSIONS = {
    3: FormatVersion(
        3, BY_OPTION, truncates=False, pads=True, mac_hash="sha256", mac_covers_header=True),
    2: FormatVersion(
        2, BY_OPTION, truncates=True, pads=True, mac_hash="sha256", mac_covers_header=True),
    1: FormatVersion(
        1, BY_OPTION, truncates=True, pads=True, mac_hash="sha256", mac_covers_header=False),
    0: FormatVersion(
        0, BY_CREDENTIAL, truncates=True, pads=False, mac_hash="sha1", mac_covers_header=False),
}
NEWEST = max(VERSIONS)


@lru_cache(maxsize=None)
def derive_key(password, salt, iterations=ITERATIONS):
    """`password` is the bytes that count, after any truncation."""
    pbkdf2 = PBKDF2HMAC(hashes.SHA1(), length=32, salt=salt, iterations=iterations)
    return pbkdf2.derive(password)


def pad(plaintext):
    count = BLOCK - len(plaintext) % BLOCK
    return plaintext + bytes([count]) * count


def encrypt_blocks(key, iv, blocks):
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return encryptor.update(blocks) + encryptor.finalize()


def decrypt_blocks(key, iv, ciphertext):
    decryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    return decryptor.update(ciphertext) + decryptor.finalize()


def count_over(key, iv, data):
    """Only byte 0 of the counter moves, without a carry: the keystream repeats after 256 blocks."""
    counters = b"".join(bytes([(iv[0] + i) % 256]) + iv[1:] for i in range(256))
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    keystream = encryptor.update(counters) + encryptor.finalize()
    keystream *= len(data) // KEYSTREAM + 1
    return bytes(a ^ b for a, b in zip(data, keystream))


def material(name, length):
    """Bytes that look random and depend on the name alone."""
    out, counter = b"", 0
    while len(out) < length:
        out += hashlib.sha256(f"{name} {counter}".encode("utf-8")).digest()
        counter += 1
    return out[:length]
