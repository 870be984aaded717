"""Writes and reads messages for tests that compare implementations.

Standard input has a list of requests in JSON, and standard output gets as many answers, in hex.
There are two implementations, which share nothing with the library under test: the one that makes
the vectors, and PyPI's rncryptor. A refusal is answered with "refused: " and the fault.
"""

import hashlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import rncryptor

from reader import Refused, read
from sample import Sample


class Published(rncryptor.RNCryptor):
    """PyPI's class with two changes.

    hashlib derives the keys, in milliseconds and not tenths of a second, and the plaintext stays
    bytes and is not decoded as text.
    """

    def _pbkdf2(self, password, salt, iterations=10000, key_length=32):
        return hashlib.pbkdf2_hmac("sha1", password, salt, iterations, key_length)

    def post_decrypt_data(self, data):
        return data[:-data[-1]]


def vectors_write(request):
    keys = {}
    if "encryptionKey" in request:
        keys = {"encryption_key": bytes.fromhex(request["encryptionKey"]),
                "hmac_key": bytes.fromhex(request["hmacKey"])}
    mode = "key" if keys else "password"
    sample = Sample(
        request["version"], request["name"], mode, password=request.get("password"),
        truncation=request.get("truncation", "none"), plaintext=bytes.fromhex(request["bytes"]),
        **keys)
    return sample.message


def vectors_read(request):
    mode = "password" if "password" in request else "key"
    return read(bytes.fromhex(request["bytes"]), mode, request)


def published_write(request):
    return Published().encrypt(bytes.fromhex(request["bytes"]), request["password"])


def published_read(request):
    return Published().decrypt(bytes.fromhex(request["bytes"]), request["password"])


TASKS = {
    task.__name__: task
    for task in (vectors_write, vectors_read, published_write, published_read)
}


def answer(request):
    try:
        return TASKS[request["task"]](request).hex()
    except Refused as fault:
        return f"refused: {fault}"
    except rncryptor.DecryptionError:
        return "refused: authentication-failed"


def main():
    salt = b"\x01\x02\x03\x04\x05\x06\x07\x08"
    own = rncryptor.RNCryptor()._pbkdf2(b"password", salt)
    if Published()._pbkdf2(b"password", salt) != own:
        sys.exit("hashlib and rncryptor derive different keys")
    requests = json.load(sys.stdin)
    # OpenSSL derives keys without holding Python's lock.
    with ThreadPoolExecutor() as pool:
        json.dump(list(pool.map(answer, requests)), sys.stdout)


if __name__ == "__main__":
    main()
