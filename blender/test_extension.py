#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test of the Blender extension, without a window.

python3 test_extension.py BDEM [PICTURE.png]      needs the package bpy; BDEM is the program
"""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

WORK = Path(tempfile.mkdtemp(prefix="bdem_blender_"))
# Blender installs the extension there
os.environ["BLENDER_USER_RESOURCES"] = str(WORK / "user")

import bpy  # the others are found after it
import addon_utils
import bmesh
from mathutils import Euler, Matrix, Vector

HERE = Path(__file__).resolve().parent
PROGRAM = Path(sys.argv[1]).resolve()
MODULE = "bl_ext.user_default.bdem"


def expect(good: object, message: str) -> None:
    """Ends the test with a message where something is wrong. Its files stay."""
    if not good:
        sys.stdout.flush()
        print(f"test_extension: {message}", file=sys.stderr, flush=True)
        os._exit(1)


def install() -> None:
    """Builds the extension as a file for users, and installs it."""
    tool = next(Path(bpy.utils.resource_path("LOCAL")).glob("scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    build = [sys.executable, str(tool), "build", "--source-dir", str(HERE), "--output-dir", str(WORK)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    package = next(WORK.glob("bdem-*.zip"))
    addon_utils.enable("bl_pkg")
    bpy.ops.extensions.package_install_files(filepath=str(package), repo="user_default", enable_on_install=True)
    expect(MODULE in bpy.context.preferences.addons, "it is not installed")
    set_program(PROGRAM)


def set_program(path: Path) -> None:
    """Sets the path of the program."""
    bpy.context.preferences.addons[MODULE].preferences.executable = str(path)


def fresh(name: str, frames: int, slow_motion: float) -> bpy.types.Scene:
    """An empty scene, saved in a folder of its own."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    folder = WORK / name
    folder.mkdir(exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    scene = bpy.context.scene
    scene.bdem.frames, scene.bdem.slow_motion = frames, slow_motion
    return scene


def add(name: str, solid: bmesh.types.BMesh) -> bpy.types.Object:
    """Object of a mesh."""
    mesh = bpy.data.meshes.new(name)
    bmesh.ops.recalc_face_normals(solid, faces=solid.faces)
    solid.to_mesh(mesh)
    solid.free()
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def box(name: str, size: tuple[float, float, float]) -> bpy.types.Object:
    """A box about its origin."""
    solid = bmesh.new()
    bmesh.ops.create_cube(solid, size=1.0, matrix=Matrix.Diagonal((*size, 1.0)), calc_uvs=False)
    return add(name, solid)


def ball(name: str, radius: float) -> bpy.types.Object:
    """A ball about its origin."""
    solid = bmesh.new()
    bmesh.ops.create_uvsphere(solid, u_segments=24, v_segments=12, radius=radius)
    return add(name, solid)


def floor(z: float = 0.0) -> bpy.types.Object:
    """A plane at a height, as a floor."""
    solid = bmesh.new()
    bmesh.ops.create_grid(solid, x_segments=1, y_segments=1, size=1.0)
    thing = add("Ground", solid)
    thing.location.z = z
    thing.bdem.role = "FLOOR"
    return thing


def mug(name: str = "Mug") -> bpy.types.Object:
    """A mug with a handle, of two materials, with texture coordinates."""
    profile = [(0.0, 0.0), (0.030, 0.0), (0.036, 0.004), (0.037, 0.05), (0.037, 0.09), (0.032, 0.09), (0.032, 0.05), (0.031, 0.009), (0.0, 0.006)]
    solid, around = bmesh.new(), 32
    layer = solid.loops.layers.uv.new("Paint")
    angle = lambda k: 2.0 * math.pi * k / around
    ring = lambda r, z: [solid.verts.new((r * math.cos(angle(k)), r * math.sin(angle(k)), z)) for k in range(around if r else 1)]
    rings = [ring(r, z) for r, z in profile]
    for j, (low, high) in enumerate(zip(rings, rings[1:])):
        for k in range(around):
            n = (k + 1) % around
            corners = [(low, k, j), (low, n, j), (high, n, j + 1), (high, k, j + 1)]
            corners = [c for i, c in enumerate(corners) if len(c[0]) > 1 or c[0] is not corners[i - 1][0]]
            face = solid.faces.new([r[i % len(r)] for r, i, _ in corners])
            face.smooth = True
            for loop, (_, i, height) in zip(face.loops, corners):
                loop[layer].uv = ((k + (i != k)) / around, height / len(profile))
    # the handle is a bent bar whose ends are in the wall
    parts, corners = 12, 8
    for i in range(parts + 1):
        turn = -0.5 * math.pi + math.pi * i / parts
        outward = Vector((math.cos(turn), 0.0, math.sin(turn)))
        centre = Vector((0.0345, 0.0, 0.047)) + 0.026 * outward
        angles = [2.0 * math.pi * k / corners for k in range(corners)]
        new = [solid.verts.new(centre + 0.006 * math.cos(a) * outward + Vector((0.0, 0.008 * math.sin(a), 0.0))) for a in angles]
        if i == 0:
            solid.faces.new(new)
        else:
            for k in range(corners):
                face = solid.faces.new([old[k], old[k - 1], new[k - 1], new[k]])
                face.smooth, face.material_index = True, 1
        old = new
    solid.faces.new(old[::-1])
    thing = add(name, solid)
    for colour in ["Glaze", "Handle"]:
        thing.data.materials.append(bpy.data.materials.new(colour))
    thing.bdem.role = "BREAKS"
    thing.bdem.material = "ceramic"
    return thing


def falling_tile(material: str, speed: float) -> bpy.types.Object:
    """A tile that lands on its edge."""
    tile = box("tile", (0.1, 0.08, 0.02))
    tile.location.z, tile.rotation_euler.y = 0.03, 0.3
    tile.bdem.role, tile.bdem.material = "BREAKS", material
    tile.bdem.velocity, tile.bdem.radius = (0.0, 0.0, -speed), 0.006
    floor()
    return tile


def run(operator, **options: object) -> str:
    """Calls an operator. Returns the message in the panel."""
    try:
        operator(**options)
    except RuntimeError:
        # an operator that reports an error ends a script that does not catch it
        expect(bpy.context.scene.bdem.is_error, "an error is in no message")
    return bpy.context.scene.bdem.message


def break_all(**options: object) -> str:
    """Breaks the marked objects."""
    began = time.time()
    message = run(bpy.ops.bdem.break_objects, **options)
    print(f"  broken in {time.time() - began:.1f} s: {message}", flush=True)
    return message


def pieces(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Pieces of a scene, also those of objects that are whole."""
    return list(scene.bdem.pieces.all_objects) if scene.bdem.pieces else []


def shown(scene: bpy.types.Scene, frame: int) -> list[bpy.types.Object]:
    """Objects that a frame shows."""
    scene.frame_set(frame)
    return [thing for thing in scene.objects if not thing.hide_render]


def stand_in(scene: bpy.types.Scene, frame: int, name: str) -> bpy.types.Object:
    """What a frame shows of an object that has not broken."""
    there = [thing for thing in shown(scene, frame) if name in (thing.name, thing.get("bdem_object"))]
    expect(len(there) == 1, f"{name}: frame {frame} has {[thing.name for thing in there]}")
    return there[0]


def mean(places: list[Vector]) -> Vector:
    """Mean of places."""
    return sum(places, Vector()) / len(places)


def points(thing: bpy.types.Object) -> list[Vector]:
    """Vertices of an object in the world, with modifiers."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [evaluated.matrix_world @ vertex.co for vertex in evaluated.data.vertices]


def curves(thing: bpy.types.Object) -> set[str]:
    """Properties of an object that have keys."""
    module = sys.modules[f"{MODULE}.import_pieces"]
    return {curve.data_path for group in module.all_curves(thing) for curve in group}


def fly(thing: bpy.types.Object, keys: list[tuple[int, tuple[float, float, float]]]) -> None:
    """Keys of places, with even motion between them."""
    for frame, place in keys:
        thing.location = place
        thing.keyframe_insert("location", frame=frame)
    for group in sys.modules[f"{MODULE}.import_pieces"].all_curves(thing):
        for point in (point for curve in group for point in curve.keyframe_points):
            point.interpolation = "LINEAR"


def open_edges(mesh: bpy.types.Mesh) -> int:
    """Number of edges of a mesh that have one face, or more than two."""
    count: dict[tuple[int, int], int] = {}
    for polygon in mesh.polygons:
        for edge in polygon.edge_keys:
            count[edge] = count.get(edge, 0) + 1
    return sum(number % 2 for number in count.values())


def test_mug_struck_by_a_ball(picture: Path | None) -> None:
    """A mug stands on a floor. A ball that is animated strikes it."""
    scene = fresh("mug", 16, 0.05)
    thing, ground, shot = mug(), floor(), ball("Ball", 0.02)
    thing.bdem.softness, thing.bdem.radius = 100.0, 0.0022
    thing.location.z = 0.0005
    shot.bdem.role = "COLLIDER"
    fly(shot, [(1, (-0.2, 0.005, 0.05)), (17, (0.12, 0.005, 0.05))])
    message = break_all()
    expect(not scene.bdem.is_error and "pieces" in message, f"it does not break: {message}")
    parts = [part for part in pieces(scene) if not part.name.endswith("_whole")]
    expect(len(parts) > 1, "there is one piece")
    for part in parts:
        names = {material.name for material in part.data.materials if material}
        used = {polygon.material_index for polygon in part.data.polygons}
        expect(names <= {"Glaze", "Handle", "Mug inside"} and "Mug inside" in names, f"{part.name} has the materials {names}")
        expect(all(part.data.materials[k] for k in used), f"{part.name} has faces without a material")
        expect([layer.name for layer in part.data.uv_layers] == ["Paint"], f"{part.name} has no texture coordinates")
        expect({"location", "rotation_quaternion", "hide_render"} <= curves(part), f"{part.name} has no keys")
        expect(not part.constraints and part.parent is None, f"{part.name} follows something")
        expect(open_edges(part.data) == 0, f"{part.name} is open")
    expect(any("Handle" in {m.name for m in part.data.materials} for part in parts), "no piece has the second material")
    hidden = thing.bdem.hidden_from
    expect(1 < hidden < 17, f"it is hidden from frame {hidden} on")
    expect(thing in shown(scene, hidden - 1), "the mug is hidden before it breaks")
    expect(not set(pieces(scene)) & set(shown(scene, hidden - 1)), "pieces are there before it breaks")
    expect(thing not in shown(scene, hidden), "the mug is there when it is broken")
    for frame in range(-3, 40):
        there = shown(scene, frame)
        whole = [part for part in there if part is thing or part.name.endswith("_whole")]
        broken = [part for part in there if part in parts]
        expect(len(whole) + bool(broken) == 1, f"frame {frame} has {len(whole)} mugs and {len(broken)} pieces")
    expect(shot in shown(scene, 17) and ground in shown(scene, 17), "what it meets is hidden")
    expect(bpy.context.scene.frame_end >= 17, "the range of frames ends before the run")
    if picture:
        render(scene, picture, 13)


def render(scene: bpy.types.Scene, picture: Path, frame: int) -> None:
    """A small picture by Cycles, which has more than one colour."""
    addon_utils.enable("cycles")
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 16, False
    scene.render.resolution_x, scene.render.resolution_y = 320, 180
    light = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    light.rotation_euler, light.data.energy = Euler((0.6, 0.2, 0.4)), 3.0
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.0, -0.42, 0.2), Euler((1.17, 0.0, 0.0))
    camera.data.clip_start = 0.01
    for thing in [light, camera]:
        scene.collection.objects.link(thing)
    scene.camera = camera
    scene.frame_set(frame)
    scene.render.filepath = str(picture)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(picture))
    expect(len(set(list(image.pixels)[0::4])) > 20, "the picture has no contents")


