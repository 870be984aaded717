"""Fails for a public symbol whose comment is missing or does not say what it must.

Usage: comments.py FOLDER_OF_SYMBOL_GRAPHS

Every symbol needs a comment that begins with a summary. The comment on a function that throws says what it throws
("- Throws:"), unless it refers to another symbol ("see ``...``"). The comment on a function of three parameters or more
lists them; DocC then checks that none is missing and none is invented.
"""

import json
import pathlib
import re
import sys

# The compiler makes it for enumerations with raw values, so there is no line to comment.
SYNTHESIZED = "init(rawValue:)"
LONG_LIST = 3


def complaints(symbol):
    lines = symbol.get("docComment", {}).get("lines", [])
    if not lines:
        if symbol["pathComponents"][-1] != SYNTHESIZED:
            yield "has no comment"
        return
    if lines[0]["text"].lstrip().startswith("- "):
        yield "has no summary before its parameters"
    comment = " ".join(line["text"].strip() for line in lines)
    refers = "see ``" in comment
    declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
    is_called = symbol["kind"]["identifier"].split(".")[-1] in ("func", "init", "method")
    if is_called and not refers and re.search(r"\bthrows\b", declaration) and "- Throws:" not in comment:
        yield "throws and does not say what"
    parameters = symbol.get("functionSignature", {}).get("parameters", [])
    if len(parameters) >= LONG_LIST and "- Parameter" not in comment:
        yield f"has {len(parameters)} parameters and lists none"


def main(folder):
    symbols = []
    # One graph has the module itself, and there is one for each module whose types it extends.
    for graph in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        symbols += json.loads(graph.read_text(encoding="utf-8"))["symbols"]
    symbols = [symbol for symbol in symbols if symbol["kind"]["identifier"] != "swift.extension"]
    # An empty graph would have no faults.
    if len(symbols) < 10:
        sys.exit(f"{folder}: only {len(symbols)} symbols")
    faults = 0
    for symbol in symbols:
        for complaint in complaints(symbol):
            location = symbol.get("location", {})
            place = location.get("uri", "").rpartition("/Sources/")[2]
            line = location.get("position", {}).get("line", -1) + 1
            print(f"Sources/{place}:{line}: {'.'.join(symbol['pathComponents'])} {complaint}", file=sys.stderr)
            faults += 1
    if faults:
        sys.exit(1)
    print(f"{pathlib.Path(folder).name}: {len(symbols)} public symbols, all documented")


main(*sys.argv[1:])
