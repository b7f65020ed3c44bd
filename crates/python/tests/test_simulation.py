import multiprocessing
import os
import subprocess
import sys

import bdem
import numpy as np
import pytest
from conftest import BALLS, SCENES, SMALL


def test_frames_are_those_of_a_run(run, slab):
    simulation = bdem.Simulation(slab, threads=2)
    positions = simulation.positions
    simulation.advance(12)
    assert simulation.frame == 12 and np.shares_memory(positions, simulation.positions)
    assert np.array_equal(positions.astype(np.float32), run.frames[12].positions)
    assert np.array_equal(simulation.pieces, run.frames[12].pieces)
    assert simulation.bonds_broken == run.metrics["bonds_broken"][-1]
    assert len(simulation.bonds["ids"]) == run.metrics["bonds"][-1]
    with pytest.raises(ValueError, match="read-only"):
        positions[0] = 0.0


def test_velocities_that_are_assigned_move_the_particles():
    scene = bdem.Scene({**BALLS, "bodies": [{**BALLS["bodies"][0], "packing": bdem.Particles([[0, 0, 0], [1, 0, 0]], 0.1)}]})
    simulation = bdem.Simulation(scene, threads=1)
    simulation.velocities = [[-1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
    simulation.angular_velocities = [[0.0, 0.0, 3.0], [0.0, 0.0, 0.0]]
    simulation.advance()
    assert np.allclose(simulation.positions, [[-0.01, 0, 0], [1, 0.02, 0]], atol=1e-14)
    mass = 1000.0 * 4.0 / 3.0 * np.pi * 0.1**3
    spin = 0.5 * 0.4 * mass * 0.1**2 * 9.0
    assert simulation.energy["work_loads"] == pytest.approx(0.5 * mass * 5.0 + spin)
    assert simulation.energy["total"] == pytest.approx(0.5 * mass * 5.0 + spin)
    assert abs(simulation.energy["unaccounted"]) < 1e-12


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([[1.0, 2.0]], r"velocities: the shape is \[1, 2\]"),
        (np.full((1039, 3), np.inf), "velocities: row 0 has inf"),
        ("fast", "velocities: no array of numbers"),
        (np.zeros((1039, 3), dtype=complex) + 1j, "velocities"),
        (None, "velocities"),
    ],
)
def test_wrong_velocities_name_the_argument(slab, value, words):
    simulation = bdem.Simulation(slab)
    with pytest.raises((TypeError, ValueError), match=words):
        simulation.velocities = value


def test_a_scene_that_changes_under_its_simulation_is_an_error(slab):
    simulation = bdem.Simulation(slab)
    slab["time.frames"] = 3
    with pytest.raises(bdem.SceneError, match="changed after this simulation"):
        simulation.advance()


def test_zero_threads_are_refused(slab):
    with pytest.raises(ValueError, match="threads: 0 is not from 1"):
        bdem.Simulation(slab, threads=0)


FORK = """
import bdem, os, sys
scene = bdem.Scene(sys.argv[1])
child = os.fork()
if child == 0:
    try:
        bdem.Simulation(scene)
    except RuntimeError as error:
        os._exit(0 if "spawn" in str(error) else 3)
    os._exit(2)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_calls_after_a_fork_raise():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORK, SCENES / "slab.toml"], check=True)


def _broken(seed: int) -> int:
    simulation = bdem.Simulation(bdem.Scene(SCENES / "slab.toml", {**SMALL, "scene.seed": seed}), threads=1)
    simulation.advance(6)
    return simulation.bonds_broken


def test_spawned_processes_work():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        counts = pool.map(_broken, [1, 2])
    assert counts == [_broken(1), _broken(2)] and counts[0] != counts[1]
