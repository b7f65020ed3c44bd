"""Runs with their files."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from . import _bdem
from .scene import Scene


def simulate(
    scene: Scene | str | os.PathLike[str] | Mapping[str, Any],
    output: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    on_frame: Callable[[_bdem.Moment], None] | None = None,
    progress: bool | None = None,
) -> Run:
    """Runs a scene to its end, and returns the run: the files of `bdem simulate`, with the same bits.

    output: folder, by default out/NAME. threads: by default as many as cores. resume: go on with a run that is there; overwrite: replace it.

    on_frame: a function of the `Moment` at the end of every frame. It may read the state, assign `velocities` and `angular_velocities`,
    whose work is in the energy account, and call `stop()`. What it raises ends the run and is raised here. When a run is resumed, it
    is called again for the frames since its checkpoint.

    progress: a bar of `tqdm`; by default where that is installed and standard error is a terminal.

    Ctrl-C writes a checkpoint, leaves the files whole, and raises KeyboardInterrupt; resume=True goes on from there. Raises SceneError,
    SolverError when the solver gives up, and OutputError, also where the folder is in use.
    """
    if not isinstance(scene, Scene):
        scene = Scene(scene)
    if resume and overwrite:
        raise ValueError("overwrite: the run that is there is either resumed or overwritten")
    inner = scene._load()
    folder = Path("out", inner.name) if output is None else Path(output)
    existing = "resume" if resume else "overwrite" if overwrite else "keep"
    bar = _bar(progress, scene)
    try:
        _bdem.simulate(inner, folder, existing, threads, on_frame, bar and bar.to)
    finally:
        if bar:
            bar.close()
    return Run(folder)


class _Bar:
    """Bar of tqdm."""

    def __init__(self, tqdm: Any, frames: int, name: str, disable: bool | None):
        self._bar = tqdm(total=frames, desc=name, unit="frame", disable=disable)

    def to(self, frame: int) -> None:
        self._bar.update(frame - self._bar.n)

    def close(self) -> None:
        self._bar.close()


def _bar(progress: bool | None, scene: Scene) -> _Bar | None:
    if progress is False:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress:
            raise ImportError("progress: needs tqdm: pip install tqdm") from None
        return None
    # tqdm leaves itself out where standard error is no terminal, if it is not asked for
    return _Bar(tqdm, scene["time.frames"], scene.name, False if progress else None)


class Columns(dict[str, np.ndarray]):
    """Table as arrays by the names of its columns: pandas.DataFrame takes it."""

    @classmethod
    def read(cls, path: Path) -> Columns:
        """Table of a CSV file. Columns are numbers where all cells are; empty cells are NaN."""
        try:
            with open(path, newline="", encoding="utf-8-sig") as file:
                rows = csv.reader(file)
                names = next(rows, [])
                cells = [row for row in rows if row]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise _bdem.OutputError(f"{path}: cannot be read: {error}") from None
        wrong = next((number for number, row in enumerate(cells, 2) if len(row) != len(names)), None)
        if wrong is not None:
            raise _bdem.OutputError(f"{path}: row {wrong} has {len(cells[wrong - 2])} cells, and the header {len(names)}")
        columns = zip(*cells) if cells else ((),) * len(names)
        return cls(zip(names, map(_column, columns)))

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.values()), ()))


def _column(cells: Sequence[str]) -> np.ndarray:
    try:
        numbers = np.array([cell or "nan" for cell in cells], dtype=np.float64)
    except ValueError:
        return np.array(cells, dtype=object)
    # beyond 15 digits floats are not exact, and beyond 18 integers are none
    is_whole = all(cell.lstrip("-").isdecimal() and len(cell) < 16 for cell in cells)
    return numbers.astype(np.int64) if is_whole and len(cells) else numbers


_TYPES = {"float": "<f4", "int": "<i4", "double": "<f8", "uchar": "u1", "short": "<i2", "ushort": "<u2", "uint": "<u4", "char": "i1"}


class Frame:
    """Frame of a run: its particles, and its bonds where the scene asks for them. The file is read at the first use."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)

    @cached_property
    def _read(self) -> tuple[dict[str, str], dict[str, np.ndarray]]:
        """Comments by their keys, and elements as structured arrays."""
        try:
            return self._parse()
        except (OSError, IndexError, KeyError, ValueError, OverflowError, MemoryError) as error:
            raise _bdem.OutputError(f"{self.path}: the file is no whole frame: {type(error).__name__}: {error}") from None

    def _parse(self) -> tuple[dict[str, str], dict[str, np.ndarray]]:
        size = self.path.stat().st_size
        with open(self.path, "rb") as file:
            comments: dict[str, str] = {}
            kinds: list[tuple[str, int, list[tuple[str, str]]]] = []
            for line in iter(lambda: file.readline(10_000), b""):
                words = line.decode("ascii", "replace").split()
                if words[:1] == ["end_header"]:
                    break
                if words[:1] == ["comment"]:
                    key, _, value = " ".join(words[1:]).partition(": ")
                    comments[key] = value
                elif words[:1] == ["element"]:
                    kinds.append((words[1], int(words[2]), []))
                elif words[:1] == ["property"]:
                    kinds[-1][2].append((words[2], _TYPES[words[1]]))
                elif words[:1] == ["format"] and words[1] != "binary_little_endian":
                    raise _bdem.OutputError(f"{self.path}: {words[1]} is no format of frames")
            if not all(fields for _, _, fields in kinds):
                raise ValueError("an element has no properties")
            if sum(count * np.dtype(fields).itemsize for _, count, fields in kinds) > size:
                raise ValueError("it is shorter than its header says")
            elements = {name: np.fromfile(file, np.dtype(fields), count) for name, count, fields in kinds}
        short = [name for name, count, _ in kinds if len(elements[name]) != count]
        if short or "vertex" not in elements:
            raise _bdem.OutputError(f"{self.path}: the file is no whole frame")
        for element in elements.values():
            element.flags.writeable = False
        return comments, elements

    def __getitem__(self, name: str) -> np.ndarray:
        """Property of the particles by its name in the file, such as "damage" or "stress": (n,)."""
        if name not in self.names:
            raise KeyError(f"{name}: there is no such property, but {', '.join(self.names)}")
        return self._read[1]["vertex"][name]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the particles' properties."""
        return self._read[1]["vertex"].dtype.names

    def _vectors(self, first: str, count: int) -> np.ndarray:
        vertex = self._read[1]["vertex"]
        kind, offset = vertex.dtype.fields[first][:2]
        return np.ndarray((len(vertex), count), kind, vertex.view(np.uint8), offset, (vertex.itemsize, kind.itemsize))

    @property
    def number(self) -> int:
        """Number of the frame."""
        return int(re.findall(r"\d+", self.path.stem)[-1])

    @property
    def time(self) -> float:
        """Time, s."""
        return float(self._read[0]["time"].split()[0])

    @property
    def positions(self) -> np.ndarray:
        """Positions, m: (n, 3)."""
        return self._vectors("x", 3)

    @property
    def velocities(self) -> np.ndarray:
        """Velocities, m/s: (n, 3)."""
        return self._vectors("vx", 3)

    @property
    def angular_velocities(self) -> np.ndarray:
        """Angular velocities in the world frame, rad/s: (n, 3)."""
        return self._vectors("wx", 3)

    @property
    def orientations(self) -> np.ndarray:
        """Orientations, unit quaternions x, y, z, w from body to world: (n, 4)."""
        return self._vectors("orient_x", 4)

    @property
    def radii(self) -> np.ndarray:
        """Radii, m: (n,)."""
        return self["pscale"]

    @property
    def pieces(self) -> np.ndarray:
        """Number of each particle's piece, the smallest index of a particle in it: (n,)."""
        return self["piece"]

    @property
    def bonds(self) -> np.ndarray | None:
        """Whole bonds as a structured array with the fields vertex1, vertex2 and those of `output.bonds`; None where the scene asks for none."""
        return self._read[1].get("edge")

    def __repr__(self) -> str:
        return f"Frame({str(self.path)!r})"