def test_transforms() -> None:
    """Objects scaled, mirrored, sheared, parented, with modifiers, and with any name, are where they were."""
    scene = fresh("transforms", 6, 0.02)
    cup = box("Schüssel  мой/ 1.001", (0.06, 0.06, 0.03))
    cup.modifiers.new("Bevel", "BEVEL").width = 0.004
    cup.scale, cup.rotation_euler, cup.location = (-2.0, 1.0, 1.5), Euler((0.3, 0.7, 0.2)), (0.0, 0.0, 0.2)
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    parent.scale, parent.rotation_euler = (1.0, 1.6, 1.0), Euler((0.0, 0.0, 0.5))
    tile = box("tile", (0.1, 0.08, 0.02))
    tile.parent, tile.location, tile.rotation_euler = parent, (0.3, 0.0, 0.2), Euler((0.4, 0.0, 0.3))
    tile.bdem.velocity = (0.0, 0.0, -5.0)
    for thing in [cup, tile]:
        thing.bdem.role, thing.bdem.material = "BREAKS", "plaster"
        thing.bdem.radius = 0.006
    tile.bdem.material = "terracotta"
    floor()
    scene.frame_set(1)
    before = {thing.name: points(thing) for thing in [cup, tile]}
    break_all()
    expect(not scene.bdem.is_error, scene.bdem.message)
    scene.frame_set(1)
    for name in before:
        for frame in [1, 2]:
            after = points(stand_in(scene, frame, name))
            expect(len(after) == len(before[name]), f"{name}: {len(after)} vertices of {len(before[name])}")
            moved = Vector((0.0, 0.0, -5.0 if name == "tile" else 0.0)) * ((frame - 1) * 0.02 / 24.0)
            off = max((a - b - moved).length for a, b in zip(after, before[name]))
            expect(off < 5e-6, f"{name} is {off} m away in frame {frame}")
    # gravity is that of the scene: a fall without contact
    seconds = 6 * 0.02 / 24.0
    fallen = (mean(before[cup.name]) - mean(points(stand_in(scene, 7, cup.name)))).z
    expect(abs(fallen - 0.5 * 9.81 * seconds**2) < 0.02 * fallen, f"it fell {fallen} m in {seconds} s")


