from pathlib import Path

import bdem
import pytest

SCENES = Path(__file__).parents[3] / "scenes"

#: The slab of the scenes with a thousand particles: it breaks into some hundred pieces in a second.
SMALL = {"bodies.slab.particle_radius": 0.004, "time.frames": 12}

#: Two balls that fly apart, in a dict.
BALLS = {
    "scene": {"name": "balls", "gravity": [0.0, 0.0, 0.0]},
    "time": {"frame_rate": 100.0, "frames": 3, "step": 0.001},
    "materials": {"rubber": {"density": 1000.0, "young_modulus": 1e6, "poisson_ratio": 0.25}},
    "bodies": [{"name": "balls", "material": "rubber", "bonded": False}],
}


@pytest.fixture
def slab() -> bdem.Scene:
    return bdem.Scene(SCENES / "slab.toml", SMALL)


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> bdem.Run:
    folder = tmp_path_factory.mktemp("run")
    return bdem.simulate(bdem.Scene(SCENES / "slab.toml", SMALL), folder / "slab", threads=2)
