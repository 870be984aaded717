"""Removes modules without a page from the path to an extension of one of their types.

DocC drops the page of such a module (as Swift, above String) if all its extensions are in written
groups, and still links to it at the top of their pages.

Usage: breadcrumbs.py ARCHIVE
"""

import json
import pathlib
import sys


def main(archive):
    data = pathlib.Path(archive) / "data"
    for path in sorted(data.rglob("*.json")):
        page = json.loads(path.read_text(encoding="utf-8"))
        references = page["references"]
        removed = set()
        for ancestors in page.get("hierarchy", {}).get("paths", []):
            for identifier in list(ancestors):
                address = references[identifier]["url"]
                if not (data / f"{address[1:]}.json").exists():
                    ancestors.remove(identifier)
                    removed.add(identifier)
        for identifier in removed:
            del references[identifier]
        if removed:
            path.write_text(json.dumps(page), encoding="utf-8")


main(*sys.argv[1:])