def test_centimetres() -> None:
    """A scene whose unit is a centimetre."""
    scene = fresh("centimetres", 4, 0.02)
    scene.unit_settings.scale_length = 0.01
    tile = box("tile", (10.0, 8.0, 2.0))
    tile.location.z = 5.0
    tile.bdem.role, tile.bdem.radius, tile.bdem.velocity = "BREAKS", 0.5, (0.0, 0.0, -3.0)
    floor(-20.0)
    before = points(tile)
    message = break_all()
    expect(message.startswith("Nothing broke"), message)
    off = max((a - b).length for a, b in zip(points(stand_in(scene, 1, "tile")), before))
    expect(off < 1e-4, f"it is {off} cm away in frame 1")
    fallen = 5.0 - mean(points(stand_in(scene, 5, "tile"))).z
    expect(abs(fallen - 300.0 * 4 * 0.02 / 24.0) < 0.05, f"it fell {fallen} cm")


def test_rerun_finer_and_clear() -> None:
    """The same again, with finer particles, and back to the object."""
    scene = fresh("rerun", 5, 0.02)
    tile = falling_tile("plaster", 12.0)
    break_all()
    first = sorted(part.name for part in pieces(scene))
    inside = tile.bdem.inside_material
    expect(inside is not None, "cracks have no material")
    inside.diffuse_color = (1.0, 0.0, 0.0, 1.0)
    scene.frame_set(6)
    count = [len(kind) for kind in [bpy.data.meshes, bpy.data.materials, bpy.data.actions, bpy.data.collections]]
    break_all()
    expect(scene.frame_current == 6, "another frame is shown")
    expect(sorted(part.name for part in pieces(scene)) == first, "the same run has other pieces")
    expect(tile.bdem.inside_material is inside, "the material of cracks is another")
    again = [len(kind) for kind in [bpy.data.meshes, bpy.data.materials, bpy.data.actions, bpy.data.collections]]
    expect(count == again, f"data of the last run is left: {count}, {again}")
    break_all(finer=0.8)
    expect(abs(tile.bdem.radius - 0.0048) < 1e-6, f"the radius is {tile.bdem.radius}")
    # pieces that bend read files beside the .blend
    caches = {modifier.cache_file.filepath for part in pieces(scene) for modifier in part.modifiers}
    expect(all(path.startswith("//") and Path(bpy.path.abspath(path)).is_file() for path in caches), f"{caches}")
    bpy.ops.bdem.clear()
    expect(scene.bdem.pieces is None and not tile.bdem.is_hidden, "pieces are left")
    expect(all(tile in shown(scene, frame) for frame in [0, 1, 6]), "the object stays hidden")


