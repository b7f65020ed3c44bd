#!/usr/bin/env python3
"""Checks what a run of scenes/slab.toml left, without any code of the simulator: python3 check_frames.py RUN_FOLDER

Reads every frame with a PLY reader of its own (standard library only) and holds it against run.json and the tables.
"""

import csv
import json
import math
import struct
import sys
from pathlib import Path

PROPERTIES = (
    [("float", name) for name in "x y z vx vy vz wx wy wz orient_x orient_y orient_z orient_w pscale".split()]
    + [("int", "id"), ("int", "piece"), ("float", "damage"), ("float", "stress")]
)
FORMAT = {"float": "f", "int": "i"}

# No particle of the slab, which is 0.2 m wide and falls at 5 m/s, gets further than this from the origin, m.
FURTHEST = 1.0

# Share by which energy may grow: frames and tables are rounded, and friction comes after a step.
ENERGY_SLACK = 1e-2


def expect(good, message):
    if not good:
        sys.exit(f"check_frames: {message}")


def read_ply(path):
    """The comments, as a dictionary, and the vertices, as dictionaries by property."""
    data = path.read_bytes()
    head, found, payload = data.partition(b"end_header\n")
    expect(found, f"{path}: no end of the header")
    lines = head.decode("ascii").splitlines()
    expect(lines[:2] == ["ply", "format binary_little_endian 1.0"], f"{path}: not a binary PLY file")
    comments = dict(line[len("comment "):].split(": ", 1) for line in lines if line.startswith("comment "))
    elements = [line.split()[1:] for line in lines if line.startswith("element ")]
    expect(len(elements) == 1 and elements[0][0] == "vertex", f"{path}: expected vertices alone, found {elements}")
    properties = [tuple(line.split()[1:]) for line in lines if line.startswith("property ")]
    expect(properties == PROPERTIES, f"{path}: properties are {properties}")
    row = struct.Struct("<" + "".join(FORMAT[kind] for kind, _ in properties))
    expect(len(payload) == int(elements[0][1]) * row.size, f"{path}: {len(payload)} bytes for {elements[0][1]} vertices")
    names = [name for _, name in properties]
    return comments, [dict(zip(names, values)) for values in row.iter_unpack(payload)]


def check_frame(path, number, run, metrics):
    comments, vertices = read_ply(path)
    expect(comments["frame"] == str(number), f"{path}: says that it is frame {comments['frame']}")
    expect(comments["scene digest"] == run["digest"], f"{path}: of another scene")
    expect(len(vertices) == run["particles"], f"{path}: {len(vertices)} of {run['particles']} particles")
    for i, v in enumerate(vertices):
        where = f"{path}: particle {i}"
        expect(all(math.isfinite(x) for x in v.values()), f"{where}: {v}")
        expect(v["id"] == i, f"{where}: id {v['id']}")
        expect(math.hypot(v["x"], v["y"], v["z"]) < FURTHEST, f"{where}: far out")
        expect(v["z"] > 0.0, f"{where}: under the floor")
        norm = math.sqrt(sum(v[f"orient_{axis}"] ** 2 for axis in "xyzw"))
        expect(abs(norm - 1.0) < 1e-5, f"{where}: orientation of length {norm}")
        expect(0.0 <= v["damage"] <= 1.0 and v["pscale"] > 0.0 and v["stress"] >= 0.0, f"{where}: {v}")
        expect(v["piece"] <= i and vertices[v["piece"]]["piece"] == v["piece"], f"{where}: piece {v['piece']}")
    sizes = {}
    for v in vertices:
        sizes[v["piece"]] = sizes.get(v["piece"], 0) + 1
    expect(len(sizes) == metrics["pieces"], f"{path}: {len(sizes)} pieces, {metrics['pieces']} in metrics.csv")
    expect(max(sizes.values()) == metrics["largest_piece"], f"{path}: the largest piece is another")


def read_table(path):
    with path.open(newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    expect(all(math.isfinite(x) for row in rows for x in row.values()), f"{path}: a number is not finite")
    return rows


def check_tables(folder, run, metrics):
    bonds = {row["bonds"] + row["bonds_broken"] for row in metrics}
    expect(bonds == {run["bonds"] + run["bonds_broken"]}, f"bonds come and go: {bonds}")
    first = metrics[0]["total"]
    most = max(row["total"] for row in metrics)
    expect(most <= first * (1.0 + ENERGY_SLACK), f"energy, gravity's included, grows from {first} J to {most} J")
    fractures = read_table(folder / "fractures.csv")
    expect(len(fractures) == run["bonds_broken"], f"{len(fractures)} rows for {run['bonds_broken']} broken bonds")
    expect(len({row["bond"] for row in fractures}) == len(fractures), "a bond breaks twice")
    expect(run["bonds_broken"] > 0 and run["pieces"] > 1, "nothing broke")


def main():
    expect(len(sys.argv) == 2, "expected the folder of a run")
    folder = Path(sys.argv[1])
    run = json.loads((folder / "run.json").read_text())
    expect(run["state"] == "done", f"the run is {run['state']}: {run.get('error')}")
    metrics = read_table(folder / "metrics.csv")
    expect([row["frame"] for row in metrics] == list(range(run["frames"] + 1)), "metrics.csv: a row is missing")
    paths = sorted((folder / "ply").iterdir())
    names = [f"{run['scene']}.{number:04}.ply" for number in range(run["frames"] + 1)]
    expect([path.name for path in paths] == names, f"frames are {[path.name for path in paths]}")
    for number, path in enumerate(paths):
        check_frame(path, number, run, metrics[number])
    check_tables(folder, run, metrics)
    print(f"{len(paths)} frames of {run['particles']} particles are sound: {run['bonds_broken']} bonds broken, "
          f"{run['pieces']} pieces")


main()
