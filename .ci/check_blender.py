#!/usr/bin/env python3
"""Imports a frame into Blender and holds its attributes against the run's record: python3 check_blender.py RUN_FOLDER

Needs the package bpy.
"""

import json
import sys
from pathlib import Path

import bpy

ATTRIBUTES = "vx vy vz wx wy wz orient_x orient_y orient_z orient_w pscale id piece damage stress".split()


def expect(good, message):
    if not good:
        sys.exit(f"check_blender: {message}")


def main():
    run = Path(sys.argv[1])
    record = json.loads((run / "run.json").read_text())
    frame = max(run.glob("ply/*.ply"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.ply_import(filepath=str(frame), import_attributes=True)
    mesh = bpy.data.objects[0].data
    expect(len(mesh.vertices) == record["particles"], f"{len(mesh.vertices)} points")
    for name in ATTRIBUTES:
        attribute = mesh.attributes.get(name)
        expect(attribute is not None and attribute.domain == "POINT", f"{name} is not there")
    ids = [value.value for value in mesh.attributes["id"].data]
    expect(ids == list(range(record["particles"])), "ids are not exact")
    pieces = {value.value for value in mesh.attributes["piece"].data}
    expect(len(pieces) == record["pieces"], f"{len(pieces)} pieces, and run.json says {record['pieces']}")
    print(f"check_blender: {len(mesh.vertices)} points, {len(pieces)} pieces in Blender {bpy.app.version_string}: well")


main()
