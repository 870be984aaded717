"""Serves the files of a directory, and stores what is PUT there.

Usage: python3 server.py DIRECTORY [--images]

Prints its port, and ends when its standard input does. With --images it makes an image first, and
answers /broken.png with only half of the announced bytes, as a connection that breaks off does.
"""

import functools
import http.server
import os
import struct
import sys
import threading
import zlib


def png(width, height):
    """Returns an image of noise: none of its bytes is there by chance a second time."""

    def chunk(kind, data):
        checksum = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    rows = b"".join(b"\0" + os.urandom(3 * width) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/broken.png":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Length", "200000")
        self.end_headers()
        self.wfile.write(png(200, 200)[:100000])

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(os.path.join(self.directory, os.path.basename(self.path)), "wb") as file:
            file.write(body)
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


directory = sys.argv[1]
os.makedirs(directory)
if "--images" in sys.argv:
    with open(os.path.join(directory, "sea.png"), "wb") as image:
        image.write(png(640, 480))
server = http.server.ThreadingHTTPServer(
    ("127.0.0.1", 0), functools.partial(Handler, directory=directory)
)
threading.Thread(target=server.serve_forever, daemon=True).start()
# In one piece, also if Python's output is not buffered.
print(f"{server.server_port}\n", end="", flush=True)
sys.stdin.read()
