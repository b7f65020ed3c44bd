#!/usr/bin/env python3
"""Three-point bending by finite elements with cohesive elements in akantu: python3 akantu_bending.py [G_C [SIZE...]]

Needs numpy, akantu and gmsh (pip install akantu gmsh; in Debian also libglu1-mesa). Linear tetrahedra of SIZE, m.
Where the traction between two reaches the strength, an extrinsic cohesive element is inserted: its traction falls
linearly, to none at G_C, J/m2. Shear counts by the scene's ratio of strengths.

Supports are two lines of nodes at the bottom, the press a strip on top, held vertically only. Facets open in the
middle only, below the press. The beam is bent by statics until the first one opens, then by dynamics at the scene's
speed.
"""

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import akantu as aka
import gmsh
import numpy as np

import beam

SIZES = [0.021, 0.0118, 0.0088]  # m; for some 400, 1800 and 3800 nodes
TOUGHNESS = 1.0  # G_c, J/m2: a fracture process zone of E G_c/sigma^2 = 11 mm
CRACK = 0.05  # m; facets open within this distance of the middle
DRAG = 100.0  # 1/s; as in lammps_peridynamics.py
STATIC = 0.01  # relative step of the deflection in statics
STABLE = 0.8  # share of akantu's estimate of a stable step
INTERVAL = 20  # steps between two points of the curve
CHECK = 5  # steps between two checks of the facets' traction, one of which takes as long as four to eight steps
DEPTH = 3e-3  # m, of the press at most

SOLID = "material elastic [\n name = beam\n rho = {rho}\n E = {e}\n nu = {nu}\n]\n"
FACET = "material cohesive_linear [\n name = crack\n sigma_c = {sigma}\n G_c = {g}\n beta = {beta}\n penalty = {k}\n]\n"


def mesh(size, path):
    """Tetrahedra of a box with lines of nodes for the supports and the press."""
    gmsh.initialize()
    gmsh.option.setNumber("General.Verbosity", 1)
    gmsh.option.setNumber("Mesh.MshFileVersion", 2.2)
    geo, l, b, h = gmsh.model.geo, beam.LENGTH / 2, beam.WIDTH / 2, beam.HEIGHT / 2
    bottom, top = [-l, -beam.SUPPORT, beam.SUPPORT, l], [l, beam.PRESS, -beam.PRESS, -l]
    points = [geo.addPoint(x, -b, z, size) for row, z in ((bottom, -h), (top, h)) for x in row]
    lines = [geo.addLine(a, c) for a, c in zip(points, points[1:] + points[:1])]
    side = geo.addPlaneSurface([geo.addCurveLoop(lines)])
    solid = [tag for dim, tag in geo.extrude([(2, side)], 0, 2 * b, 0) if dim == 3]
    geo.synchronize()
    gmsh.model.addPhysicalGroup(3, solid, name="beam")
    gmsh.model.mesh.generate(3)
    gmsh.write(str(path))
    gmsh.finalize()


