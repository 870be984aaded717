"""Makes one symbol graph of those of several modules, and checks its comments.

In the graph, everything is as if it were in the first of the modules.

Usage: graphs.py DIRECTORY MODULE...

DIRECTORY has the compiler's symbol graphs, with extension blocks. A reader gets one site, where a
type is together with its extensions in other modules of the package.

Fails for a public symbol whose comment is missing or does not say what it must. Every symbol needs
a comment that begins with a summary. Unless it refers to another symbol ("see ``...``"), the
comment on a function that throws says what it throws ("- Throws:"), and that on a function of three
parameters or more lists them; DocC then checks that none is missing and none is invented.
"""

import json
import pathlib
import re
import sys

# The compiler makes it for enumerations with raw values, so there is no line to comment.
SYNTHESIZED = "init(rawValue:)"
LONG_LIST = 3


def merge(directory, modules):
    """All symbols of the modules. Leaves the first module's graphs, which have them."""
    graphs = {}
    for path in sorted(directory.glob("*.symbols.json")):
        module, _, extended = path.name.removesuffix(".symbols.json").partition("@")
        graph = json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
        if module in modules and extended in modules:
            unwrap_extensions(graph)
            extended = ""
        graph["module"]["name"] = modules[0]
        name = modules[0]
        if extended:
            name += "@" + extended
        into = graphs.setdefault(name, graph)
        if into is not graph:
            into["symbols"] += graph["symbols"]
            into["relationships"] += graph["relationships"]
    for name, graph in graphs.items():
        (directory / f"{name}.symbols.json").write_text(json.dumps(graph), encoding="utf-8")
    symbols = [symbol for graph in graphs.values() for symbol in graph["symbols"]]
    return [symbol for symbol in symbols if not is_extension(symbol)]


def is_extension(symbol):
    return symbol["kind"]["identifier"] == "swift.extension"


def unwrap_extensions(graph):
    """Makes the members of extension blocks members of the extended types."""
    extensions = {}
    relationships = []
    for each in graph["relationships"]:
        if each["kind"] == "extensionTo":
            extensions[each["source"]] = each["target"]
        else:
            relationships.append(each)
    for each in relationships:
        for end in ("source", "target"):
            each[end] = extensions.get(each[end], each[end])
    graph["relationships"] = relationships
    graph["symbols"] = [symbol for symbol in graph["symbols"] if not is_extension(symbol)]
    for symbol in graph["symbols"]:
        symbol.pop("swiftExtension", None)


def complaints(symbol):
    lines = symbol.get("docComment", {}).get("lines", [])
    if not lines:
        if symbol["pathComponents"][-1] != SYNTHESIZED:
            yield "has no comment"
        return
    if lines[0]["text"].lstrip().startswith("- "):
        yield "has no summary before its parameters"
    comment = " ".join(line["text"].strip() for line in lines)
    if "see ``" in comment.lower():
        return
    declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
    is_called = symbol["kind"]["identifier"].split(".")[-1] in ("func", "init", "method")
    if is_called and re.search(r"\bthrows\b", declaration) and "- Throws:" not in comment:
        yield "throws and does not say what"
    parameters = symbol.get("functionSignature", {}).get("parameters", [])
    if len(parameters) >= LONG_LIST and "- Parameter" not in comment:
        yield f"has {len(parameters)} parameters and lists none"


def main(directory, *modules):
    symbols = merge(pathlib.Path(directory), modules)
    # An empty graph would have no faults.
    if len(symbols) < 10:
        sys.exit(f"{directory}: only {len(symbols)} symbols")
    faults = 0
    for symbol in symbols:
        for complaint in complaints(symbol):
            location = symbol.get("location", {})
            place = location.get("uri", "").rpartition("/Sources/")[2]
            line = location.get("position", {}).get("line", -1) + 1
            name = ".".join(symbol["pathComponents"])
            print(f"Sources/{place}:{line}: {name} {complaint}", file=sys.stderr)
            faults += 1
    if faults:
        sys.exit(1)
    print(f"{', '.join(modules)}: {len(symbols)} public symbols, all documented")


main(*sys.argv[1:])
