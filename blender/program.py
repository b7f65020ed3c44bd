# SPDX-License-Identifier: Apache-2.0
"""The program bdem as a process: its materials, and commands that run in the background."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import lru_cache

# A window of a console would open for each command on Windows.
FLAGS = subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0

# Seconds that a stopped command has to write its checkpoint.
GRACE = 5.0


# Materials while the program is not found.
MATERIALS = ["brick", "ceramic", "chocolate", "concrete", "glass", "plaster", "sandstone", "terracotta", "wood"]


@lru_cache(maxsize=4)
def material_presets(executable: str | None) -> list[tuple[str, str]]:
    """Names and descriptions of the materials that the program knows, by its schema."""
    try:
        command = [executable or "", "schema"]
        schema = subprocess.run(command, capture_output=True, check=True, creationflags=FLAGS, timeout=20).stdout
        choices = json.loads(schema)["definitions"]["MaterialPreset"]["oneOf"]
        return [(choice["const"], choice["description"]) for choice in choices]
    except (OSError, ValueError, KeyError, subprocess.SubprocessError):
        return [(name, "") for name in MATERIALS]


class Command:
    """A command line of the program, and the share of the progress bar that it fills."""

    def __init__(self, label: str, arguments: list[str], share: float, log: bool = True) -> None:
        self.label = label
        self.arguments = arguments
        self.share = share
        # Progress and errors as lines of JSON, which not every command writes.
        self.log = ["--log-format", "json"] if log else []


class Work:
    """Commands that run one after another in a thread of their own.

    The main thread reads the attributes. Blender's data is never touched from the thread.
    """

    def __init__(self, executable: str, commands: list[Command]) -> None:
        self.label = ""
        self.progress = 0.0
        self.output = ""
        self.warnings: list[str] = []
        self.error: str | None = None
        self.is_stopped = False
        self._executable = executable
        self._commands = commands
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def is_running(self) -> bool:
        """Whether a command still runs."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Waits for the last command."""
        self._thread.join()

    def stop(self) -> None:
        """Ends the commands. A run writes a checkpoint first."""
        self.is_stopped = True
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
        self._thread.join(GRACE)

    def _run(self) -> None:
        before = 0.0
        for command in self._commands:
            if self.is_stopped:
                return
            self.label, self.progress = command.label, before
            self.error = self._call(command, lambda share, before=before, of=command.share: self._advance(before + share * of))
            if self.error is not None or self.is_stopped:
                return
            before += command.share
        self.progress = 1.0

    def _advance(self, progress: float) -> None:
        self.progress = progress

    def _call(self, command: Command, advance: Callable[[float], None]) -> str | None:
        """Runs a command to its end. Returns its error, if it has one."""
        line = [self._executable, *command.arguments, *command.log]
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, encoding="utf-8", errors="replace", creationflags=FLAGS
            )
        except OSError as error:
            return f"{self._executable}: {error.strerror}"
        self._process = process
        if self.is_stopped:
            process.terminate()
        said: list[str] = []
        reader = threading.Thread(target=lambda: said.append(process.stdout.read()), daemon=True)
        reader.start()
        errors: list[str] = []
        for text in process.stderr:
            self._read(text.rstrip(), errors, advance)
        code = process.wait()
        reader.join()
        self.output += "".join(said)
        if code == 0:
            return None
        return "\n".join(errors) or f"bdem ended with the exit code {code}"

    def _read(self, line: str, errors: list[str], advance: Callable[[float], None]) -> None:
        """Takes a line of the log: progress, a warning, an error, or plain text, which counts as an error."""
        try:
            event = json.loads(line)
            kind = event["event"]
        except (ValueError, TypeError, KeyError):
            errors.append(line)
            return
        if kind == "frame":
            advance(event["frame"] / max(event["of"], 1))
        elif kind == "warning":
            self.warnings.append(event["message"])
        elif kind == "error":
            errors.append(event["message"])