def test_undo() -> None:
    """A break that is undone and redone."""
    fresh("undo", 5, 0.02)
    falling_tile("plaster", 12.0)
    bpy.ops.ed.undo_push(message="before")
    break_all()
    bpy.ops.ed.undo_push(message="Break")
    # data before an undo is not that after it
    for step, is_broken in [(bpy.ops.ed.undo, False), (bpy.ops.ed.redo, True)]:
        step()
        scene, tile = bpy.context.scene, bpy.data.objects["tile"]
        expect(tile.bdem.is_hidden == is_broken == bool(pieces(scene)), f"{step}: {pieces(scene)}")


def test_two_objects_and_animated_start() -> None:
    """Two objects are one run. One starts with the velocity of its animation."""
    scene = fresh("two", 8, 0.02)
    low, high = box("low", (0.08, 0.08, 0.02)), box("high", (0.05, 0.05, 0.05))
    low.location.z = 0.0105
    fly(high, [(1, (0.0, 0.0, 0.047)), (2, (0.0, 0.0, 0.047 - 8.0 * 0.02 / 24.0))])
    for thing in [low, high]:
        thing.bdem.role, thing.bdem.material, thing.bdem.radius = "BREAKS", "plaster", 0.005
    high.bdem.keyed_velocity = True
    floor()
    message = break_all()
    expect(not scene.bdem.is_error, message)
    expect({part.get("bdem_object") for part in pieces(scene)} == {"low", "high"}, "an object has no pieces")
    scene.frame_set(2)
    expect(curves(high) == {"location", "hide_viewport", "hide_render"}, f"its animation is lost: {curves(high)}")


