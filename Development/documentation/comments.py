"""Checks the comments of all public symbols.

Usage: comments.py DIRECTORY

DIRECTORY has the compiler's symbol graphs of one module.

Fails for a public symbol whose comment is missing or does not say what it must. Every symbol needs
a comment that begins with a summary. Unless it refers to another symbol ("see ..."), the comment on
a function that throws says what it throws ("- Throws:"), and that on a function of three parameters
or more lists them; DocC then checks that none is missing and none is invented.
"""

import json
import pathlib
import re
import sys

# The compiler makes it for enumerations with raw values, so there is no line to comment.
SYNTHESIZED = "init(rawValue:)"
LONG_LIST = 3


def symbols(directory):
    """What the module declares: neither blocks of extensions, nor what types get from protocols."""
    for path in sorted(pathlib.Path(directory).glob("*.symbols.json")):
        for symbol in json.loads(path.read_text(encoding="utf-8"))["symbols"]:
            is_block = symbol["kind"]["identifier"] == "swift.extension"
            if not is_block and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]:
                yield symbol


def complaints(symbol):
    lines = symbol.get("docComment", {}).get("lines", [])
    if not lines:
        if symbol["pathComponents"][-1] != SYNTHESIZED:
            yield "has no comment"
        return
    if lines[0]["text"].lstrip().startswith("- "):
        yield "has no summary before its parameters"
    comment = " ".join(line["text"].strip() for line in lines)
    if "see `" in comment.lower():
        return
    declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
    is_called = symbol["kind"]["identifier"].split(".")[-1] in ("func", "init", "method")
    if is_called and re.search(r"\bthrows\b", declaration) and "- Throws:" not in comment:
        yield "throws and does not say what"
    parameters = symbol.get("functionSignature", {}).get("parameters", [])
    if len(parameters) >= LONG_LIST and "- Parameter" not in comment:
        yield f"has {len(parameters)} parameters and lists none"


def main(directory):
    found = list(symbols(directory))
    # An empty graph would have no faults.
    if len(found) < 10:
        sys.exit(f"{directory}: only {len(found)} symbols")
    faults = 0
    for symbol in found:
        for complaint in complaints(symbol):
            location = symbol.get("location", {})
            place = location.get("uri", "").rpartition("/Sources/")[2]
            line = location.get("position", {}).get("line", -1) + 1
            name = ".".join(symbol["pathComponents"])
            print(f"Sources/{place}:{line}: {name} {complaint}", file=sys.stderr)
            faults += 1
    if faults:
        sys.exit(1)
    print(f"{len(found)} public symbols, all documented")


main(*sys.argv[1:])
