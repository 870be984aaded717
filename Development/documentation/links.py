"""Checks the links of all pages of a site or an archive, from the JSON that its pages show.

Usage: links.py SITE

Fails for a link to a page, an anchor or an image that the site does not have, for an entry of the
navigator without a page, and for a link that is still text. An address on another host is not
fetched: it only has to be complete. It also fails for code that is wider than its frame.
"""

import json
import pathlib
import re
import sys
import urllib.parse

# What a frame shows of a line of code on a page of 1,440 pixels.
COLUMNS = 85
ELSEWHERE = ("http", "https", "mailto")
# Links as they are written in an article or a comment.
WRITTEN_LINK = re.compile(r"\]\(|\]\[|\bdoc:\w|\.md>")


def entries(part):
    """Every key and value of a part of a page, however deep; those of a list have its key."""
    for key, value in part.items():
        for each in flat(value):
            yield key, each
            if isinstance(each, dict):
                yield from entries(each)


def flat(value):
    if not isinstance(value, list):
        return [value]
    return [each for part in value for each in flat(part)]


class Site:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        data = self.directory / "data"
        self.pages = {}
        self.anchors = {}
        for path in sorted(data.rglob("*.json")):
            name = "/" + path.relative_to(data).with_suffix("").as_posix()
            page = json.loads(path.read_text(encoding="utf-8"))
            # What a page says of others is in its references. The rest is its own.
            references = page.pop("references", {})
            self.pages[name] = (page, references)
            self.anchors[name] = {value for key, value in entries(page) if key == "anchor"}

    def fault_of_address(self, address, name):
        """What is wrong with an address on the page of this name; nothing if it leads somewhere."""
        link = urllib.parse.urlsplit(address)
        if link.scheme or link.netloc:
            is_complete = link.scheme in ELSEWHERE and (link.netloc or link.scheme == "mailto")
            return None if is_complete else "is no complete address"
        # An anchor alone is one of the same page.
        target = link.path or name
        if target not in self.pages:
            is_file = target.startswith("/") and (self.directory / target[1:]).is_file()
            return None if is_file else "does not exist"
        if not (self.directory / target[1:] / "index.html").is_file():
            return "has no index.html"
        if link.fragment and link.fragment not in self.anchors[target]:
            return "has no such anchor"
        return None

    def faults_of_page(self, name):
        page, references = self.pages[name]
        for section, content in page.items():
            for key, value in entries({section: content}):
                if key in ("identifier", "identifiers") and isinstance(value, str):
                    kind = references.get(value, {}).get("type")
                    # A type may conform to a protocol of another module, which has no page here.
                    is_foreign = kind == "unresolvable" and section == "relationshipsSections"
                    if kind in (None, "unresolvable") and not is_foreign:
                        yield f"{value} is not resolved"
                elif key == "text" and isinstance(value, str) and WRITTEN_LINK.search(value):
                    yield f"this is shown as it is written: {value}"
                elif isinstance(value, dict) and value.get("type") == "codeListing":
                    for line in value["code"]:
                        if len(line) > COLUMNS:
                            yield f"this code has {len(line)} columns, not {COLUMNS}: {line}"
        for key, value in entries(references):
            if key == "url":
                fault = self.fault_of_address(value, name)
                if fault:
                    yield f"{value} {fault}"

    def faults_of_navigator(self):
        index = json.loads((self.directory / "index/index.json").read_text(encoding="utf-8"))
        for key, value in entries(index):
            if key == "path":
                fault = self.fault_of_address(value, "")
                if fault:
                    yield f"{value} {fault}"


def main(directory):
    site = Site(directory)
    # A site without pages has no broken links.
    if len(site.pages) < 10:
        sys.exit(f"{directory}: only {len(site.pages)} pages")
    faults = [f"the navigator: {fault}" for fault in site.faults_of_navigator()]
    for name in site.pages:
        faults += [f"{name}: {fault}" for fault in site.faults_of_page(name)]
    if faults:
        sys.exit("\n".join(dict.fromkeys(faults)))
    print(f"{len(site.pages)} pages, and all their links lead somewhere")


main(*sys.argv[1:])
