import subprocess
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import bdem
import numpy as np
import pytest
from conftest import SCENES
from scipy.optimize import minimize

BEAM = """
[scene]
name = "beam"
gravity = [0.0, 0.0, -9.81]
[time]
frame_rate = 100.0
frames = 4
integrator = "implicit-bdf2"
step = 0.005
[materials.rubber]
density = 1000.0
young_modulus = 2e6
poisson_ratio = 0.25
[[bodies]]
name = "beam"
material = "rubber"
particle_radius = 0.01
packing = "hexagonal"
shape = { box = { size = [0.2, 0.04, 0.04] } }
[[constraints]]
body = "beam"
region = { box = { min = [-0.11, -1.0, -1.0], max = [-0.08, 1.0, 1.0] } }
motion = "fixed"
[[output.probes]]
name = "tip"
region = { box = { min = [0.08, -1.0, -1.0], max = [0.11, 1.0, 1.0] } }
"""

FIT = """
[fit]
name = "beam"
scene = "beam.toml"
method = "{method}"
evaluations = 20
[[parameters]]
key = "materials.rubber.young_modulus"
bounds = [1e6, 1e7]
start = 4e6
{targets}
"""


@pytest.fixture
def beam(tmp_path):
    (tmp_path / "beam.toml").write_text(BEAM)
    return tmp_path


def _sag(run: bdem.Run) -> float:
    return float(run.frames[-1].positions[:, 2].min())


def test_a_fit_takes_residuals_of_python(beam):
    target = _sag(bdem.simulate(beam / "beam.toml", beam / "seen"))
    (beam / "fit.toml").write_text(FIT.format(method="gauss-newton", targets=""))
    answer = bdem.fit(beam / "fit.toml", beam / "fit", residuals=lambda run: [1e3 * (_sag(run) - target)], count=1)
    assert answer.parameters["materials.rubber.young_modulus"] == pytest.approx(2e6, rel=0.01)
    assert "loss" in str(answer) and answer.evaluations > 2
    with pytest.raises(ValueError, match="count"):
        bdem.fit(beam / "fit.toml", beam / "again", residuals=lambda run: [0.0])
    with pytest.raises(bdem.BdemError, match="expected 2 finite numbers"):
        bdem.fit(beam / "fit.toml", beam / "again", residuals=lambda run: [0.0], count=2, overwrite=True)


def test_gradients_drive_other_optimisers(beam):
    seen = bdem.simulate(beam / "beam.toml", beam / "seen")
    targets = f'[[targets]]\nframes = "{seen.folder}"\n'
    (beam / "fit.toml").write_text(FIT.format(method="lbfgs", targets=targets))
    (low, slope), (high, _) = bdem.loss(beam / "fit.toml", [4e6]), bdem.loss(beam / "fit.toml", [4e6 + 400.0])
    assert slope[0] == pytest.approx((high - low) / 400.0, rel=1e-2)
    scaled = minimize(
        lambda x: tuple(np.array(part) * scale for part, scale in zip(bdem.loss(beam / "fit.toml", x * 1e6), (1e9, 1e15))),
        [4.0],
        jac=True,
        bounds=[(1.0, 10.0)],
    )
    assert scaled.x[0] == pytest.approx(2.0, rel=0.02)
    with pytest.raises(ValueError, match="2 values are given for the fit's 1 parameters"):
        bdem.loss(beam / "fit.toml", [1.0, 2.0])


STRENGTHS = {"materials.ceramic.tensile_strength": [2e6, 6e6]}
COARSE = {"bodies.slab.particle_radius": 0.006, "time.frames": 6}


def test_a_sweep_is_a_table(tmp_path):
    scene = bdem.Scene(SCENES / "slab.toml", COARSE)
    table = bdem.sweep(scene, STRENGTHS, seeds=[1, 2], output=tmp_path / "sweep", jobs=2, threads=2)
    assert table.rows == 4 and set(table["state"]) == {"finished"}
    key = "materials.ceramic.tensile_strength"
    weak, strong = (table["bonds_broken"][table[key] == value].mean() for value in STRENGTHS[key])
    assert weak > strong
    again = bdem.sweep(scene, STRENGTHS, seeds=[1, 2], output=tmp_path / "sweep", resume=True)
    assert np.array_equal(again["bonds_broken"], table["bonds_broken"])
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as client:
        other = bdem.sweep(scene, STRENGTHS, seeds=[1, 2], output=tmp_path / "other", client=client)
    assert np.array_equal(other["bonds_broken"], table["bonds_broken"])


def test_wrong_sweeps_name_the_key(tmp_path, slab):
    with pytest.raises(ValueError, match="the list is empty"):
        bdem.sweep(slab, {"time.frames": []}, output=tmp_path)
    with pytest.raises((ValueError, bdem.SceneError), match="framez"):
        bdem.sweep(slab, {"time.framez": [1, 2]}, output=tmp_path)


def test_strengths_for_a_number_of_pieces(slab):
    tensile, shear = slab.tune(8)["ceramic"]
    assert tensile > 0.0 and shear > 0.0
