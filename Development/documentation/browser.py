"""Opens every article and every module of a finished site in Chromium.

Usage: browser.py SITE

Fails for a page that does not show its title and all its text, for an error on the console, and for
a request that the site cannot answer. Where no Chromium is installed, it says so and checks
nothing, but in CI (the variable CI is set) it fails.
"""

import functools
import http.server
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# How long a page may take. On an idle machine it takes one second.
SECONDS = 30
# The shortest page, that of all modules, has 25 words of its own.
LEAST_WORDS = 20


class Server(http.server.ThreadingHTTPServer):
    """Serves the site, and remembers the requests that it could not answer."""

    def __init__(self, directory):
        handler = functools.partial(Handler, directory=directory)
        super().__init__(("127.0.0.1", 0), handler)
        self.errors = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_request(self, code="-", size="-"):
        if int(code) >= 400:
            self.server.errors.append(f"{self.path} was answered with {int(code)}")

    def log_message(self, *arguments):
        pass


class Browser:
    """Chromium with one tab. Commands and answers are JSON in two pipes, each ended by a NUL."""

    def __init__(self, program, profile):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()

        def connect():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        # Chromium's sandbox works neither for root nor in most containers. Only the site is opened
        # here: no other host has an address.
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={profile}", "--no-first-run",
             "--disable-background-networking", "--disable-component-update",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
            preexec_fn=connect, pass_fds=(3, 4), env={**os.environ, "TMPDIR": profile},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.unread = b""
        self.calls = 0
        self.errors = []
        self.is_idle = False
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def receive(self):
        """The next message. If it is an event, it is also noted."""
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.answers], [], [], SECONDS)
            received = os.read(self.answers, 1 << 20) if ready else b""
            if not received:
                sys.exit(f"Chromium ended, or said nothing for {SECONDS} seconds.")
            self.unread += received
        text, _, self.unread = self.unread.partition(b"\0")
        message = json.loads(text)
        if "method" in message:
            self.note(message["method"], message["params"])
        return message

    def note(self, event, details):
        if event == "Page.lifecycleEvent" and details["name"] == "networkIdle":
            self.is_idle = True
        elif event == "Runtime.exceptionThrown":
            thrown = details["exceptionDetails"]
            self.errors.append(thrown.get("exception", {}).get("description") or thrown["text"])
        elif event == "Runtime.consoleAPICalled" and details["type"] in ("error", "assert"):
            values = [each.get("value", each.get("description")) for each in details["args"]]
            self.errors.append(f"the console says {' '.join(map(str, values))}")
        elif event == "Log.entryAdded" and details["entry"]["level"] == "error":
            entry = details["entry"]
            self.errors.append(f"{entry['text']} {entry.get('url', '')}")

    def call(self, method, **parameters):
        self.calls += 1
        call = {"id": self.calls, "method": method, "params": parameters}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.commands, json.dumps(call).encode() + b"\0")
        message = self.receive()
        while message.get("id") != self.calls:
            message = self.receive()
        if "error" in message:
            sys.exit(f"Chromium refuses {method}: {message['error']['message']}")
        return message["result"]

    def open(self, address):
        """Opens a page, and returns when it has asked for nothing more for half a second."""
        self.call("Page.navigate", url=address)
        self.is_idle = False
        while not self.is_idle:
            self.receive()

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer["result"].get("value") or ""


def texts(part):
    """The text and code of a part of a page, in pieces as the page shows them."""
    if isinstance(part, list):
        for each in part:
            yield from texts(each)
    elif isinstance(part, dict):
        for key in ("text", "code"):
            value = part.get(key, [])
            yield from [value] if isinstance(value, str) else value
        for value in part.values():
            yield from texts(value)


def own_texts(page):
    """The texts of a page, and the summaries that its groups show of others."""
    yield from texts(page.get("abstract", []))
    yield from texts(page.get("primaryContentSections", []))
    for section in page.get("topicSections", []):
        for identifier in section["identifiers"]:
            yield from texts(page["references"][identifier].get("abstract", []))


def faults_of_text(browser, page):
    title = page["metadata"]["title"]
    shown_title = browser.evaluate("document.querySelector('main h1')?.textContent").strip()
    if shown_title != title:
        yield f"its title is '{shown_title}', not '{title}'"
    words = browser.evaluate("document.querySelector('main')?.innerText").split()
    shown = " ".join(words)
    own = [" ".join(text.split()) for text in own_texts(page)]
    if len(" ".join(own).split()) < LEAST_WORDS:
        yield "has no text of its own"
    lost = [text for text in own if text not in shown]
    if lost:
        yield f"does not show '{lost[0]}', and {len(lost) - 1} other texts"


def faults(browser, server, name, page):
    browser.open(f"http://127.0.0.1:{server.server_port}/{name}")
    # A slow machine may be idle between two files of the page.
    deadline = time.monotonic() + SECONDS
    found = list(faults_of_text(browser, page))
    while found and not browser.errors and time.monotonic() < deadline:
        time.sleep(0.2)
        found = list(faults_of_text(browser, page))
    found += browser.errors + server.errors
    browser.errors = []
    server.errors = []
    return [f"/{name}: {fault}" for fault in found]


def pages(directory):
    """The paths of the articles and modules, and what they have to show."""
    data = pathlib.Path(directory) / "data"
    for path in sorted(data.rglob("*.json")):
        page = json.loads(path.read_text(encoding="utf-8"))
        name = path.relative_to(data).with_suffix("").as_posix()
        is_module = page["metadata"].get("symbolKind") == "module"
        # DocC makes articles of its own: lists of what a type has from its protocols.
        is_article = page["kind"] == "article" and not name.endswith("-implementations")
        if is_module or is_article:
            # The site's root leads there.
            yield "" if name == "documentation/cryptorformat" else name, page


def main(directory):
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if not program:
        if os.environ.get("CI"):
            sys.exit("CI has to open the pages in a browser. Install chromium.")
        print("No page was opened in a browser, because chromium was not found.")
        return
    to_open = list(pages(directory))
    # Without pages, nothing would be checked.
    if len(to_open) < 10:
        sys.exit(f"{directory}: only {len(to_open)} pages")
    found = []
    # Chromium's other processes may end after it, and write until then.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        server = Server(directory)
        for name, page in to_open:
            found += faults(browser, server, name, page)
        browser.process.terminate()
        browser.process.wait()
    if found:
        sys.exit("\n".join(found))
    print(f"{len(to_open)} pages, opened in a browser without an error")


main(*sys.argv[1:])
