"""Runs a notebook in an empty folder.

    python .ci/check_notebook.py crates/python/notebooks/tension.ipynb
"""

import sys
import tempfile
import time

import nbformat
from nbclient import NotebookClient

begun = time.monotonic()
notebook = nbformat.read(sys.argv[1], as_version=4)
with tempfile.TemporaryDirectory() as folder:
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
pictures = sum("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))
assert pictures > 0, "it draws no picture"
print(f"check_notebook: {pictures} pictures in {time.monotonic() - begun:.0f} s")
