#!/usr/bin/env python3
"""Times the forces of like charges in a box by OpenMM's CPU platform: python3 openmm_charges.py [CHARGES] [THREADS] [REPEATS]

The points are those of `bdem study charges` and of the rows "box" in its table. Needs `pip install openmm numpy`. All pairs
(NoCutoff), without Lennard-Jones terms. Prints the minimum of a force's time by the clock
and of the processor, ordered pairs a second by the latter and thread, and the relative
errors of the forces at a sample of charges by sums in double precision: OpenMM's CPU platform computes in single precision.
"""

import math
import sys
import time

import numpy as np
import openmm
from openmm import unit

from points import points

SAMPLE = 200
KC = 138.935456  # kJ nm/(mol e^2)


def exact(x, i):
    d = x[i] - np.delete(x, i, axis=0)
    return KC * (d / (np.sum(d * d, axis=1) ** 1.5)[:, None]).sum(axis=0)


def main():
    n, threads, repeats = (int(a) for a in (sys.argv[1:] + ["100000", "1", "3"][len(sys.argv) - 1 :]))
    x = points(n)
    system, force = openmm.System(), openmm.NonbondedForce()
    force.setNonbondedMethod(openmm.NonbondedForce.NoCutoff)
    for _ in range(n):
        system.addParticle(1.0)
        force.addParticle(1.0, 1.0, 0.0)
    system.addForce(force)
    integrator = openmm.VerletIntegrator(0.001)
    platform = openmm.Platform.getPlatformByName("CPU")
    context = openmm.Context(system, integrator, platform, {"Threads": str(threads)})
    best, least = math.inf, math.inf
    for _ in range(repeats):
        context.setPositions(x)
        start, used = time.perf_counter(), time.process_time()
        state = context.getState(getForces=True)
        best, least = min(best, time.perf_counter() - start), min(least, time.process_time() - used)
    forces = state.getForces(asNumpy=True).value_in_unit(unit.kilojoule_per_mole / unit.nanometer)
    sample = range(0, n, -(-n // SAMPLE))
    right = np.array([exact(x, i) for i in sample])
    off = forces[list(sample)] - right
    norms = np.linalg.norm(off, axis=1), np.linalg.norm(right, axis=1)
    glob, median = np.linalg.norm(norms[0]) / np.linalg.norm(norms[1]), np.median(norms[0] / norms[1])
    print(f"OpenMM {openmm.version.version}, CPU, {threads} threads, {n} charges")
    print(f"{best:.4f} s by the clock, {least:.4f} s of the processor, {n * n / least:.3e} ordered pairs/s and thread")
    print(f"global error {glob:.2e}, median {median:.2e}")


main()