def test_colliders_follow_their_animation() -> None:
    """A collider that turns and is parented to something that moves is in the run where it is in Blender."""
    scene = fresh("colliders", 6, 0.02)
    scene.bdem.start = 11
    tile = box("tile", (0.1, 0.08, 0.02))
    tile.location = (0.0, 2.0, 0.5)
    tile.bdem.role, tile.bdem.radius = "BREAKS", 0.006
    carrier = bpy.data.objects.new("Carrier", None)
    scene.collection.objects.link(carrier)
    carrier.scale, carrier.rotation_euler = (2.0, 2.0, 2.0), Euler((0.0, 0.5, 0.0))
    fly(carrier, [(8, (0.0, 0.0, 0.3)), (20, (0.6, 0.2, 0.3))])
    paddle = box("Paddle", (0.02, 0.1, 0.03))
    paddle.parent, paddle.location, paddle.bdem.role = carrier, (0.1, 0.0, 0.0), "COLLIDER"
    for frame, angle in [(11, 0.2), (17, 2.0)]:
        paddle.rotation_euler = Euler((angle, 0.3, 0.0))
        paddle.keyframe_insert("rotation_euler", frame=frame)
    message = break_all()
    expect(message.startswith("Nothing broke"), message)
    frames = [11, 12, 14, 17]
    right = [(scene.frame_set(frame), points(paddle))[1] for frame in frames]
    known = set(bpy.data.objects)
    bpy.ops.wm.usd_import(filepath=str(next((WORK / "colliders/bdem/Scene").glob("*.usda"))), set_frame_range=False)
    copy = next(thing for thing in bpy.data.objects if thing not in known and thing.name.startswith("Paddle"))
    for frame, there in zip(frames, right):
        scene.frame_set(frame)
        off = max(min((a - b).length for b in there) for a in points(copy))
        expect(off < 1e-5, f"the collider is {off} m away in frame {frame}")


