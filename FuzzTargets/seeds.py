#!/usr/bin/env python3
"""Makes the seeds of every target from TestVectors: a folder of files each, and a zip file for OSS-Fuzz.

Usage: seeds.py FOLDER
"""
import base64
import json
import pathlib
import sys
import zipfile

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "TestVectors"
SHORT = 16 * 1024


def cases():
    for path in sorted(VECTORS.glob("v*/*/*.json")):
        case = json.loads(path.read_text())
        name = "-".join(path.relative_to(VECTORS).with_suffix("").parts)
        yield name, case


def seeds():
    """Triples of target, name and bytes. What is before the tested bytes are the target's choices: FuzzInput.swift."""
    for name, case in cases():
        if case["kind"] == "kdf":
            password, salt = case["password"].encode()[:255], bytes.fromhex(case["salt"])
            yield "kdf", name, bytes([case["iterations"] & 15, 0, 1, len(password)]) + password + salt
            yield "kdf", name + "-8", bytes([3, 7, 1, len(password)]) + password + (salt + bytes([0])) * 8
            continue
        if "message" not in case:
            continue
        message = bytes.fromhex(case["message"])
        if len(message) > SHORT or len(message) < 2:
            continue
        header = 34 if case["mode"] == "password" else 18
        version = 3 - message[0] & 3
        iv, body = message[header - 16:header], message[header:-32]
        yield "header", name, b"\0" + message
        yield "holdback", name, b"\0\0" + message
        yield "decrypt", name, b"\0\0" + message
        yield "decrypt", name + "-chunks", b"\0\3\1\x20\x2f" + message
        yield "keyed", name, b"\0\0" + message
        yield "files", name, b"\0\0" + message
        yield "authentic", name, bytes([version, 0, 0]) + iv + body
        yield "keyed", name + "-authentic", bytes([1 | version << 1, 0]) + iv + body
        yield "files", name + "-authentic", bytes([1 | version << 1, 0]) + iv + body
        yield "base64", name, b"\0" + base64.encodebytes(message)
        if case["mode"] == "password":
            yield "password", name, b"\0\0" + message
            yield "password", name + "-authentic", bytes([3 | version << 2, 0]) + message[2:34] + body
        if "encryptionKey" in case:
            yield "keyfile", name, (case["encryptionKey"] + "\n" + case["hmacKey"] + "\n").encode()
        if "plaintext" in case:
            plaintext = bytes.fromhex(case["plaintext"])
            yield "roundtrip", name, bytes(4) + iv + plaintext
            # Few, for each takes as long as thousands of others.
            if name.startswith("v3-password") and len(plaintext) in (1, 17):
                yield "roundtrip", name + "-two-threads", b"\1\xff\2\xff\x40\1\xf0" + iv + plaintext


def main():
    folder = pathlib.Path(sys.argv[1])
    counts = {}
    archives = {}
    for target, name, content in seeds():
        if target not in counts:
            (folder / f"{target}.seeds").mkdir(parents=True, exist_ok=True)
            archives[target] = zipfile.ZipFile(folder / f"{target}_seed_corpus.zip", "w")
        (folder / f"{target}.seeds" / name).write_bytes(content)
        archives[target].writestr(name, content)
        counts[target] = counts.get(target, 0) + 1
    for archive in archives.values():
        archive.close()
    if not counts:
        sys.exit("seeds.py: TestVectors gave no seed")
    print("seeds:", ", ".join(f"{target} {count}" for target, count in counts.items()))


main()