class Model:
    """Beam of tetrahedra, its supports and press."""

    def __init__(self, toughness, size, folder):
        mesh(size, folder / "beam.msh")
        words = dict(rho=beam.DENSITY, e=beam.E, nu=beam.NU, sigma=beam.SIGMA, beta=beam.SHEAR / beam.SIGMA)
        (folder / "materials.dat").write_text((SOLID + FACET).format(g=toughness, k=beam.E / size, **words))
        aka.parseInput(str(folder / "materials.dat"))
        self.mesh = aka.Mesh(3)
        self.mesh.read(str(folder / "beam.msh"))
        self.model = aka.SolidMechanicsModelCohesive(self.mesh)
        self.model.initFull(_analysis_method=aka._static, _is_extrinsic=True)
        self.model.initNewSolver(aka._explicit_lumped_mass)
        inserter = self.model.getElementInserter()
        inserter.setLimit(aka._x, -CRACK, CRACK)
        inserter.setLimit(aka._z, -beam.HEIGHT, beam.HEIGHT / 2 - beam.PRESS)
        self.model.updateAutomaticInsertion()
        self.rest = self.mesh.getNodes().copy()
        (x, y, z), eps, blocked = self.rest.T, 1e-9, self.model.getBlockedDOFs()
        self.press = np.flatnonzero((abs(x) < beam.PRESS + eps) & (z > beam.HEIGHT / 2 - eps))
        blocked[(abs(abs(x) - beam.SUPPORT) < eps) & (z < -beam.HEIGHT / 2 + eps), 2] = True
        blocked[self.press, 2] = True
        # two nodes of the press hold the rigid motions that are left
        blocked[self.press[np.argmin(np.hypot(x, y)[self.press])], :2] = True
        blocked[self.press[np.argmax((abs(y) - abs(x))[self.press])], 0] = True

    def load(self):
        return self.model.getInternalForce()[self.press, 2].sum()

    def sunk(self):
        return beam.deflection(self.rest, self.rest + self.model.getDisplacement()[: len(self.rest)])

    def bend(self, run):
        """Statics until a facet opens. Returns the displacement of the press, m."""
        solver = self.model.getNonLinearSolver("static")
        solver.set("max_iterations", 10)
        solver.set("threshold", 1e-8)
        solver.set("convergence_type", aka.SolveConvergenceCriteria.residual)
        depth, displacement = 1e-4, self.model.getDisplacement()
        displacement[self.press, 2] = -depth
        self.model.solveStep("static")
        while self.model.checkCohesiveStress() == 0:  # the beam is linear up to there
            depth *= 1.0 + STATIC
            displacement *= 1.0 + STATIC
            self.model.assembleInternalForces()
            run.add(self.sunk(), self.load(), False)
        return depth

    def crack(self, run, depth):
        """Dynamics from then on. Returns the deflection at which a facet has parted, m, energies and work, J."""
        model, last, parted = self.model, self.load(), float("nan")
        step, work, drag = STABLE * model.getStableTimeStep(), 0.5 * last * depth, 0.0
        model.setTimeStep(step)
        model.assembleMassLumped()
        model.getVelocity()[:] = model.getDisplacement() * (beam.SPEED / depth)
        while depth < DEPTH:
            for k in range(INTERVAL):
                depth += beam.SPEED * step
                model.getDisplacement()[self.press, 2] = -depth
                velocity, pull = model.getVelocity(), model.getExternalForce()
                np.multiply(model.getMass(), -DRAG * velocity, out=pull)
                drag -= step * (pull * velocity).sum()
                model.solveStep("explicit_lumped")
                if k % CHECK == 0:
                    model.checkCohesiveStress()
                before, last = last, self.load()
                work += 0.5 * (before + last) * beam.SPEED * step
            damage = model.getMaterial("crack").getInternalReal("damage")(aka._cohesive_3d_6)
            if parted != parted and damage.max(initial=0.0) > 0.999:
                parted = self.sunk()
            if not run.add(self.sunk(), last, True):
                break
        kinds = ("potential", "kinetic", "reversible", "dissipated", "contact")
        return parted, {"drag": drag, **{kind: model.getEnergy(kind) for kind in kinds}}, work


def bend(toughness, size):
    with tempfile.TemporaryDirectory() as folder:
        run = beam.Run("")
        model = Model(toughness, size, Path(folder))
        run.label = f"{len(model.rest)} nodes"
        parted, energy, work = model.crack(run, model.bend(run))
    account = ", ".join(f"{key} {1e3 * value:.3f}" for key, value in energy.items())
    note = f"{run.label}: a facet has parted at {1e3 * parted:.4f} mm. Work {1e3 * work:.3f} mJ; {account}; "
    return run.finish(), note + f"unaccounted {1e3 * (work - sum(energy.values())):.3f}"


toughness, *sizes = map(float, sys.argv[1:] or [TOUGHNESS])
versions = f"akantu {version('akantu')}, gmsh {version('gmsh')}"
beam.header(f"Finite elements with cohesive elements, G_c = {toughness} J/m2", versions)
runs, notes = zip(*[bend(toughness, size) for size in sizes or SIZES])
beam.spread(runs)
print("", *notes, sep="\n")
