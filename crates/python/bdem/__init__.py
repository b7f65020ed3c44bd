"""bdem from Python: fracture by the Bonded Discrete Element Method.

    import bdem
    scene = bdem.Scene("plate.toml")
    scene["materials.ceramic.tensile_strength"] = 5e6
    print(scene.check())
    run = bdem.simulate(scene, "out/plate", threads=2, resume=True)
    run.frames[-1].positions          # (n, 3), m
    run.metrics["bonds_broken"]       # a column; pandas.DataFrame(run.metrics) takes them all

Units are m, kg, s, N, Pa and J. Arrays of particles have a row a particle, in the order of the frames. What is computed and checked is
the program's: the same files, the same bits, the same errors.

    Scene        a scene, with values set by their keys
    new          writes a scene to start from
    Particles    a packing of one's own, from arrays
    simulate     runs a scene, with its files
    Simulation   a run without files, frame by frame
    Run          a run on disk: frames, tables, pieces
    sweep        runs of several values and seeds, here or on a cluster
    fit          parameters that reproduce what was seen; `loss` for optimisers of one's own
    calibrate    keys of a material from the properties of its solid

A process that has imported bdem must not fork and go on calling it: use the start method "spawn" of multiprocessing.
"""

from ._bdem import BdemError, Moment, OutputError, SceneError, SolverError, __version__
from .jobs import Fit, Material, calibrate, fit, loss, sweep
from .run import Columns, Frame, Piece, Run, simulate
from .scene import Particles, Report, Scene, new
from .simulation import Simulation

__all__ = [
    "BdemError",
    "Columns",
    "Fit",
    "Frame",
    "Material",
    "Moment",
    "OutputError",
    "Particles",
    "Piece",
    "Report",
    "Run",
    "Scene",
    "SceneError",
    "Simulation",
    "SolverError",
    "__version__",
    "calibrate",
    "fit",
    "loss",
    "new",
    "simulate",
    "sweep",
]
