#!/usr/bin/env python3
"""Reads the VTU series of a run with VTK's own reader, and holds it against run.json: python3 check_vtu.py RUN_FOLDER

Needs the package vtk.
"""

import json
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

COMPONENTS = {
    "id": 1, "piece": 1, "radius": 1, "velocity": 3, "angular_velocity": 3, "orientation": 4, "damage": 1, "stress": 1,
}


def expect(good, message):
    if not good:
        sys.exit(f"check_vtu: {message}")


def read(path):
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    expect(reader.GetErrorCode() == 0, f"{path}: VTK says {reader.GetErrorCode()}")
    return reader.GetOutput()


def main():
    run = Path(sys.argv[1])
    record = json.loads((run / "run.json").read_text())
    series = xml.parse(run / "vtu" / f"{record['scene']}.pvd").findall("Collection/DataSet")
    expect(len(series) == record["frames"] + 1, f"{len(series)} frames in the series")
    for data in series:
        grid = read(run / "vtu" / data.get("file"))
        points = grid.GetPointData()
        expect(grid.GetNumberOfPoints() == record["particles"], f"{grid.GetNumberOfPoints()} points")
        for name, components in COMPONENTS.items():
            array = points.GetArray(name)
            expect(array is not None and array.GetNumberOfComponents() == components, f"{name} is not there")
    pieces = {points.GetArray("piece").GetValue(i) for i in range(grid.GetNumberOfPoints())}
    expect(len(pieces) == record["pieces"], f"{len(pieces)} pieces, and run.json says {record['pieces']}")
    expect(float(data.get("timestep")) == record["time"], f"the last frame is at {data.get('timestep')} s")
    print(f"check_vtu: {len(series)} frames, {grid.GetNumberOfPoints()} points, {len(pieces)} pieces: well")


main()
