"""A valid message made from its name, of which each part can be spoilt."""

from rules import (
    BLOCK, HEADER_LENGTH, MAC_LENGTH, MODES, VERSIONS,
    derive_key, encrypt_blocks, material, password_bytes,
)

GENERATED = "generate.py"
# A case that needs more asks for what no IV gives. Those that exist need a few hundred at most.
MOST_DRAWS = 100_000


class Sample:
    def __init__(self, version, name, mode, *, password=None, truncation="none",
                 plaintext=None, length=40, draw=0, encryption_salt=None, hmac_salt=None,
                 iv=None, encryption_key=None, hmac_key=None):
        self.version, self.name, self.mode = VERSIONS[version], name, mode
        self.plaintext = self.fill("plaintext", length) if plaintext is None else plaintext
        self.iv = iv or self.fill(f"iv {draw}", BLOCK)
        start = bytes([version, self.version.options[mode]])
        if mode == "password":
            self.password = password
            if password is None:
                self.password = "password of " + name.rsplit("/", 1)[1]
            self.truncation = truncation
            self.password_bytes = password_bytes(self.password, truncation)
            self.encryption_salt = encryption_salt or self.fill("encryption salt", 8)
            self.hmac_salt = hmac_salt or self.fill("HMAC salt", 8)
            self.encryption_key = derive_key(self.password_bytes, self.encryption_salt)
            self.hmac_key = derive_key(self.password_bytes, self.hmac_salt)
            self.header = start + self.encryption_salt + self.hmac_salt + self.iv
        else:
            self.encryption_key = encryption_key or self.fill("encryption key", 32)
            self.hmac_key = hmac_key or self.fill("HMAC key", 32)
            self.header = start + self.iv
        self.ciphertext = self.version.encrypt(self.encryption_key, self.iv, self.plaintext)
        self.message = self.seal()
        self.mac = self.message[-MAC_LENGTH:]

    @classmethod
    def drawn(cls, wanted, *args, **kwargs):
        """Tries one IV after the other.

        Returns the first sample that has what the case needs.
        """
        for draw in range(MOST_DRAWS):
            sample = cls(*args, draw=draw, **kwargs)
            if wanted(sample):
                return sample
        raise ValueError(f"{sample.name}: none of {MOST_DRAWS:,} IVs gives what the case needs")

    def fill(self, part, length):
        return material(f"{self.name} {part}", length)

    def seal(self, header=None, ciphertext=None):
        """Puts the right MAC behind parts that need not be right."""
        header = self.header if header is None else header
        ciphertext = self.ciphertext if ciphertext is None else ciphertext
        return header + ciphertext + self.version.mac(self.hmac_key, header, ciphertext)

    def seal_blocks(self, blocks):
        """For wrong padding: the blocks are encrypted as they are."""
        return self.seal(ciphertext=encrypt_blocks(self.encryption_key, self.iv, blocks))

    def with_iv(self, iv):
        """Changes the IV and nothing else, as somebody without the keys can."""
        return self.header[:-BLOCK] + iv + self.message[HEADER_LENGTH[self.mode]:]

    def with_ciphertext(self, ciphertext):
        """Keeps the MAC, which is then wrong."""
        return self.header + ciphertext + self.mac

    def bare_decryption(self, iv):
        return self.version.decrypt(self.encryption_key, iv, self.ciphertext)

    def keys(self):
        return {"encryptionKey": self.encryption_key.hex(), "hmacKey": self.hmac_key.hex()}

    def credential(self):
        return {"password": self.password} if self.mode == "password" else self.keys()

    def used_of_password(self):
        """What the writer used of the password.

        Empty for keys, and for version 3, whose writers use all of it.
        """
        if self.mode == "key" or not self.version.truncates:
            return {}
        return {"truncation": self.truncation, "passwordBytes": self.password_bytes.hex(),
                **self.shortened()}

    def shortened(self):
        whole = self.mode == "key" or self.password_bytes == self.password.encode("utf-8")
        return {} if whole else {"shortenedPassword": True}

    def randomness(self):
        salts = {}
        if self.mode == "password":
            salts = {"encryptionSalt": self.encryption_salt.hex(), "hmacSalt": self.hmac_salt.hex()}
        return {**salts, "iv": self.iv.hex()}


def success(sample, comment, base64=None):
    return {
        "comment": comment,
        "source": GENERATED,
        "kind": "message",
        "version": sample.version.number,
        "mode": sample.mode,
        **sample.credential(),
        **sample.used_of_password(),
        "message": sample.message.hex(),
        **({"base64": base64} if base64 else {}),
        "expect": "success",
        "plaintext": sample.plaintext.hex(),
        **sample.randomness(),
    }


def refusal(version, name, mode, fault, comment, spoil=lambda s: s.message, given=None, **parts):
    """A message and what is wrong with it.

    `given`: the kind of credential that the reader gets, and the credential; if it is missing, the
    writer's.
    """
    sample = Sample(version, f"v{version}/refused/{name}", mode, **parts)
    return name, sample, spoil(sample), fault, comment, *(given(sample) if given else ())


def in_modes(version, table, fault, modes=MODES, **parts):
    for mode in modes:
        for name, spoil, comment in table:
            yield refusal(version, f"{mode}-{name}", mode, fault, comment, spoil, **parts)


def with_byte(data, place, value):
    data = bytearray(data)
    data[place] = value
    return bytes(data)


def flipped(data, place, bits=0x01):
    return with_byte(data, place, data[place] ^ bits)
