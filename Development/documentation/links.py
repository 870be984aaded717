"""Makes links to other articles, `[Files](WorkingWithFiles.md)`, into DocC's, `[Files](doc:WorkingWithFiles)`.

Usage: links.py CATALOG

As they are written, they work wherever the files are shown. DocC then refuses those that lead nowhere.
"""

import pathlib
import re
import sys


def main(catalog):
    for article in pathlib.Path(catalog).glob("*.md"):
        text = article.read_text(encoding="utf-8")
        article.write_text(re.sub(r"\]\((\w+)\.md\)", r"](doc:\1)", text), encoding="utf-8")


main(*sys.argv[1:])
