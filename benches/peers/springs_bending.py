#!/usr/bin/env python3
"""Three-point bending by our springs and our bonds: python3 springs_bending.py BDEM

BDEM is the program. Needs numpy. The springs are the mass-spring system with two rings of neighbours that [BDEM21]
Figs 17 and 19 compare bonds with (scenes/three_point_springs.toml), the bonds those of
scenes/three_point_bending.toml. The radii are those of `bdem study bending`. A spring is as stiff against stretch as
a bond between touching particles, pi/2 E r.
"""

import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import beam

RADII = [0.008474, 0.0057, 0.002755]  # m, those of crates/studies/src/bending.rs


def frame(path):
    """Positions (m) of a frame's particles, and their radii."""
    head, body = path.read_bytes().split(b"end_header\n", 1)
    names = {"float": "<f4", "int": "<i4"}
    rows = [line.split() for line in head.decode().splitlines() if line.startswith("property")]
    vertices = np.frombuffer(body, [(name, names[kind]) for _, kind, name in rows])
    return np.stack([vertices[axis] for axis in "xyz"], 1).astype(float), vertices["pscale"]


def rows(path):
    with path.open() as lines:
        return list(csv.DictReader(lines))


def bend(program, scene, radius, folder):
    """Run of a scene with beam particles of `radius`, m."""
    settings = [f"bodies.beam.particle_radius={radius}", "constraints.0.name=press", "output.forces_every=1"]
    settings += [f"time.until.load_below_peak={beam.FALLEN}", "time.until.of=press", "time.until.peak_above=10"]
    if scene == "three_point_springs":
        settings += [f"bodies.beam.springs.stiffness={0.5 * math.pi * beam.E * radius}"]
    words = [program, "simulate", str(beam.SCENES / f"{scene}.toml"), "--quiet", "--threads", "1", "-o", str(folder)]
    run = beam.Run("")
    subprocess.run(words + [word for s in settings for word in ("--set", s)], check=True)
    return measure(run, scene, folder)


def measure(run, scene, folder):
    metrics, paths = rows(folder / "metrics.csv"), sorted((folder / "ply").glob("*.ply"))
    first, pscale = frame(paths[0])
    ours = np.isclose(pscale, pscale[0])
    rest, size = first[ours], 2.0 * pscale[0]
    run.label, run.section = f"{len(rest)} particles", np.ptp(rest[:, 1:], axis=0) + size
    broken = [float(row["time"]) for row in rows(folder / "fractures.csv")]
    crack = min(broken, default=math.inf)
    times = [float(row["time"]) for row in metrics]
    sunk = [beam.deflection(rest, frame(path)[0][ours]) for path in paths]
    for row in rows(folder / "forces.csv")[1:]:
        now = float(row["time"])
        # from the two frames before: a crack parts the beam within a frame
        last = max(np.searchsorted(times, now) - 1, 1)
        rate = (sunk[last] - sunk[last - 1]) / (times[last] - times[last - 1])
        if not run.add(sunk[last] + rate * (now - times[last]), float(row["press.force_z"]), now >= crack):
            break
    return run.finish()


def main(program):
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    for scene in ("three_point_springs", "three_point_bending"):
        beam.header(scene, version)
        runs = []
        for radius in RADII:
            with tempfile.TemporaryDirectory() as name:
                runs.append(bend(program, scene, radius, Path(name) / "run"))
        beam.spread(runs)


main(sys.argv[1])
