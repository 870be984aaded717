"""What the format says: one table for what differs by version, and the primitives."""

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


@dataclass(frozen=True)
class FormatVersion:
    number: int
    options: dict  # by the kind of credential
    mac_hash: str
    mac_covers_header: bool

    def mac(self, key, header, ciphertext):
        covered = header + ciphertext if self.mac_covers_header else ciphertext
        return hmac.new(key, covered, self.mac_hash).digest().ljust(MAC_LENGTH, b"\0")


VERSIONS = {
    3: FormatVersion(3, {"password": 1, "key": 0}, "sha256", mac_covers_header=True),
}


@lru_cache(maxsize=None)
def derive_key(password, salt):
    pbkdf2 = PBKDF2HMAC(hashes.SHA1(), length=32, salt=salt, iterations=ITERATIONS)
    return pbkdf2.derive(password.encode("utf-8"))


def pad(plaintext):
    count = BLOCK - len(plaintext) % BLOCK
    return plaintext + bytes([count]) * count


def encrypt_blocks(key, iv, blocks):
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return encryptor.update(blocks) + encryptor.finalize()


def decrypt_blocks(key, iv, ciphertext):
    decryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    return decryptor.update(ciphertext) + decryptor.finalize()


def material(name, length):
    """Bytes that look random and depend on the name alone."""
    out, counter = b"", 0
    while len(out) < length:
        out += hashlib.sha256(f"{name} {counter}".encode("utf-8")).digest()
        counter += 1
    return out[:length]