class Frames(Sequence[Frame]):
    """Frames of a run in their order. `frames[12]` is that with the number 12; negative numbers count from the end."""

    def __init__(self, folder: Path):
        found = sorted((Frame(path) for path in (folder / "ply").glob("*.ply")), key=lambda frame: frame.number)
        self._frames = {frame.number: frame for frame in found}

    def __len__(self) -> int:
        return len(self._frames)

    def __iter__(self) -> Iterator[Frame]:
        return iter(self._frames.values())

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return list(self._frames.values())[number]
        if isinstance(number, (int, np.integer)) and -len(self) <= number < 0:
            return list(self._frames.values())[number]
        if not isinstance(number, (int, np.integer)) or number not in self._frames:
            numbers = list(self._frames)
            span = f"from {numbers[0]} to {numbers[-1]}" if numbers else "none"
            raise IndexError(f"frames: there is no frame {number}; there are {len(numbers)}, {span}")
        return self._frames[number]


@dataclass(frozen=True, repr=False, eq=False)
class Piece:
    """Piece of a run, cut from the body's mesh along its cracks. Triangles have three corners with attributes of their own."""

    name: str
    body: str
    #: Vertices in the frame of the piece, m: (v, 3).
    vertices: np.ndarray
    #: Indices of the corners of each triangle: (t, 3).
    faces: np.ndarray
    #: Texture coordinates of the corners: (t, 3, 2).
    texture_coordinates: np.ndarray
    #: Unit normals of the corners: (t, 3, 3).
    normals: np.ndarray
    #: Whether each triangle is on a crack: (t,).
    is_crack: np.ndarray
    #: Material slot of each triangle: (t,).
    slots: np.ndarray
    #: Indices of its particles.
    particles: np.ndarray
    #: Volume, m3.
    volume: float
    #: Whether it is a body before its first broken bond.
    is_whole: bool
    #: Numbers and times (s) of the frames: (f,).
    frames: np.ndarray
    times: np.ndarray
    #: Whether it is shown in each frame: (f,).
    shown: np.ndarray
    #: Rigid motion in each frame: (f, 4, 4) that take vertices (x, y, z, 1) to the world.
    transforms: np.ndarray

    def vertices_at(self, index: int) -> np.ndarray:
        """Vertices in the world in the frame at an index, m: (v, 3)."""
        turn, shift = self.transforms[index, :3, :3], self.transforms[index, :3, 3]
        return self.vertices @ turn.T + shift

    def __repr__(self) -> str:
        return f"Piece({self.name!r}, {len(self.faces)} triangles)"


