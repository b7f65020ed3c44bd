"""What a hurried or a hostile caller gives: exceptions, and never the end of the interpreter."""

import copy
import pickle

import bdem
import numpy as np
import pytest
from conftest import BALLS, SCENES


def _itself() -> list:
    value: list = []
    value.append(value)
    return value


class Endless:
    def tolist(self):
        return [Endless()]


@pytest.mark.parametrize("value", [_itself(), Endless()])
def test_values_without_an_end_are_refused(slab, value):
    with pytest.raises((ValueError, TypeError)):
        slab["bodies.slab.position"] = value


def test_long_doubles_are_numbers(slab):
    slab["materials.ceramic.density"] = np.longdouble(2500)
    assert slab["materials.ceramic.density"] == 2500.0


def test_keys_with_values_are_refused(slab):
    with pytest.raises(ValueError, match="no key of a scene"):
        slab["time.frames = 3 #"] = 7
    with pytest.raises(TypeError, match="keys are texts"):
        slab[0]


def test_the_last_value_counts():
    scene = bdem.Scene(SCENES / "slab.toml")
    for key, speed in [("slab", -1.0), ("0", -2.0), ("slab", -3.0)]:
        scene[f"bodies.{key}.velocity"] = [0.0, 0.0, speed]
    assert scene["bodies.slab.velocity"] == [0.0, 0.0, -3.0]


@pytest.mark.parametrize("threads", [0, -1, 5000, 2**62])
def test_numbers_of_threads_are_bounded(slab, threads):
    with pytest.raises(ValueError, match="threads: .* is not from 1 to 1024"):
        bdem.Simulation(slab, threads=threads)


def _block(places):
    return {**BALLS, "bodies": [{"name": "block", "material": "rubber", "packing": bdem.Particles(places, 0.01)}]}


def test_absurd_sizes_are_errors_of_the_scene():
    with pytest.raises(bdem.SceneError):
        bdem.Scene(_block([[0.0, 0.0, 0.0], [1e200, 0.0, 0.0]]))


def test_runs_of_arrays_resume_and_are_read_without_them(tmp_path):
    places = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]
    run = bdem.simulate(_block(places), tmp_path / "out")
    assert bdem.simulate(_block(places), tmp_path / "out", resume=True).record["frames"] == 3
    assert run.scene.name == "balls"


def test_scenes_are_copied_and_sent(slab):
    for again in (copy.deepcopy(slab), pickle.loads(pickle.dumps(slab)), slab.copy()):
        assert again.resolved() == slab.resolved()


@pytest.mark.parametrize(
    "header",
    [
        "element vertex abc",
        "element vertex 99999999999999",
        "element vertex 1\nproperty quad x",
        "element vertex 1\nproperty float x\nproperty float x",
        "property float x",
        "element",
    ],
)
def test_damaged_frames_are_errors(tmp_path, header):
    (tmp_path / "f.0001.ply").write_text(f"ply\nformat binary_little_endian 1.0\n{header}\nend_header\n")
    with pytest.raises(bdem.OutputError, match="no whole frame"):
        bdem.Frame(tmp_path / "f.0001.ply").positions


def test_damaged_tables_are_errors(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,2\n\n3,4\n\n")
    assert bdem.Columns.read(table)["b"].tolist() == [2, 4]
    table.write_text("a,b\n1,2\n3\n")
    with pytest.raises(bdem.OutputError, match="row 3 has 1 cells, and the header 2"):
        bdem.Columns.read(table)
    table.write_text("a\n99999999999999999999999\n")
    assert bdem.Columns.read(table)["a"][0] == 1e23
