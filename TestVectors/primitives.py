"""Checks the vectors of ciphers, codes and keys under primitives/.

They are Wycheproof's and not made here.
"""

import hashlib
import hmac
import json
from pathlib import Path

from rules import BLOCK, decrypt_blocks, encrypt_blocks, pad

DIRECTORY = Path(__file__).resolve().parent / "primitives"


def primitive_faults():
    for name, check in CHECKS.items():
        cases = json.loads((DIRECTORY / f"{name}.json").read_text(encoding="ascii"))["cases"]
        if not cases:
            yield f"primitives/{name}.json: there is no case"
        for case in cases:
            data = {field: bytes.fromhex(value) for field, value in case.items()
                    if isinstance(value, str) and field != "comment"}
            if check(data, case) != case["valid"]:
                yield f"primitives/{name}.json: case {case['id']} is wrong"


def _cipher(data, _):
    blocks = data["ciphertext"]
    if not blocks or len(blocks) % BLOCK:
        return False
    padded = decrypt_blocks(data["key"], data["iv"], blocks)
    written = encrypt_blocks(data["key"], data["iv"], pad(data["plaintext"]))
    return padded == pad(data["plaintext"]) and written == blocks


def _code(algorithm):
    def check(data, _):
        code = hmac.new(data["key"], data["message"], algorithm).digest()
        return code[:len(data["code"])] == data["code"]
    return check


def _key(data, case):
    made = hashlib.pbkdf2_hmac(
        "sha1", data["password"], data["salt"], case["iterations"], len(data["key"]))
    return made == data["key"]


CHECKS = {
    "aes-256-cbc": _cipher,
    "hmac-sha1": _code("sha1"),
    "hmac-sha256": _code("sha256"),
    "pbkdf2-hmac-sha1": _key,
}