class Run:
    """Run on disk, in the folder of `bdem simulate`. Files are read when they are asked for."""

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = Path(folder)
        if not (self.folder / "run.json").is_file():
            raise _bdem.OutputError(f"{self.folder}: holds no run: there is no run.json")

    @property
    def record(self) -> dict[str, Any]:
        """run.json: what was run, its state, counts and times."""
        try:
            return json.loads((self.folder / "run.json").read_text())
        except (OSError, ValueError) as error:
            raise _bdem.OutputError(f"{self.folder / 'run.json'}: cannot be read: {error}") from None

    @property
    def frames(self) -> Frames:
        """Frames."""
        return Frames(self.folder)

    @property
    def scene(self) -> Scene:
        """The scene as it was run, with every default."""
        return Scene(self.folder / "scene.resolved.toml")

    @property
    def metrics(self) -> Columns:
        """metrics.csv: energies, bonds and pieces at each frame."""
        return Columns.read(self.folder / "metrics.csv")

    @property
    def timings(self) -> Columns:
        """timings.csv: wall-clock time of each frame, s."""
        return Columns.read(self.folder / "timings.csv")

    @property
    def fractures(self) -> Columns:
        """fractures.csv: a row a broken bond."""
        return Columns.read(self.folder / "fractures.csv")

    @property
    def forces(self) -> Columns | None:
        """forces.csv: forces on named colliders and constraints, probes; None without them."""
        path = self.folder / "forces.csv"
        return Columns.read(path) if path.is_file() else None

    @property
    def load_curve(self) -> Columns | None:
        """Load (N) over deformation (m) and time (s) of a scene with a specimen, else None."""
        columns = _bdem.load_curve(self.folder)
        return None if columns is None else Columns(columns)

    @property
    def specimen(self) -> dict[str, Any] | None:
        """Results of the scene's material test, else None."""
        return self.record.get("specimen")

    def pieces(
        self,
        *,
        crack_smooth: float | None = None,
        crack_mesh: float | None = None,
        crack_noise: tuple[float, float] | None = None,
        min_particles: int | None = None,
    ) -> list[Piece]:
        """Pieces that the run ends in, and the bodies before they break, with their motion: what `bdem convert` writes.

        crack_smooth: smoothness of cracks, in particle radii, 0.5 to 5. crack_mesh: edge of their triangles, 0.5 to 4. crack_noise: amplitude
        and wavelength of their roughness, m. min_particles: of a piece with smooth cracks.
        """
        return [Piece(**piece) for piece in _bdem.cut(self.folder, crack_smooth, crack_mesh, min_particles, crack_noise)]

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"
