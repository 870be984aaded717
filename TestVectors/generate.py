#!/usr/bin/env python3
"""Writes the case files, compares them with what is on disk, or writes out the long messages."""

import sys

sys.dont_write_bytecode = True  # This directory holds vectors; no caches among them.

import argparse
import hashlib
import itertools
import json
from pathlib import Path

from cases import cases
from long_messages import built, long_cases, verify_long
from reader import Refused, from_base64, read
from refused import refused
from primitives import primitive_faults
from rules import BLOCK, HEADER_LENGTH, ITERATIONS, VERSIONS, derive_key

HERE = Path(__file__).resolve().parent
KIT_VERSION = "1.2"  # The README says when to raise it.


def make():
    made = {}
    for version, make_cases in itertools.product(VERSIONS, (cases, refused, long_cases)):
        for path, case in make_cases(version):
            if path in made:
                raise ValueError(f"two cases are named {path}")
            verify(path, case)
            made[path] = case
    return made


def carried():
    """Cases that the publisher of the format or other implementations wrote.

    They are not made here, only checked.
    """
    found = {}
    for name, file in on_disk().items():
        if file.name.startswith(("published-", "written-by-", "read-by-")):
            path = name.removesuffix(".json")
            found[path] = case = json.loads(file.read_text(encoding="utf-8"))
            verify(path, case)
            # The salts and the IV of one published case are not known.
            if case["kind"] == "message" and "iv" in case:
                verify_writing(path, case)
    return found


def verify_writing(path, case):
    """Checks that a message, written again with its salts and IV, is the same byte for byte."""
    version, message = VERSIONS[case["version"]], bytes.fromhex(case["message"])
    header = message[:HEADER_LENGTH[case["mode"]]]
    if case["mode"] == "key":
        keys = [bytes.fromhex(case[name]) for name in ("encryptionKey", "hmacKey")]
    else:
        if "passwordBytes" in case:
            password = bytes.fromhex(case["passwordBytes"])
        else:
            password = case["password"].encode("utf-8")
        iterations = case.get("iterations", ITERATIONS)
        salts = header[2:10], header[10:18]
        keys = [derive_key(password, salt, iterations) for salt in salts]
        if header[2:18].hex() != case["encryptionSalt"] + case["hmacSalt"]:
            raise ValueError(f"{path}: the salts are others")
    if header[-BLOCK:].hex() != case["iv"]:
        raise ValueError(f"{path}: the IV is another")
    ciphertext = version.encrypt(keys[0], header[-BLOCK:], bytes.fromhex(case["plaintext"]))
    if header + ciphertext + version.mac(keys[1], header, ciphertext) != message:
        raise ValueError(f"{path}: it is written differently")


def verify(path, case):
    """A case is only as good as its expectation: the reader has to agree."""
    if case["kind"] == "kdf":
        key = derive_key(case["password"].encode("utf-8"), bytes.fromhex(case["salt"]))
        if key.hex() != case["key"]:
            raise ValueError(f"{path}: the key is another")
        return
    if case["kind"] == "long message":
        return verify_long(path, case)
    if "base64" in case and from_base64(case["base64"]).hex() != case["message"]:
        raise ValueError(f"{path}: the base64 text is of another message")
    for shortened in (False, True):
        expected = case.get("fault", case.get("plaintext"))
        if "shortenedPassword" in case:
            expected = case["plaintext"] if shortened else "authentication-failed"
        try:
            actual = read(bytes.fromhex(case["message"]), case["mode"], case, shortened).hex()
        except Refused as refusal:
            actual = str(refusal)
        if actual != expected:
            option = "takes all bytes of passwords"
            if shortened:
                option = "accepts shortened passwords"
            raise ValueError(
                f"{path}: expected {expected}, the reader that {option} says {actual}")


def schema_faults(made):
    try:
        import jsonschema
    except ImportError:
        print("not checked against schema.json: jsonschema is not installed", file=sys.stderr)
        return
    schema = json.loads((HERE / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path, case in made.items():
        for error in validator.iter_errors(case):
            yield f"schema: {path}.json: {error.message}"


def text(case):
    return json.dumps(case, indent=2) + "\n"


def on_disk():
    """Every file in the directories of the versions, so that no stray one goes unseen."""
    return {
        file.relative_to(HERE).as_posix(): file
        for directory in HERE.glob("v[0-9]*")
        for file in directory.rglob("*")
        if file.is_file() and not file.name.startswith(".")
    }


def _names_in(directory):
    files = HERE.glob(f"{directory}/**/*.json")
    return sorted(file.relative_to(HERE).as_posix() for file in files)


def manifest():
    """By which a partial or altered copy is noticed. The README defines the digest."""
    cases = _names_in("v?")
    lines = ""
    for name in _names_in("primitives") + cases:
        digest = hashlib.sha256((HERE / name).read_bytes()).hexdigest()
        lines += f"{digest}  {name}\n"
    digest = hashlib.sha256(lines.encode("ascii")).hexdigest()
    return text({"version": KIT_VERSION, "cases": len(cases), "digest": digest})


def differences(made, peers):
    files = {
        name: file
        for name, file in on_disk().items()
        if name.removesuffix(".json") not in peers
    }
    if not files:
        yield "there is not a single case file"
    for path, case in made.items():
        file = files.pop(f"{path}.json", None)
        if file is None:
            yield f"missing: {path}.json"
        # Text mode: a checkout may have changed the line ends.
        elif file.read_text(encoding="utf-8", errors="replace") != text(case):
            yield f"stale: {path}.json"
    for name in files:
        yield f"surplus: {name}"
    if not (HERE / "manifest.json").is_file() or (HERE / "manifest.json").read_text() != manifest():
        yield "stale: manifest.json"


def write(made):
    for path, case in made.items():
        file = HERE / f"{path}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text(case).encode("ascii"))
    (HERE / "manifest.json").write_bytes(manifest().encode("ascii"))


def write_long(made, directory):
    """For readers and writers that cannot be given the salts and the IV."""
    written = 0
    for path, case in made.items():
        if case["kind"] == "long message":
            file = directory / path
            file.parent.mkdir(parents=True, exist_ok=True)
            for suffix, data in zip((".message", ".plaintext"), built(case)):
                file.with_suffix(suffix).write_bytes(data)
            written += 1
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    action.add_argument("--write-long", metavar="DIRECTORY", type=Path,
                        help="write each long message and its plaintext to DIRECTORY, and no case")
    arguments = parser.parse_args()
    check = arguments.check

    made, peers = make(), carried()
    if arguments.write_long:
        print(f"{write_long(made, arguments.write_long)} long messages written")
        return 0
    faults = list(schema_faults({**made, **peers})) + list(primitive_faults())
    if not check and not faults:
        write(made)
    faults += sorted(differences(made, peers))
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return 1
    done = "are as generated" if check else "written"
    print(f"{len(made)} cases {done}, {len(peers)} that others wrote are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
