"""Fails for a page that no group of a written "Topics" section lists.

DocC makes up a group for such pages.

Usage: groups.py ARCHIVE

It checks the page of the module, and the pages of types that group at least some of their members
by hand. Two groups are left to DocC, because what is in them depends on the system.
"""

import json
import pathlib
import sys

MADE_BY_DOCC = ("Extended Modules", "Default Implementations")


def main(archive):
    pages = sorted((pathlib.Path(archive) / "data/documentation").rglob("*.json"))
    if not pages:
        sys.exit(f"{archive}: no page")
    faults = []
    for page in pages:
        content = json.loads(page.read_text(encoding="utf-8"))
        sections = content.get("topicSections", [])
        is_module = content["metadata"].get("symbolKind") == "module"
        if not is_module and all(section.get("generated") for section in sections):
            continue
        for section in sections:
            if section.get("generated") and section["title"] not in MADE_BY_DOCC:
                identifiers = section["identifiers"]
                names = ", ".join(identifier.rpartition("/")[2] for identifier in identifiers)
                faults.append(f"{page.stem}: no group lists {names}")
    if faults:
        sys.exit("\n".join(faults))


main(*sys.argv[1:])
