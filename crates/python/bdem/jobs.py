"""Fits, calibrations and sweeps."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _bdem
from .run import Columns, Run
from .scene import Scene


@dataclass(frozen=True)
class Fit:
    """Answer of a fit. Its text is what `bdem fit` prints."""

    text: str
    #: Value of each parameter by its key.
    parameters: dict[str, float]
    #: The same as `KEY=VALUE`.
    settings: list[str]
    loss: float
    evaluations: int
    #: Reason for the end.
    why: str

    def __str__(self) -> str:
        return self.text


def fit(
    file: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    residuals: Callable[[Run], Sequence[float]] | None = None,
    count: int = 0,
    digest: bytes | None = None,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
) -> Fit:
    """Finds parameters of a scene that reproduce what was seen: `bdem fit`.

    file: FIT.toml, as `bdem new fit` writes it. output: folder, by default out/fit/NAME.

    residuals: a function of a run that gives `count` numbers, for the methods gauss-newton and nelder-mead; the loss is the sum of
    their squares and those of the file's targets, of which there may be none. digest: bytes that change with what the function depends
    on, for resume; by default its code.
    """
    call = None
    if residuals is not None:
        if count < 1:
            raise ValueError("count: give the number of residuals, the same for every run")
        given = residuals

        def call(folder: Path) -> list[float]:
            values = np.asarray(given(Run(folder)), dtype=np.float64).ravel()
            if len(values) != count or not np.isfinite(values).all():
                raise ValueError(f"residuals: expected {count} finite numbers, got {values}")
            return values.tolist()

        if digest is None:
            code = getattr(residuals, "__code__", None)
            digest = hashlib.sha256(code.co_code + repr(code.co_consts).encode() if code else repr(residuals).encode()).digest()
    path = None if output is None else Path(output)
    text, answer = _bdem.fit(Path(file), path, _existing(resume, overwrite), threads, call, count, digest or b"")
    return Fit(text=text, **answer)


def loss(file: str | os.PathLike[str], values: Any, *, threads: int | None = None) -> tuple[float, np.ndarray]:
    """Loss of a fit's targets at `values` of its parameters, in their order, and its gradient by them: (p,).

    For optimisers of one's own: `scipy.optimize.minimize(lambda x: bdem.loss("fit.toml", x), x0, jac=True)`.
    """
    sum_, slopes = _bdem.loss(Path(file), np.asarray(values, dtype=np.float64).ravel().tolist(), threads)
    return sum_, np.array(slopes)


@dataclass(frozen=True)
class Material:
    """Answer of a calibration. Its text is what `bdem calibrate` prints."""

    text: str
    #: Keys of the material: moduli and strengths (Pa), fracture_energy (J/m2) or None.
    material: dict[str, float | None]
    #: Properties outside their tolerances on seeds and a radius that the calibration did not see, in words.
    misses: list[str]
    #: File of the material (TOML).
    file: Path
    #: Number of rounds of tests.
    rounds: int

    def __str__(self) -> str:
        return self.text


def calibrate(
    target: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
) -> Material:
    """Finds the keys of a material whose solid has given properties: `bdem calibrate`. target: a TOML as `bdem new calibrate` writes it."""
    path = None if output is None else Path(output)
    text, facts = _bdem.calibrate(Path(target), path, _existing(resume, overwrite), threads)
    return Material(text=text, **facts)


def sweep(
    scene: Scene | str | os.PathLike[str] | Mapping[str, Any],
    vary: Mapping[str, Sequence[Any]] | None = None,
    *,
    seeds: Sequence[int] = (),
    output: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    client: Any = None,
) -> Columns:
    """Runs a scene with all combinations of values and seeds, a folder each, and returns the table: sweep.csv.

    vary: lists of values by keys. seeds: values of scene.seed. output: folder, by default out/sweep/NAME. jobs: runs at once, which share
    the threads; by default as many as cores and memory allow. A run that fails is a row of the state "failed" with its error.

    client: where runs are submitted instead, such as a `dask.distributed.Client` or a `concurrent.futures.ProcessPoolExecutor` of spawned
    processes. It needs the folder and the scene's files at the same paths; `threads` are those of a run, by default one. Runs resume,
    so that one whose worker was killed goes on from its checkpoint.
    """
    if not isinstance(scene, Scene):
        scene = Scene(scene)
    existing = _existing(resume, overwrite)
    folder = Path("out", "sweep", scene.name) if output is None else Path(output)
    path, settings = scene._path, scene._set()
    if scene._text is not None:
        # runs need a file
        folder.mkdir(parents=True, exist_ok=True)
        path, settings = folder / "scene.toml", []
        path.write_text(scene.to_toml())
    varied = [(key, [_bdem.toml_value(key, value) for value in values]) for key, values in (vary or {}).items()]
    checked = _bdem.Sweep(path, settings, varied, list(seeds))
    if client is None:
        table, _ = checked.run(folder, existing, threads, jobs)
        return Columns.read(Path(table))
    folder.mkdir(parents=True, exist_ok=True)
    where, one = path.absolute(), "overwrite" if overwrite else "resume"
    futures = [client.submit(_run, where, own, folder.absolute() / name, one, threads or 1) for name, own in checked.points]
    failures = {name: _outcome(future) for (name, _), future in zip(checked.points, futures)}
    table = Columns.read(Path(checked.write_table(folder)))
    if any(failures.values()):
        states, errors = table["state"].astype(object), table["error"].astype(object)
        for row, (name, _) in enumerate(checked.points):
            if failures[name]:
                states[row], errors[row] = "failed", failures[name]
        table["state"], table["error"] = states, errors
    return table


def _run(path: Path, settings: list[str], folder: Path, existing: str, threads: int) -> None:
    """A run of a sweep, in a worker."""
    _bdem.simulate(_bdem.Scene(path, None, settings), folder, existing, threads, None, None)


def _outcome(future: Any) -> str:
    """Error of a run, empty without one."""
    try:
        future.result()
    except Exception as error:
        return str(error) or type(error).__name__
    return ""


def _existing(resume: bool, overwrite: bool) -> str:
    if resume and overwrite:
        raise ValueError("overwrite: what is there is either resumed or overwritten")
    return "resume" if resume else "overwrite" if overwrite else "keep"
