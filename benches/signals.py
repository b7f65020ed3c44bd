#!/usr/bin/env python3
"""Times how long a run takes to end after a signal: python3 signals.py [REPEATS]

Prints for each kind of work the greatest delay, in seconds of the clock, from SIGTERM to the end of the program. Needs `bdem` in
the path. A run that has begun writes a checkpoint first.
"""

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEAD = """
[scene]
name = "stop"
[time]
frame_rate = 24.0
frames = 1000
{time}
[materials.clay]
density = 1000.0
young_modulus = 1e7
poisson_ratio = 0.2
friction = 0.5
[[bodies]]
name = "body"
material = "clay"
{body}
"""
BRICK = "particle_radius = 0.008\nshape = { box = { size = [0.45, 0.3, 0.3] } }\nposition = [0.0, 0.0, 0.16]\nvelocity = [0.3, 0.0, -1.0]"
FLOOR = "[[colliders]]\nshape = { half_space = { normal = [0.0, 0.0, 1.0], offset = -0.03 } }\n"
CLOUD = "particle_radius = 0.01\nshape = { box = { size = [0.2, 0.2, 0.2] } }\n[[charges]]\nbody = \"body\"\ncharge = 1e-9\n"
EGG = "particle_radius = 0.004\nshape = { ellipsoid = { radii = [0.6, 0.5, 0.4] } }\npacking = \"random\""

# kind of work: settings of time, the body and what is about it, and longest wait before the signal, s
KINDS = {
    "a random packing": ("", EGG, 5.0),
    "explicit steps": ('integrator = "explicit-verlet"', BRICK + "\n" + FLOOR, 3.0),
    "a long implicit step": ('integrator = "implicit-bdf2"\nstep = 0.04', BRICK + "\n" + FLOOR, 5.0),
    "auto": ("", BRICK + "\n" + FLOOR, 5.0),
    "a field of 20 000 grid points": (
        'integrator = "explicit-verlet"',
        CLOUD + '[field]\nmethod = "ddef"\npoints = 20000\n',
        5.0,
    ),
}


def delay(folder, scene, wait):
    """Seconds from the signal to the end of a run."""
    command = ["bdem", "simulate", str(scene), "-o", str(folder / "run"), "--overwrite", "--quiet"]
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    time.sleep(0.3 + wait)
    run.send_signal(signal.SIGTERM)
    begun = time.monotonic()
    run.wait()
    return time.monotonic() - begun


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    dice = random.Random(1)
    print(f"greatest delay of {repeats}, s")
    for kind, (settings, body, longest) in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            scene = Path(folder) / "scene.toml"
            scene.write_text(HEAD.format(time=settings, body=body))
            delays = [delay(Path(folder), scene, dice.uniform(0.0, longest)) for _ in range(repeats)]
        print(f"{kind:32}{max(delays):6.2f}")


if __name__ == "__main__":
    main()