def test_floors_of_any_direction() -> None:
    """A floor is the plane through its origin: a wall where it is turned."""
    scene = fresh("floors", 2, 0.02)
    tile = box("tile", (0.1, 0.08, 0.02))
    tile.bdem.role, tile.bdem.radius = "BREAKS", 0.006
    wall = floor()
    wall.location, wall.rotation_euler, wall.name = (0.2, 0.0, 0.0), Euler((0.0, 0.5 * math.pi, 0.0)), "Wall"
    message = run(bpy.ops.bdem.check)
    expect("deep in collider" in message and "Wall" in message, message)
    wall.location.x = -0.2
    message = run(bpy.ops.bdem.check)
    expect(not scene.bdem.is_error, message)
    # an empty is a floor too
    wall.bdem.role = "NONE"
    empty = bpy.data.objects.new("Level", None)
    scene.collection.objects.link(empty)
    empty.bdem.role = "FLOOR"
    expect("Level" in run(bpy.ops.bdem.check), scene.bdem.message)


def test_errors() -> None:
    """Errors are messages in the panel, and leave everything as it was."""
    scene = fresh("errors", 4, 0.05)
    expect("No object breaks" in run(bpy.ops.bdem.break_objects), scene.bdem.message)
    thing = mug()
    floor()
    thing.bdem.radius = 0.02
    message = run(bpy.ops.bdem.break_objects)
    expect(scene.bdem.is_error and "thinner than one particle" in message and "particle_radius at most" in message, message)
    expect("toml" not in message and "|" not in message, message)
    expect(scene.bdem.pieces is None and not thing.bdem.is_hidden, "an error leaves something behind")
    thing.bdem.radius, thing.location.z = 0.0, -0.02
    message = run(bpy.ops.bdem.check)
    expect(scene.bdem.is_error and "deep in collider" in message, message)
    thing.location.z = 0.01
    message = run(bpy.ops.bdem.check)
    expect(not scene.bdem.is_error and "time: " in message and "particles: " in message, message)
    curtain = floor(0.5)
    curtain.name, curtain.bdem.role = "Curtain", "BREAKS"
    message = run(bpy.ops.bdem.break_objects)
    expect(scene.bdem.is_error and message.startswith("Curtain: it encloses no volume"), message)
    curtain.bdem.role = "NONE"
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    scene.collection.objects.link(lamp)
    lamp.bdem.role = "BREAKS"
    expect("Lamp: it has no mesh" in run(bpy.ops.bdem.break_objects), scene.bdem.message)
    lamp.bdem.role = "NONE"
    thing.hide_viewport = True
    expect("Mug: it is disabled in viewports" in run(bpy.ops.bdem.check), scene.bdem.message)
    thing.hide_viewport = False
    # what is hidden for a while takes part, and what another view layer has does not
    thing.hide_set(True)
    aside = bpy.data.collections.new("Aside")
    scene.collection.children.link(aside)
    aside.objects.link(ball("Other", 0.02))
    other = aside.objects[0]
    scene.collection.objects.unlink(other)
    other.bdem.role = "BREAKS"
    bpy.context.view_layer.layer_collection.children["Aside"].exclude = True
    message = run(bpy.ops.bdem.check)
    expect("pieces: Mug: 1 piece" in message and "Other" not in message, message)
    set_program(WORK / "none")
    message = run(bpy.ops.bdem.break_objects)
    expect(scene.bdem.is_error and "not found" in message, message)
    set_program(PROGRAM)


