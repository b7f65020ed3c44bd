#!/usr/bin/env python3
"""Holds a run's moving pieces against their formats.

python3 check_pieces.py usd FILE.usda              needs the package usd-core
python3 check_pieces.py blender FILE.usda FILE.glb  needs the package bpy; both files are of the same run and times
"""

import os
import sys
from collections import Counter
from pathlib import Path


def expect(good, message):
    if not good:
        sys.exit(f"check_pieces: {message}")


def open_edges(counts, indices):
    """Edges of a polygon mesh without a face in the other direction."""
    edges, first = Counter(), 0
    for count in counts:
        face = indices[first : first + count]
        first += count
        edges.update(zip(face, face[1:] + face[:1]))
    return sum(edges[(b, a)] != n for (a, b), n in edges.items())


def check_usd(path):
    from pxr import Usd, UsdGeom, UsdPhysics, UsdValidation

    stage = Usd.Stage.Open(path)
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    faults = UsdValidation.ValidationContext(validators).Validate(stage)
    expect(not faults, f"usd-core says {[fault.GetErrorAsString() for fault in faults[:3]]}")
    root = stage.GetDefaultPrim()
    start, end = stage.GetStartTimeCode(), stage.GetEndTimeCode()
    every = [prim for prim in Usd.PrimRange(root) if prim.IsA(UsdGeom.Mesh)]
    meshes = [prim for prim in every if prim.GetParent().GetName() == "pieces"]
    expect(meshes, "it has no pieces")
    for prim in every:
        mesh = UsdGeom.Mesh(prim)
        counts, indices = list(mesh.GetFaceVertexCountsAttr().Get()), list(mesh.GetFaceVertexIndicesAttr().Get())
        expect(prim not in meshes or open_edges(counts, indices) == 0, f"{prim.GetName()} is open")
        subsets = UsdGeom.Subset.GetAllGeomSubsets(mesh)
        good, why = UsdGeom.Subset.ValidateFamily(mesh, "face", "materialBind")
        expect(good and subsets, f"{prim.GetName()}: {why}")
        faces = sum(len(subset.GetIndicesAttr().Get()) for subset in subsets)
        expect(faces == len(counts), f"{prim.GetName()}: {faces} of {len(counts)} faces have a material")
        for name in ["st", "normals"]:
            primvar = UsdGeom.PrimvarsAPI(prim).GetPrimvar(name)
            if name == "st" and prim not in meshes and not primvar:
                continue
            expect(len(primvar.ComputeFlattened(start)) == len(indices), f"{prim.GetName()}: {name}")
        if prim in meshes:
            moments = UsdPhysics.MassAPI(prim).GetDiagonalInertiaAttr().Get()
            expect(UsdPhysics.MassAPI(prim).GetMassAttr().Get() > 0 and min(moments) > 0, f"{prim.GetName()} has no mass")
            expect(max(moments) <= sum(moments) / 2, f"{prim.GetName()}: no body has the moments {moments}")
        for time in mesh.GetPointsAttr().GetTimeSamples() or [start]:
            low, high = mesh.GetExtentAttr().Get(time)
            within = (low[k] - 1e-5 <= p[k] <= high[k] + 1e-5 for p in mesh.GetPointsAttr().Get(time) for k in range(3))
            expect(all(within), f"{prim.GetName()}: points are outside the extent in frame {time}")
    fractures = UsdGeom.Points(stage.GetPrimAtPath(root.GetPath().AppendChild("fractures")))
    broken = len(fractures.GetPointsAttr().Get())
    frames = UsdGeom.PrimvarsAPI(fractures).GetPrimvar("frame").Get()
    expect(broken and len(frames) == broken, f"{broken} fractures have {len(frames)} times")
    expect(all(start <= frame <= end for frame in frames), "fractures are at other times than the frames")
    print(f"check_pieces: {len(meshes)} pieces, {len(every) - len(meshes)} colliders, frames {start} to {end} in usd-core: well")


def places(bpy, frame):
    """Centre of each mesh object in a frame, by name."""
    from mathutils import Vector

    whole = int(frame // 1)
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
    is_collider = lambda o: o.parent is not None and o.parent.name.startswith("colliders")
    objects = [o for o in bpy.context.scene.objects if o.type == "MESH" and not is_collider(o)]
    centre = lambda o: o.matrix_world @ (sum((v.co for v in o.data.vertices), Vector()) / len(o.data.vertices))
    return {o.name: centre(o) for o in objects}, objects


def check_blender(usd, glb):
    import bpy

    def load(read, path):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.render.fps = 24
        read(filepath=str(Path(path).resolve()))

    load(bpy.ops.wm.usd_import, usd)
    scene = bpy.context.scene
    first, last = scene.frame_start, scene.frame_end
    at = {k: places(bpy, frame)[0] for k, frame in enumerate([first, last])}
    objects = places(bpy, first)[1]
    for o in objects:
        expect(o.data.uv_layers, f"{o.name} has no texture coordinates")
        used = {polygon.material_index for polygon in o.data.polygons}
        expect(used and all(o.data.materials[k] for k in used), f"{o.name} has faces without a material")
    # a bent piece is rigid in GLB, and vertices are split at seams there
    allowed = 0.2 * max(max(o.dimensions.length for o in objects), 0.01)
    count = len(objects)
    load(bpy.ops.import_scene.gltf, glb)
    # glTF counts seconds from 0, and Blender puts them from frame 0
    for k, frame in enumerate([0, last - first]):
        there, _ = places(bpy, frame)
        expect(len(there) == count, f"{len(there)} pieces in GLB, {count} in USD")
        for name in sorted(at[k])[:3]:
            off = (at[k][name] - there[name]).length
            expect(off < allowed, f"{name} is {off} m apart in frame {frame}")
    print(f"check_pieces: {count} pieces in Blender {bpy.app.version_string}: well")


if sys.argv[1] == "usd":
    check_usd(sys.argv[2])
else:
    check_blender(*sys.argv[2:4])
# Blender's module crashes when it is unloaded
sys.stdout.flush()
os._exit(0)
