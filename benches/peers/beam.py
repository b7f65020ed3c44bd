"""Three-point bending: beam, measurements and figures, the same for every program.

The beam is that of scenes/three_point_bending.toml, and its figures those of crates/studies/src/bending.rs.
"""

import datetime
import os
import time
import tomllib
from pathlib import Path

import numpy as np

SCENES = Path(__file__).parents[2] / "scenes"
SCENE = tomllib.loads((SCENES / "three_point_bending.toml").read_text())
BODIES = {body["name"]: body for body in SCENE["bodies"]}
MATERIAL = SCENE["materials"]["beam"]

LENGTH, WIDTH, HEIGHT = BODIES["beam"]["shape"]["box"]["size"]  # m
E, NU = MATERIAL["young_modulus"], MATERIAL["poisson_ratio"]  # Pa; of the bonds in bdem, of the solid elsewhere
SIGMA, SHEAR = MATERIAL["tensile_strength"], MATERIAL["shear_strength"]  # Pa
DENSITY = MATERIAL["density"]  # kg/m3
SUPPORT = BODIES["right"]["position"][0]  # m, of the supports from the middle
SPAN = 2.0 * SUPPORT
SPEED = -SCENE["constraints"][0]["motion"]["velocity"][2]  # m/s, of the press
PRESS = 0.01  # m, half the width on which continua are pressed; the row of balls touches about as much
NEAR = 0.02  # m, half the height and length of the places where deflection is measured
FALLEN = 0.9  # share of the highest load below which a crack ends a run


def sunk(rest, now, x):
    """Deflection at mid-height at `x`, m, by a linear fit to the points nearby."""
    near = (abs(rest[:, 0] - x) < NEAR) & (abs(rest[:, 2]) < NEAR)
    return np.polyfit(rest[near, 0] - x, rest[near, 2] - now[near, 2], 1)[1]


def deflection(rest, now):
    """Deflection of the middle relative to the supports, m."""
    return sunk(rest, now, 0.0) - 0.5 * (sunk(rest, now, -SUPPORT) + sunk(rest, now, SUPPORT))


def timoshenko():
    """E of [BDEM21] eq 29 over E, for a solid beam that bends and shears (Timoshenko, coefficient 5/6)."""
    x = np.linspace(-0.5 * LENGTH, 0.5 * LENGTH, 2001)
    d = SUPPORT - abs(x)  # m, from the support inwards; beyond it the beam is straight
    bent = np.where(d > 0.0, d * (3.0 * SPAN**2 - 4.0 * d * d), 3.0 * d * SPAN**2)
    sheared = np.maximum(d, 0.0) * HEIGHT**2 * 4.0 * (1.0 + NU) * 6.0 / 5.0
    rest, down = np.zeros((len(x), 3)), (bent + sheared) / SPAN**3
    rest[:, 0] = x
    return 1.0 / deflection(rest, rest - down[:, None] * [0.0, 0.0, 1.0])


class Run:
    """Load curve of one resolution."""

    def __init__(self, label):
        self.label, self.section = label, (WIDTH, HEIGHT)
        self.curve, self.first, self.began = [[0.0, 0.0]], None, (time.monotonic(), sum(os.times()[:4]))

    def add(self, deflection, load, cracked):
        """Adds a point, m and N. False once a crack has released a tenth of the highest load."""
        self.curve.append([deflection, load])
        if cracked and self.first is None:
            self.first = deflection
        top = max(load for _, load in self.curve)
        return self.first is None or load > FALLEN * top

    def finish(self):
        """Figures of the run: E and sigma over those of the material by [BDEM21] eq 29, deflections (m), load (N)."""
        clock, processor = time.monotonic() - self.began[0], sum(os.times()[:4]) - self.began[1]
        curve, (b, h) = np.array(self.curve), self.section
        peak = curve[:, 1].max()
        low, high, top = [curve[np.argmax(curve[:, 1] >= share * peak)] for share in (0.2, 0.8, 1.0)]
        stiffness = (high[1] - low[1]) / (high[0] - low[0])
        self.figures = {
            "E": SPAN**3 / (4.0 * b * h**3) * stiffness / E,
            "sigma": 3.0 * SPAN * peak / (2.0 * b * h * h) / SIGMA,
            "first": float("nan") if self.first is None else self.first,
            "peak": top[0],
            "load": peak,
        }
        f = self.figures
        print(
            f"| {self.label} | {f['E']:.3f} | {f['sigma']:.3f} | {1e3 * f['first']:.4f} | {1e3 * f['peak']:.4f} "
            f"| {f['load']:.1f} | {processor:.0f} | {clock:.0f} |",
            flush=True,
        )
        return self


def header(title, versions):
    print(f"\n{title}; {versions}; {datetime.date.today()}; a solid beam by Timoshenko: E_macro/E = {timoshenko():.3f}\n")
    columns = "resolution | E_macro/E | sigma_macro/sigma | deflection at the first crack, mm | at the highest load, mm "
    print(f"| {columns}| highest load, N | processor s | clock s |")
    print("|---|---|---|---|---|---|---|---|", flush=True)


def spread(runs):
    """Row of the greatest figure over the least, less one, in per cent."""
    ratio = lambda key: 100.0 * (max(r.figures[key] for r in runs) / min(r.figures[key] for r in runs) - 1.0)
    keys = ("E", "sigma", "first", "peak", "load")
    print("| spread, % | " + " | ".join(f"{ratio(key):.1f}" for key in keys) + " | | |")
