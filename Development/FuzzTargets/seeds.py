#!/usr/bin/env python3
"""Makes the seeds of every target from TestVectors: a folder of files each, and a zip file for OSS-Fuzz.

Usage: seeds.py FOLDER
"""
import base64
import itertools
import json
import pathlib
import sys
import zipfile
import zlib

VECTORS = pathlib.Path(__file__).resolve().parent.parent.parent / "TestVectors"
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
        yield "names", name, message[:32]
        # What Fixture.message takes for arbitrary, for a ciphertext and for a plaintext.
        arbitrary, authentic = b"\0" + message, bytes([9 | version << 1]) + iv + body
        yield "stream", name, b"\2\0\0" + arbitrary
        yield from sequences(name, arbitrary)
        yield from sequences(name + "-authentic", authentic)
        if case["mode"] == "password":
            yield "password", name, b"\0\0" + message
            yield "password", name + "-authentic", bytes([3 | version << 2, 0]) + message[2:34] + body
        if "plaintext" in case:
            plaintext = bytes.fromhex(case["plaintext"])
            yield "roundtrip", name, bytes(4) + iv + plaintext
            written = bytes([1 | version << 1]) + iv + plaintext
            yield from sequences(name + "-written", written)
            # Few, for keys are derived.
            if zlib.adler32(name.encode()) % 4 == 0:
                yield from sequences(name + "-password", bytes([0xE1 | version << 1]) + iv + plaintext)
            yield from calls(name, version, iv, plaintext[:255])
            # Few, for each takes as long as thousands of others.
            if name.startswith("v3-password") and len(plaintext) in (1, 17):
                yield "roundtrip", name + "-two-threads", b"\1\xff\2\xff\x40\1\xf0" + iv + plaintext


def sequences(name, message):
    """One message in the ways that a stream, a file or a sequence of it is read: each message in one of them, so that what comes
    first does not take all of a short run."""
    number = zlib.crc32(name.encode())
    way = number % 4
    yield "async", f"{name}-{way}", bytes([way | way << 3, 0, 0, 0, 255, 1, 32]) + message
    event = 2 + number % 4
    yield "async", f"{name}-event-{event}", bytes([event & 1 | event << 3, 0, event, 1, 255, 1, 24]) + message
    yield "stream", f"{name}-steps", b"\2\0\x0c" + b"\0\x10\2\x21\3\x40\0\x40\0\x11\0\1" + message
    way = number % 7
    script = b"\3\0\0\x40\x13\0\1\5\x23\0\2\7"
    if way == 6:
        way, script = 0, b"\3\x20\0\x40\0\x60\0\x0b\x60\0\x40\x0b\0\0\x40"
    yield "verified", f"{name}-{way}", bytes([way << 2 | (number >> 8) & 3, 0, len(script)]) + script + message
    way, more = number % 16, number >> 4
    yield "rekey", f"{name}-{way}", bytes([way | more << 4 & 0x70, more >> 3 & 1, 0]) + message
    # Long, which takes long, and something happens meanwhile.
    if zlib.adler32(name.encode()) % 8 == 0:
        yield "rekey", f"{name}-long", bytes([way | 0x80, more & 1, 1 + more % 6 | (1 + more % 2) << 3]) + message


def calls(name, version, iv, plaintext):
    """One plaintext in every call, for objects that are called several times."""
    item = bytes([len(plaintext)]) + plaintext
    yield "stream", f"{name}-encrypt", b"\0\0\x06\0\x10\2\x21\3\x40" + plaintext
    yield "stream", f"{name}-keyed", b"\1\0\x06\0\0\x10\3\x40\x21" + plaintext
    yield "batch", name, bytes([0, 0, 39]) + b"".join(bytes([choice << 2 | version]) + item for choice in range(4)) * 5
    yield "pool", name, b"\0" + b"".join(bytes([kind]) + item for kind in range(6))
    cancelled = [0x20 | kind for kind in range(6)] + [0xF0, 0xF1, 0xBC, 0xB9]
    yield "pool", f"{name}-cancelled", b"\3" + b"".join(bytes([kind]) + item for kind in cancelled)
    for choice in (0x1F, 0x3F):
        yield "pool", f"{name}-own-{choice}", bytes([choice]) + b"".join(bytes([0x40 | kind]) + item for kind in range(6))
    yield "pool", f"{name}-password", b"\x60" + b"".join(bytes([0x88 | kind]) + item for kind in range(6))
    for kind in range(zlib.crc32(name.encode()) % 3, 12, 3):
        message = bytes([1 | version << 4, 0]) + iv + item
        yield "folder", f"{name}-{kind}", message + bytes([4 + kind, 0x10, 0]) + bytes([0x15, 0x21, 1])
        yield "folder", f"{name}-named-{kind}", message + bytes([0x13, 0x10]) + bytes([4 + kind, 0x11, 0x2F])


def others():
    """What no message has."""
    yield "header", "draft", b"\0RNC\4" + bytes(40)
    for choice in (0x3F, 0x7F, 0xBF, 0xFF):
        yield "batch", f"password-{choice}", bytes([choice, 0, 2, 4, 1, 65, 8, 64]) + bytes(64)
    yield "batch", "keys", bytes([0, 0, 1, 0, 64]) + bytes(range(64))
    # A message under the name a; what the second step makes of it; and the function with its options.
    message = bytes([1, 0]) + bytes(16) + b"\5abcde"
    changes = {
        "link": b"\x03\x10", "hard-link": b"\x23\x10", "folder": b"\x43\x10", "mode": b"\x53\x10",
        "dangling": b"\x63\x10", "removed": b"\x73\x00", "existing": b"\x00\x11\3xyz",
    }
    for change, step in changes.items():
        for kind in range(4, 16):
            for names, options in ((0x10, 0), (0x10, 1), (0x10, 2), (0x10, 0x2F), (0, 0), (0, 1), (0x21, 5)):
                seed = message + step + bytes([kind, names, options])
                yield "folder", f"{change}-{kind}-{names}-{options}", seed
    for kind in range(4, 16):
        long = bytes([0x81]) + message[1:]
        yield "folder", f"cancelled-{kind}", long + bytes([kind, 0x10, 0xC8 | kind & 1 << 5, 1 + kind % 3])
    # Under the shortened reading of a password, with the IV that asks for it.
    for version in (1, 2, 3):
        written = bytes([0xF1 | version << 1]) + b"\xff" * 16 + b"plaintext of three blocks, or a little more"
        yield "async", f"shortened-{version}", bytes([1, 0, 0, 0, 255, 1, 32]) + written
        yield "verified", f"shortened-{version}", bytes(3) + written
        yield "rekey", f"shortened-{version}", bytes(3) + written
        for choice in (2, 0x82):
            yield "stream", f"shortened-{version}-{choice}", bytes([choice, 0, 4, 0, 64, 3, 255]) + written
    yield "async", "limit", bytes([3, 0, 0, 0, 0, 1, 32]) + b"\1" + bytes(60)
    for name in ("a b", "a: b", " a", "'", "line\n", "tab\t", "\\", "\u202e", "p\u00e4ss", "standard input", "."):
        yield "names", name.encode().hex(), name.encode()
    for name in (b"\xff\xfe", b"", b"http://user@host/path", b"file://host/path"):
        yield "names", name.hex() + "-bytes", name


def main():
    folder = pathlib.Path(sys.argv[1])
    counts = {}
    archives = {}
    for target, name, content in itertools.chain(seeds(), others()):
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
