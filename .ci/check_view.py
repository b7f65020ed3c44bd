#!/usr/bin/env python3
"""Opens a page of `bdem view` in Chromium and looks at the picture: python3 check_view.py PAGE.html FRAME PICTURE.png [COLOUR]

The standard library does: a PNG is unpacked here. What the page shows has to be seen, in many colours, in the middle, and not
cut off; of surfaces, where the colour is face, both outer faces and cracks.
"""

import base64
import json
import os
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

SIZE = (960, 540)
# What lies over what is shown: the bar, and the title and legend.
BAR, TOP = 50, 60
# Seconds.
PATIENCE = 100


def expect(good, message):
    if not good:
        sys.exit(f"check_view: {message}")


class Browser:
    """Chromium without a window, spoken to through its DevTools pipe: JSON, each message ended by a zero byte."""

    FLAGS = ["--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--remote-debugging-pipe"]

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (commands, to), (back, answers) = os.pipe(), os.pipe()
        # Chromium reads descriptor 3 and writes descriptor 4
        command = shlex.join(["chromium", *self.FLAGS, f"--user-data-dir={self.home.name}"])
        self.process = subprocess.Popen(["sh", "-c", f"exec {command} 3<&{commands} 4>&{answers}"], pass_fds=(commands, answers),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands), os.close(answers)
        self.to, self.answers, self.asked, self.session = os.fdopen(to, "wb", 0), os.fdopen(back, "rb"), 0, {}
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.home.cleanup()

    def ask(self, method, **what):
        self.asked += 1
        self.to.write(json.dumps({"id": self.asked, "method": method, "params": what, **self.session}).encode() + b"\0")
        while True:
            answer = json.loads(self.message())
            if answer.get("id") == self.asked:
                expect("result" in answer, f"{method}: {answer.get('error')}")
                return answer["result"]

    def message(self):
        text = bytearray()
        while (byte := self.answers.read(1)) != b"\0":
            expect(byte, "Chromium has ended")
            text += byte
        return text

    def open(self, address):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = {"sessionId": self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}
        self.ask("Emulation.setDeviceMetricsOverride", width=SIZE[0], height=SIZE[1], deviceScaleFactor=1, mobile=False)
        self.ask("Page.navigate", url=address)

    def value(self, expression):
        return self.ask("Runtime.evaluate", expression=expression)["result"].get("value")


def photograph(page, frame, picture, colour):
    """Waits until the page says that it has drawn: how long that takes is the machine's affair."""
    signal.alarm(2 * PATIENCE)  # a browser that does not answer
    with Browser() as browser:
        browser.open(f"{Path(page).resolve().as_uri()}#frame={frame}&colour={colour}")
        end = time.monotonic() + PATIENCE
        while browser.value("document.documentElement.dataset.drawn") is None:
            title = browser.value("document.getElementById('title')?.textContent")
            expect(time.monotonic() < end, f"nothing is drawn after {PATIENCE} s; the page says: {title}")
            time.sleep(0.1)
        Path(picture).write_bytes(base64.b64decode(browser.ask("Page.captureScreenshot", format="png")["data"]))
    signal.alarm(0)


def pixels(path):
    """Rows of (r, g, b) of a PNG of eight bits a channel, without interlace."""
    data, place, packed = Path(path).read_bytes(), 8, b""
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        place += 12 + length
    each = {2: 3, 6: 4}[colour]
    raw, before, rows = zlib.decompress(packed), bytearray(width * each), []
    for y in range(height):
        at = y * (width * each + 1)
        row = unfiltered(raw[at], bytearray(raw[at + 1:at + 1 + width * each]), before, each)
        rows.append([tuple(row[k:k + 3]) for k in range(0, len(row), each)])
        before = row
    return rows


def unfiltered(kind, row, above, each):
    for k in range(len(row)):
        a, b, c = (row[k - each] if k >= each else 0), above[k], (above[k - each] if k >= each else 0)
        guess = a + b - c
        nearest = min((abs(guess - x), order, x) for order, x in enumerate((a, b, c)))[2]
        row[k] = (row[k] + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
    return row


def main():
    page, frame, picture, colour = (sys.argv[1:] + ["piece"])[:4]
    photograph(page, frame, picture, colour)
    rows = pixels(picture)
    ground = rows[TOP + 1][len(rows[0]) // 2]
    seen = [(x, y) for y in range(TOP, len(rows) - BAR) for x in range(len(rows[0])) if rows[y][x] != ground]
    share = len(seen) / (len(rows) * len(rows[0]))
    expect(0.005 < share < 0.7, f"what is shown covers {share:.2%} of the picture")
    colours = {tuple(c // 32 for c in rows[y][x]) for x, y in seen}
    expect(len(colours) > 20, f"{len(colours)} colours")
    expect(all(0 < x < len(rows[0]) - 1 for x, _ in seen), "it is cut off at a side")
    middle = [sum(c) / len(seen) / n for c, n in ((list(zip(*seen))[0], len(rows[0])), (list(zip(*seen))[1], len(rows)))]
    expect(all(0.25 < m < 0.75 for m in middle), f"it is not in the middle, but at {middle}")
    if colour == "face":
        cracks = sum(r > 2 * b for r, g, b in (rows[y][x] for x, y in seen)) / len(seen)
        expect(0.005 < cracks < 0.9, f"{cracks:.2%} of it is cracks")
    print(f"check_view: {colour} is seen on {share:.1%} of the picture in {len(colours)} colours: well")


main()
