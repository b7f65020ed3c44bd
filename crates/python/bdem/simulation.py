"""Runs without files."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _bdem
from .scene import Scene


class Simulation:
    """Run of a scene without files, frame by frame.

    Arrays of the state (`positions`, `orientations`, `velocities`, `angular_velocities`) are the same memory at every read, may not be
    written to, and show the state of the last frame: copy what is to stay. Velocities may be assigned.
    """

    def __init__(self, scene: Scene, *, threads: int | None = None):
        if not isinstance(scene, Scene):
            scene = Scene(scene)
        self._scene, self._version = scene, scene._version
        self._inner = _bdem.Simulation(scene._load(), threads)

    def advance(self, frames: int = 1) -> None:
        """Advances by frames. Ctrl-C stops between two steps. Raises SolverError when the solver gives up."""
        if self._scene._version != self._version:
            raise _bdem.SceneError("scene: it was changed after this simulation had begun: begin another, or change a copy of the scene")
        self._inner.advance(frames)

    @property
    def frame(self) -> int:
        """Number of the frame."""
        return self._inner.frame

    @property
    def time(self) -> float:
        """Time, s."""
        return self._inner.time

    @property
    def positions(self) -> np.ndarray:
        """Positions, m: (n, 3)."""
        return self._inner.positions

    @property
    def orientations(self) -> np.ndarray:
        """Orientations, unit quaternions x, y, z, w from body to world: (n, 4)."""
        return self._inner.orientations

    @property
    def velocities(self) -> np.ndarray:
        """Velocities, m/s: (n, 3). What is assigned replaces them, but for held particles; its work is that of loads."""
        return self._inner.velocities

    @velocities.setter
    def velocities(self, value: Any) -> None:
        self._inner.velocities = value

    @property
    def angular_velocities(self) -> np.ndarray:
        """Angular velocities in the world frame, rad/s: (n, 3). May be assigned likewise."""
        return self._inner.angular_velocities

    @angular_velocities.setter
    def angular_velocities(self, value: Any) -> None:
        self._inner.angular_velocities = value

    @property
    def pieces(self) -> np.ndarray:
        """Number of each particle's piece, the smallest index of a particle in it: (n,)."""
        return self._inner.pieces

    @property
    def bonds(self) -> dict[str, np.ndarray]:
        """Whole bonds by column: ids (m,), indices (m, 2), forces on the first particle and moments about it (N, N m; m, 3), sigma, tau (Pa; m,)."""
        return self._inner.bonds

    @property
    def bonds_broken(self) -> int:
        """Number of broken bonds."""
        return self._inner.bonds_broken

    @property
    def energy(self) -> dict[str, float]:
        """Energies and flows by their names in metrics.csv, J."""
        return self._inner.energy

    @property
    def radii(self) -> np.ndarray:
        """Radii, m: (n,)."""
        return self._inner.radii

    @property
    def masses(self) -> np.ndarray:
        """Masses, kg: (n,)."""
        return self._inner.masses

    @property
    def bodies(self) -> np.ndarray:
        """Index of each particle's body in the scene: (n,)."""
        return self._inner.bodies

    def given(self, values: np.ndarray, body: int | str = 0) -> np.ndarray:
        """Rows of an array by particle that are of a body, in the order of the body's file or `Particles`."""
        names = self._scene._load().bodies
        if body not in names and body not in range(len(names)):
            raise ValueError(f"body: {body!r} is none of {', '.join(names)}")
        if isinstance(body, str):
            body = names.index(body)
        values = np.asarray(values)
        if values.shape[:1] != self._inner.bodies.shape:
            raise ValueError(f"values: expected a row for each of {len(self._inner.bodies)} particles, not the shape {values.shape}")
        members = np.flatnonzero(self._inner.bodies == body)
        ordered = np.empty_like(values[members])
        ordered[self._inner.rows[members]] = values[members]
        return ordered
