"""Fails for a public symbol whose comment is missing or does not say what it must.

Usage: comments.py FOLDER_OF_SYMBOL_GRAPHS

Every symbol has a comment, which begins with a summary. What throws says what ("- Throws:"). What takes three parameters or more lists them; DocC then
looks that none is missing and none is invented. A comment that refers to another symbol ("see ``...``") need not say what is
thrown.
"""

import json
import pathlib
import re
import sys

# Made by the compiler for enumerations that have raw values: there is no line to comment.
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
    # One graph has the module itself, and one each module whose types it extends.
    for graph in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        symbols += json.loads(graph.read_text(encoding="utf-8"))["symbols"]
    symbols = [symbol for symbol in symbols if symbol["kind"]["identifier"] != "swift.extension"]
    # What holds nothing would have no fault.
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
