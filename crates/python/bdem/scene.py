"""Scenes, and packings from arrays."""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _bdem


@dataclass(frozen=True)
class Report:
    """Facts about a scene, as `bdem check` finds them. Its text is what the command prints."""

    text: str
    scene: str
    particles: int
    bonds: int
    #: Period T, s.
    period: float
    #: Longest stable explicit step, s.
    explicit_limit: float
    #: Memory of a run, bytes.
    memory: int
    #: Least and most processor time of a run, s.
    seconds: tuple[float, float] | None
    #: Number of pieces of each bonded body at the start.
    pieces: dict[str, int]
    warnings: list[str]

    def __str__(self) -> str:
        return self.text


def new(template: str, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> Path:
    """Writes a template of `bdem new`, such as "drop" or "calibrate", with the files that it reads beside it. path: by default TEMPLATE.toml."""
    text, beside = _bdem.template(template)
    path = Path(f"{template}.toml" if path is None else path)
    files = {path: text, **{path.parent / name: other for name, other in beside}}
    used = [str(file) for file in files if file.exists()]
    if used and not overwrite:
        raise FileExistsError(f"{', '.join(used)}: exists; overwrite=True replaces it")
    path.parent.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        file.write_text(content)
    return path


class Particles(dict):
    """Packing of one's own, for the key `packing` of a body without shape and particle_radius.

    positions: (n, 3), m. radii: (n,) or one number, m. bonds: pairs of rows (m, 2), or None to bond those that are nearer to each other
    than `gap` mean radii. Arrays by particle come back in this order by `Simulation.given`. The arrays are kept as CSV files in the folder
    for temporary files, by their content: runs resume, and are read, as long as these are there.
    """

    def __init__(self, positions: Any, radii: Any, bonds: Any = None, *, gap: float | None = None):
        positions = numbers("positions", positions, (None, 3))
        count = len(positions)
        radii = numbers("radii", np.broadcast_to(radii, (count,)) if np.ndim(radii) == 0 else radii, (count,))
        if (radii <= 0.0).any():
            row = int(np.argmax(radii <= 0.0))
            raise ValueError(f"radii: row {row} has {radii[row]}, which is not positive")
        rows = (",".join(map(repr, row)) for row in np.column_stack([positions, radii]).tolist())
        spheres = {"file": _kept("x,y,z,radius\n" + "\n".join(rows) + "\n")}
        if bonds is not None:
            pairs = np.asarray(bonds)
            if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
                raise ValueError(f"bonds: expected pairs of rows, integers of the shape (m, 2), not {pairs.dtype} of {pairs.shape}")
            wrong = np.argwhere((pairs < 0) | (pairs >= count))
            if len(wrong):
                row, side = wrong[0]
                raise ValueError(f"bonds: row {row} has {pairs[row, side]}, but there are {count} particles, from 0")
            spheres["bonds"] = _kept("i,j\n" + "\n".join(f"{i},{j}" for i, j in pairs.tolist()) + "\n")
        if gap is not None:
            spheres["gap"] = gap
        super().__init__(particles=spheres)


def _kept(text: str) -> str:
    """Path of a file with this text, named by its content."""
    path = Path(tempfile.gettempdir()) / f"bdem_particles_{hashlib.sha256(text.encode()).hexdigest()[:32]}.csv"
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(text)
        part.replace(path)
    return str(path)


class Scene:
    """A scene: a TOML file, or a dict of the same tables, with values set by their keys.

    source: path of a file, or a dict. settings: values by keys, as of `bdem simulate --set`. folder: that which names of files in a dict
    are relative to.

    `scene[key]` is the value of a key with all defaults: "materials.clay.density", "bodies.wall.position" by the body's name.
    `scene[key] = value` sets it, like `--set`. A scene is checked when it is made and again when it is used: errors are SceneError, with
    file, line, key, value and remedy.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any],
        settings: Mapping[str, Any] | None = None,
        *,
        folder: str | os.PathLike[str] | None = None,
    ):
        if isinstance(source, Mapping):
            self._source: Any = dict(source)
            self._text: str | None = _bdem.to_toml(self._source)
            self._path = Path(folder or ".") / "scene.toml"
        else:
            self._source, self._text, self._path = None, None, Path(source)
        self._settings: dict[str, Any] = dict(settings or {})
        self._inner: _bdem.Scene | None = None
        self._version = 0
        self._load()

    def _set(self) -> list[str]:
        return [f"{key}={_bdem.toml_value(key, value)}" for key, value in self._settings.items()]

    def _load(self) -> _bdem.Scene:
        """The checked scene."""
        if self._inner is None:
            self._inner = _bdem.Scene(self._path, self._text, self._set())
            for warning in self._inner.warnings:
                warnings.warn(warning, stacklevel=3)
        return self._inner

    @property
    def name(self) -> str:
        """Name of the scene."""
        return self._load().name

    @property
    def settings(self) -> dict[str, Any]:
        """Values that were set, by their keys."""
        return dict(self._settings)

    @property
    def warnings(self) -> list[str]:
        """Values outside their usual ranges, in words."""
        return self._load().warnings

    def resolved(self) -> dict[str, Any]:
        """Every key with its value, defaults included."""
        return self._load().resolved()

    def to_toml(self) -> str:
        """The same as TOML, with absolute paths of files: what a run keeps as scene.resolved.toml."""
        return self._load().resolved_toml()

    def __getitem__(self, key: str) -> Any:
        if not isinstance(key, str):
            raise TypeError(f"{key!r}: keys are texts, such as \"materials.clay.density\"")
        value: Any = self.resolved()
        for part in key.split("."):
            value = _member(value, part.strip(), key)
        return value

    def __setitem__(self, key: str, value: Any) -> None:
        _bdem.toml_value(key, value)
        # the last that is set counts, also beside another name of the same place
        self._settings.pop(key, None)
        self._settings[key] = value
        self._inner, self._version = None, self._version + 1

    def __delitem__(self, key: str) -> None:
        del self._settings[key]
        self._inner, self._version = None, self._version + 1

    def __reduce__(self) -> Any:
        return _again, (self._source if self._text is not None else self._path, self._settings, self._path.parent)

    def copy(self) -> Scene:
        """A scene that may be changed apart from this one."""
        return Scene(self._source if self._text is not None else self._path, self._settings, folder=self._path.parent)

    def check(self, *, threads: int | None = None) -> Report:
        """Facts about the scene: sizes, limits, time and memory of a run. It is built, and tried for a second and a half."""
        text, facts = _bdem.check(self._load(), threads)
        return Report(text=text, **facts)

    def tune(self, pieces: int, *, threads: int | None = None) -> dict[str, tuple[float, float]]:
        """Tensile and shear strength (Pa) of each material with which the scene breaks into some `pieces`, by coarse runs of a minute."""
        _, strengths = _bdem.tune(self._load(), pieces, threads)
        return strengths

    def __repr__(self) -> str:
        source = "{...}" if self._text is not None else repr(str(self._path))
        return f"Scene({source}, {self._settings})" if self._settings else f"Scene({source})"


def _again(source: Any, settings: dict[str, Any], folder: Path) -> Scene:
    """Scene of a copy, or in another process."""
    return Scene(source, settings, folder=folder)


def _member(value: Any, part: str, key: str) -> Any:
    """Member of a table, or element of a list by its index or its name."""
    if isinstance(value, dict) and part in value:
        return value[part]
    if isinstance(value, list):
        if part.lstrip("-").isdigit() and -len(value) <= int(part) < len(value):
            return value[int(part)]
        named = [item for item in value if isinstance(item, dict) and item.get("name") == part]
        if named:
            return named[0]
    raise KeyError(f"{key}: there is no {part}")


def numbers(name: str, value: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """Finite numbers of an argument, of this shape; None is any length."""
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: no array of numbers: {error}") from None
    if array.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, array.shape)):
        wanted = ", ".join("n" if want is None else str(want) for want in shape)
        raise ValueError(f"{name}: the shape is {array.shape}, expected ({wanted}{',' if len(shape) == 1 else ''})")
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0][0])
        raise ValueError(f"{name}: row {row} is not finite")
    return array
