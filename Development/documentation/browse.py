"""Opens pages of the documentation in a headless browser, as a reader does, and fails unless each shows its title, loads
all of its parts and leaves no error on the console.

Usage: browse.py SITE
"""

import functools
import http.server
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")

# The path of a page, its title, and some text that it must have.
PAGES = [
    ("", "CryptorFormat", "RNCryptorCompat"),
    ("documentation/cryptorformat", "CryptorFormat", "Getting started"),
    ("documentation/cryptorformat/keyedcryptor", "KeyedCryptor", "messageByteCount"),
    ("documentation/cryptorformat/performance", "Performance", "The limits"),
    ("documentation/cryptorformat/streaming", "Streams and unverified plaintext", 'streams.svg"'),
    ("documentation/cryptorformat/workingwithfiles", "Files", 'files.svg"'),
    ("documentation/cryptorformat/services", "Services: SwiftNIO, Vapor and Hummingbird", "What blocks"),
    ("documentation/rncryptorcompat", "RNCryptorCompat", "RNCryptorType"),
]
# These must be refused; otherwise the checks prove nothing.
CANARIES = [
    ("documentation/cryptorformat/no-such-page", "KeyedCryptor", ""),
    ("documentation/cryptorformat", "Another title", ""),
]


class Handler(http.server.SimpleHTTPRequestHandler):
    def send_error(self, code, message=None, explain=None):
        self.server.refused.append(f"{code} {self.path}")
        super().send_error(code, message, explain)

    def log_message(self, *arguments):
        pass


class Browser:
    def __init__(self, profile):
        self.program = next((path for path in map(shutil.which, BROWSERS) if path), None)
        if not self.program:
            sys.exit("browse.py: no browser: one of " + ", ".join(BROWSERS))
        self.profile = profile

    def load(self, address):
        # A container has no sandbox for the browser, and the pages are our own.
        return subprocess.run(
            [self.program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--enable-logging=stderr", "--virtual-time-budget=20000", f"--user-data-dir={self.profile}", "--dump-dom", address],
            capture_output=True, text=True, timeout=120, check=False)


def faults(browser, server, path, title, more):
    server.refused.clear()
    seen = browser.load(f"http://127.0.0.1:{server.server_port}/{path}")
    if seen.returncode:
        yield f"the browser ended with {seen.returncode}: {seen.stderr[-500:]}"
    titles = [re.sub("<[^>]*>", "", found).strip() for found in re.findall(r"<h1.*?</h1>", seen.stdout, re.DOTALL)]
    if title not in titles:
        yield f"no title '{title}', but {titles}"
    if more not in seen.stdout:
        yield f"'{more}' is not there"
    yield from (line for line in seen.stderr.splitlines() if re.search(r":CONSOLE[:(]", line))
    yield from server.refused


def main(site):
    handler = functools.partial(Handler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, \
            tempfile.TemporaryDirectory() as profile:
        server.refused = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = Browser(profile)
        failed = False
        for path, title, more in PAGES:
            # On a busy machine the browser's time may end before a page is complete, so the page is tried three times.
            for _ in range(3):
                found = list(faults(browser, server, path, title, more))
                if not found:
                    break
            for fault in found:
                print(f"{path}: {fault}", file=sys.stderr)
            failed |= bool(found)
        for path, title, more in CANARIES:
            if not list(faults(browser, server, path, title, more)):
                print(f"{path} with the title '{title}' was not refused", file=sys.stderr)
                failed = True
        server.shutdown()
    if failed:
        sys.exit(1)
    print(f"{len(PAGES)} pages seen in {pathlib.Path(browser.program).name}, {len(CANARIES)} refused as they must be")


main(*sys.argv[1:])