def test_unsaved_plain_object() -> None:
    """An object without texture coordinates and material, in a file that was never saved."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.bdem.frames, scene.bdem.slow_motion, scene.bdem.bends = 5, 0.02, False
    tile = falling_tile("glass", 20.0)
    message = break_all()
    expect("Save the .blend" in message, message)
    glass = tile.bdem.inside_material.node_tree.nodes["Principled BSDF"].inputs
    expect(glass["Alpha"].default_value == 1.0 and glass["Transmission Weight"].default_value > 0.5, "glass is thin air")
    for part in pieces(scene):
        expect(all(part.data.materials) and part.data.materials, f"{part.name} has no material")
        expect(not part.modifiers, f"{part.name} needs a file")


def test_strengths_for_a_number_of_pieces() -> None:
    """Strengths that the program finds become those of the object."""
    scene = fresh("strengths", 4, 0.02)
    tile = falling_tile("plaster", 12.0)
    scene.bdem.pieces_wanted = 6
    message = run(bpy.ops.bdem.find_strengths)
    expect("Strengths are set" in message and tile.bdem.tensile_strength > 0.0, message)


def background_break():
    """The operator as its timer calls it, since there is no window."""
    operators = sys.modules[f"{MODULE}.operators"]
    own = {name: getattr(operators.BDEM_OT_break, name) for name in ["commands", "finish", "wish"]}
    members = {**own, "finer": 1.0, "timer": None, "report": lambda self, kind, message: None}
    return type("BackgroundBreak", (operators.BackgroundWork,), members)()


def test_progress_and_cancel() -> None:
    """A run in the background tells its progress. One that is cancelled ends at once, and leaves everything as it was."""
    manager = SimpleNamespace(windows=[], event_timer_remove=lambda timer: None)
    scene = fresh("progress", 6, 0.02)
    tile = falling_tile("plaster", 12.0)
    context = SimpleNamespace(scene=scene, view_layer=bpy.context.view_layer, window_manager=manager)
    tick = SimpleNamespace(type="TIMER")
    looks, shares = background_break(), []
    expect(looks.begin(context), scene.bdem.message)
    expect(not background_break().begin(context) and "runs already" in scene.bdem.message, "a second run begins")
    while looks.modal(context, tick) == {"PASS_THROUGH"}:
        shares.append(scene.bdem.progress)
        time.sleep(0.02)
    expect(not scene.bdem.is_error and tile.bdem.is_hidden, scene.bdem.message)
    expect(shares == sorted(shares) and any(0.0 < share < 1.0 for share in shares), f"its progress is {shares}")
    before = sorted(part.name for part in pieces(scene))

    scene.bdem.frames, scene.bdem.slow_motion, tile.bdem.radius = 500, 1.0, 0.003
    looks = background_break()
    expect(looks.begin(context), scene.bdem.message)
    time.sleep(2.0)
    expect(looks.modal(context, tick) == {"PASS_THROUGH"} and scene.bdem.is_running, "it has ended")
    began = time.time()
    bpy.ops.bdem.cancel()
    expect(looks.modal(context, tick) == {"CANCELLED"} and time.time() - began < 8.0, "it goes on")
    expect(scene.bdem.message == "Cancelled" and not scene.bdem.is_running, scene.bdem.message)
    expect(sorted(part.name for part in pieces(scene)) == before and tile.bdem.is_hidden, "the last pieces are gone")


def test_another_scene_is_shown_at_the_end() -> None:
    """Pieces come into the scene of their objects, whichever is shown by then."""
    scene = fresh("scenes", 6, 0.02)
    tile = falling_tile("plaster", 12.0)
    looks = background_break()
    expect(looks.begin(bpy.context), scene.bdem.message)
    looks.work.wait()
    other = bpy.data.scenes.new("Other")
    with bpy.context.temp_override(scene=other, view_layer=other.view_layers[0]):
        expect(looks.end(bpy.context) == {"FINISHED"}, scene.bdem.message)
    expect(not other.objects and not other.bdem.message, "pieces are in another scene")
    expect(pieces(scene) and all(part.name in scene.objects for part in pieces(scene)) and tile.bdem.is_hidden, "pieces are missing")


def test_panel() -> None:
    """The panel draws properties and operators that there are."""
    module = sys.modules[f"{MODULE}.panel"]
    drawn: list[str] = []

    class Layout:
        """A layout that looks whether there is what it draws."""

        def prop(self, data: object, name: str, **_options: object) -> None:
            """A property."""
            expect(hasattr(data, name), f"there is no property {name}")
            drawn.append(name)

        def operator(self, name: str, **_options: object) -> SimpleNamespace:
            """A button."""
            group, action = name.split(".")
            expect(action in dir(getattr(bpy.ops, group)), f"there is no operator {name}")
            drawn.append(name)
            return SimpleNamespace()

        def label(self, text: str, icon: str = "NONE") -> None:
            """A text."""
            drawn.append(text)

        def progress(self, factor: float, text: str) -> None:
            """A bar."""
            drawn.append(f"{factor:.1f}")

        def row(self, **_options: object) -> "Layout":
            """A row."""
            return Layout()

        column = row

        def separator(self) -> None:
            """A gap."""

    panel = type("Panel", (), {name: getattr(module.BDEM_PT_panel, name) for name in ["draw", "draw_object", "draw_run"]})()
    panel.layout = Layout()
    scene = fresh("panel", 4, 0.05)
    thing = mug()
    context = SimpleNamespace(object=thing, scene=scene, region=SimpleNamespace(width=300), preferences=bpy.context.preferences)
    for role in ["NONE", "BREAKS", "COLLIDER", "FLOOR"]:
        thing.bdem.role = role
        panel.draw(context)
    scene.bdem.message, scene.bdem.is_error = "an error of many words that does not fit into one line of the panel", True
    scene.bdem.is_running, scene.bdem.progress = True, 0.5
    panel.draw(context)
    wanted = {"role", "material", "radius", "friction", "frames", "bdem.break_objects", "bdem.check", "bdem.cancel", "0.5"}
    expect(wanted <= set(drawn), f"the panel lacks {wanted - set(drawn)}")
    expect("an error of many words" in " ".join(drawn), "the panel has no message")


def main() -> None:
    """All tests."""
    install()
    picture = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else WORK / "mug.png"
    known = json.loads(subprocess.run([str(PROGRAM), "schema"], check=True, capture_output=True).stdout)["definitions"]
    names = [item[0] for item in sys.modules[f"{MODULE}.settings"]._materials(None, None)]
    expect(names == [choice["const"] for choice in known["MaterialPreset"]["oneOf"]], f"materials are {names}")
    tests = [
        test_errors,
        test_panel,
        test_progress_and_cancel,
        test_another_scene_is_shown_at_the_end,
        test_transforms,
        test_centimetres,
        test_rerun_finer_and_clear,
        test_undo,
        test_two_objects_and_animated_start,
        test_colliders_follow_their_animation,
        test_floors_of_any_direction,
        test_unsaved_plain_object,
        test_strengths_for_a_number_of_pieces,
        lambda: test_mug_struck_by_a_ball(picture),
    ]
    for test in tests:
        print(getattr(test, "__doc__", None) or "A mug that a ball strikes.", flush=True)
        test()
    print(f"test_extension: the extension in Blender {bpy.app.version_string}: well")


main()
shutil.rmtree(WORK)
# Blender's module crashes when it is unloaded
sys.stdout.flush()
os._exit(0)
