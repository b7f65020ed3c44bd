import math

import bdem
import numpy as np
import pytest
from conftest import BALLS, SCENES


def test_values_are_set_by_their_keys(slab):
    assert slab["bodies.slab.particle_radius"] == 0.004
    slab["materials.ceramic.tensile_strength"] = np.float64(5e6)
    assert slab["materials.ceramic.tensile_strength"] == 5e6
    assert slab["time.frames"] == 12
    del slab["materials.ceramic.tensile_strength"]
    assert slab["materials.ceramic.tensile_strength"] != 5e6
    with pytest.raises(KeyError, match="there is no nowhere"):
        slab["materials.nowhere"]


def test_a_scene_is_a_dict(tmp_path):
    scene = bdem.Scene({**BALLS, "bodies": [{**BALLS["bodies"][0], "particle_radius": 0.01, "shape": {"sphere": {"radius": 0.05}}}]})
    assert scene.name == "balls" and scene["materials.rubber.density"] == 1000.0
    again = tmp_path / "again.toml"
    again.write_text(scene.to_toml())
    assert bdem.Scene(again).resolved() == scene.resolved()
    assert math.isinf(scene["materials.rubber.tensile_strength"])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"bodies.slab.particle_radius": -1.0}, ["particle_radius", "-1.0", "positive"]),
        ({"bodies.slab.particle_radios": 1.0}, ["particle_radios", "particle_radius"]),
        ({"time.frames": "many"}, ["frames", "many"]),
    ],
)
def test_a_wrong_value_names_key_and_value(settings, words):
    with pytest.raises(bdem.SceneError) as error:
        bdem.Scene(SCENES / "slab.toml", settings)
    assert all(word in str(error.value) for word in words), error.value


def test_errors_name_file_and_line(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text((SCENES / "slab.toml").read_text().replace("density =", "densitty =", 1))
    with pytest.raises(bdem.SceneError, match=r"wrong\.toml:\d+:\d+"):
        bdem.Scene(path)
    with pytest.raises(bdem.SceneError, match="nowhere.toml"):
        bdem.Scene("nowhere.toml")


def test_values_that_no_scene_has_are_refused(slab):
    with pytest.raises(TypeError, match="materials.x: a value of type object"):
        slab["materials.x"] = object()
    with pytest.raises(ValueError, match="beyond 64 bits"):
        slab["time.frames"] = 2**70


def test_templates_are_scenes_to_start_from(tmp_path):
    path = bdem.new("mesh", tmp_path / "shots" / "first.toml")
    assert bdem.Scene(path)["bodies"] and (path.parent / "star.obj").exists()
    with pytest.raises(FileExistsError, match="first.toml"):
        bdem.new("mesh", path)
    with pytest.raises(ValueError, match="nothing is none of drop"):
        bdem.new("nothing")


def test_a_check_has_the_facts(slab):
    report = slab.check(threads=2)
    assert report.particles == 1039 and report.pieces == {"slab": 1}
    assert 0.0 < report.explicit_limit < 1.5 * report.period and report.seconds[0] <= report.seconds[1]
    assert str(report).startswith("scene          slab (12 frames")


def test_arrays_are_a_packing_in_the_order_of_the_caller():
    rng = np.random.default_rng(1)
    positions = rng.permutation(np.stack(np.meshgrid(*[np.arange(4) * 0.02] * 3), -1).reshape(-1, 3))
    radii = np.full(64, 0.01)
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=-1)
    pairs = np.argwhere(np.triu(apart < 0.021, 1))
    packing = bdem.Particles(positions, radii, pairs)
    scene = bdem.Scene({**BALLS, "bodies": [{"name": "block", "material": "rubber", "packing": packing}]})
    simulation = bdem.Simulation(scene, threads=1)
    assert np.array_equal(simulation.given(simulation.positions, "block"), positions)
    rows = simulation._inner.rows
    found = {tuple(sorted(pair)) for pair in rows[simulation.bonds["indices"]].tolist()}
    assert found == set(map(tuple, pairs.tolist()))


@pytest.mark.parametrize(
    ("positions", "radii", "bonds", "words"),
    [
        (np.zeros((2, 2)), 0.1, None, r"positions: the shape is \(2, 2\)"),
        ([[0, 0, np.nan]], 0.1, None, "positions: row 0 is not finite"),
        ([[0, 0, 0], [1, 0, 0]], [0.1, -0.1], None, "radii: row 1 has -0.1"),
        ([[0, 0, 0], [1, 0, 0]], [0.1], None, r"radii: the shape is \(1,\)"),
        ([[0, 0, 0], [1, 0, 0]], 0.1, [[0, 2]], "bonds: row 0 has 2, but there are 2 particles"),
        ([[0, 0, 0], [1, 0, 0]], 0.1, [[0.0, 1.0]], "bonds: expected pairs of rows"),
        ([["a", 0, 0]], 0.1, None, "positions: no array of numbers"),
    ],
)
def test_wrong_arrays_name_the_argument(positions, radii, bonds, words):
    with pytest.raises((TypeError, ValueError), match=words):
        bdem.Particles(positions, radii, bonds)
