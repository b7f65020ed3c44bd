#!/usr/bin/env python3
"""Reads the VTU series of a run with VTK's own reader, and holds it against run.json: python3 check_vtu.py RUN_FOLDER

Needs the package vtk.
"""

import json
import math
import sys
import tomllib
import xml.etree.ElementTree as xml
from pathlib import Path

from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

COMPONENTS = {
    "id": 1, "piece": 1, "radius": 1, "velocity": 3, "angular_velocity": 3, "orientation": 4, "damage": 1, "stress": 1,
}
# by the entries of output.particles and output.bonds
OF_POINTS = {"displacement": {"displacement": 3}, "stress": {"stress_tensor": 6}}
OF_BONDS = {"force": {"force": 3}, "moment": {"moment": 3}, "stress": {"sigma": 1, "tau": 1}}
LINE = 3


def expect(good, message):
    if not good:
        sys.exit(f"check_vtu: {message}")


def read(path):
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    expect(reader.GetErrorCode() == 0, f"{path}: VTK says {reader.GetErrorCode()}")
    return reader.GetOutput()


def requested(run):
    """Optional arrays of points and of cells, and whether there are bonds."""
    output = tomllib.loads((run / "scene.resolved.toml").read_text()).get("output", {})
    bonds = output.get("bonds", False)
    names = bonds if isinstance(bonds, list) else []
    points = {name: n for entry in output.get("particles", []) for name, n in OF_POINTS[entry].items()}
    cells = {name: n for entry in names for name, n in OF_BONDS[entry].items()}
    return points, {"bond": 1, **cells} if names else {}, bool(bonds)


def check_arrays(data, wanted, tuples):
    for name, components in wanted.items():
        array = data.GetArray(name)
        expect(array is not None and array.GetNumberOfComponents() == components, f"{name} is not there")
        expect(array.GetNumberOfTuples() == tuples, f"{name} has {array.GetNumberOfTuples()} tuples of {tuples}")
        values = (array.GetComponent(i, k) for i in range(tuples) for k in range(components))
        expect(all(map(math.isfinite, values)), f"{name} is not finite")


def main():
    run = Path(sys.argv[1])
    of_points, of_cells, has_bonds = requested(run)
    record = json.loads((run / "run.json").read_text())
    series = xml.parse(run / "vtu" / f"{record['scene']}.pvd").findall("Collection/DataSet")
    expect(len(series) == record["frames"] + 1, f"{len(series)} frames in the series")
    for data in series:
        grid = read(run / "vtu" / data.get("file"))
        points = grid.GetPointData()
        expect(grid.GetNumberOfPoints() == record["particles"], f"{grid.GetNumberOfPoints()} points")
        check_arrays(points, COMPONENTS | of_points, grid.GetNumberOfPoints())
        check_arrays(grid.GetCellData(), of_cells, grid.GetNumberOfCells())
    lines = sum(grid.GetCellType(i) == LINE for i in range(grid.GetNumberOfCells()))
    expect(lines == (record["bonds"] if has_bonds else 0), f"{lines} bonds, and run.json says {record['bonds']}")
    pieces = {points.GetArray("piece").GetValue(i) for i in range(grid.GetNumberOfPoints())}
    expect(len(pieces) == record["pieces"], f"{len(pieces)} pieces, and run.json says {record['pieces']}")
    expect(float(data.get("timestep")) == record["time"], f"the last frame is at {data.get('timestep')} s")
    print(f"check_vtu: {len(series)} frames, {grid.GetNumberOfPoints()} points, {lines} bonds, {len(pieces)} pieces: well")


main()
