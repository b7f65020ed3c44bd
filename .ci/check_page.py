"""Runs the Python blocks of a page of the book, in one namespace and in the current folder, and says how long each took. Those after a
comment "not run by the tests" are compiled only.

    python .ci/check_page.py docs/src/python.md
"""

import re
import sys
import time
from pathlib import Path

page = Path(sys.argv[1])
space: dict = {"__name__": "__page__"}
blocks = re.findall(r"^(<!-- not run by the tests.*\n)?```python\n(.*?)^```", page.read_text(), re.M | re.S)
assert blocks, f"{page} has no Python"
for number, (is_left, block) in enumerate(blocks, 1):
    lines = [line for line in block.splitlines() if line.strip()]
    assert len(lines) < 25, f"block {number} has {len(lines)} lines"
    begun = time.monotonic()
    code = compile(block, f"{page}, block {number}", "exec")
    if not is_left:
        exec(code, space)
    print(f"check_page: block {number}, {len(lines)} lines: {time.monotonic() - begun:.1f} s", flush=True)
