#!/usr/bin/env python3
"""Makes the seeds of every target from TestVectors: a directory of files each.

Usage: seeds.py DIRECTORY
"""
import base64
import collections
import itertools
import json
import pathlib
import sys
import zlib

VECTORS = pathlib.Path(__file__).resolve().parent.parent.parent / "TestVectors"
SHORT = 16 * 1024


def seeds():
    """Triples of target, name and bytes.

    What is before the tested bytes are the target's choices: FuzzInput.swift.
    """
    for path in sorted(VECTORS.glob("v*/*/*.json")):
        case = json.loads(path.read_text())
        if "message" not in case:
            continue
        name = "-".join(path.relative_to(VECTORS).with_suffix("").parts)
        message = bytes.fromhex(case["message"])
        if len(message) > SHORT or len(message) < 2:
            continue
        header = 34 if case["mode"] == "password" else 18
        version = 3 - message[0] & 3
        iv, body = message[header - 16:header], message[header:-32]
        yield "header", name, b"\0" + message
        yield "base64", name, b"\0" + base64.encodebytes(message)
        yield "names", name, message[:32]
        # What Fixture.message takes for arbitrary, for a ciphertext and, below, for a plaintext.
        yield from messages(name, b"\0" + message)
        yield from messages(name + "-authentic", bytes([9 | version << 1]) + iv + body)
        if "plaintext" in case:
            plaintext = bytes.fromhex(case["plaintext"])
            yield "stream", name + "-encrypt", b"\0\0\x06\x10\0\x21\3\x40\x0b" + plaintext
            yield from messages(name + "-written", bytes([1 | version << 1]) + iv + plaintext)
            yield from messages(name + "-password", bytes([0xE1 | version << 1]) + iv + plaintext)


def messages(name, message):
    """One message at once, in chunks and steps, and as a file."""
    yield "decrypt", name, b"\0\0" + message
    yield "decrypt", name + "-chunks", b"\0\3\1\x20\x2f" + message
    yield "files", name, b"\0" + message
    yield "stream", name, b"\1\0\x08\x10\0\x21\3\x40\x0b\0\0" + message
    script = b"\3\0\0\x40\x13\0\1\5\x23\0\2\7"
    way = zlib.crc32(name.encode()) & 7
    if way == 7:
        script = b"\3\x20\0\x40\0\x60\0\x0b\x60\0\x40\x0b\0\0\x40"
    yield "verified", name, bytes([way, 0, len(script)]) + script + message


def others():
    """What no message has."""
    yield "header", "draft", b"\0RNC\4" + bytes(40)
    names = [
        "a b", "a: b", " a", "'", "line\n", "tab\t", "\\", "\u202e", "p\u00e4ss", "standard input",
        ".",
    ]
    for name in names:
        yield "names", name.encode().hex(), name.encode()
    yield "names", "bytes", b"\xff\xfe"


def main():
    directory = pathlib.Path(sys.argv[1])
    counts = collections.Counter()
    for target, name, content in itertools.chain(seeds(), others()):
        (directory / f"{target}.seeds").mkdir(parents=True, exist_ok=True)
        (directory / f"{target}.seeds" / name).write_bytes(content)
        counts[target] += 1
    if not counts:
        sys.exit("seeds.py: TestVectors gave no seed")
    print("seeds:", ", ".join(f"{target} {count}" for target, count in counts.items()))


main()
