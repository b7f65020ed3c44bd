# SPDX-License-Identifier: Apache-2.0
"""Scene of bdem from the objects of a Blender scene: a TOML file, OBJ files, and CSV files of moving colliders.

Lengths are in metres. Both programs have z up, so that coordinates stay. A mesh is written in its object's frame, turned back
but with its scale, so that any transform is right: of parents, negative, not applied, or sheared.
"""

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import bmesh
import bpy
from mathutils import Matrix, Quaternion, Vector

# Number of particles of an object without a radius, about, and the share of a shape that they fill.
PARTICLES = 4000
SOLID = 0.45

# Poses of a moving collider per frame.
POSES = 2

# Damping of bonds, as a share of the critical one, and the time in which vibrations of a hard material decay, s.
DAMPING = 0.2
VIBRATION_DECAY = 1e-4

# Objects that have a mesh, at least when they are evaluated.
KINDS = {"MESH", "CURVE", "SURFACE", "FONT", "META"}

LATTICES = {"SHELL": "{ shell = { fill = true } }", "RANDOM": '"random"', "LATTICE": '"hexagonal"'}


class SceneFault(Exception):
    """Something that cannot be written, with the object's name and what to change."""


@dataclass
class Written:
    """What is in the files of a scene: names there, and the objects that they stand for."""

    path: Path
    name: str
    # By the name of a body: its object, and the materials of its slots by their names in the file.
    objects: dict[str, str] = field(default_factory=dict)
    slots: dict[str, dict[str, str]] = field(default_factory=dict)
    # Radii of particles (m) by the names of objects.
    radii: dict[str, float] = field(default_factory=dict)


@dataclass
class Wish:
    """What a scene has in place of its objects' settings."""

    # Factor on the radii of particles: on those of the last run where they are automatic.
    finer: float = 1.0
    # Whether strengths that were set count, in place of the materials' own.
    is_tuned: bool = True


@dataclass
class Pose:
    """Place and rotation of an object, and what is left of its transform: scale and shear."""

    place: Vector
    rotation: Quaternion
    rest: Matrix

    @classmethod
    def of(cls, world: Matrix) -> "Pose":
        """Pose of a transform."""
        place, rotation, _ = world.decompose()
        rest = rotation.to_matrix().inverted() @ world.to_3x3()
        return cls(place, rotation, rest)


def metres(scene: bpy.types.Scene) -> float:
    """Length of Blender's unit, m."""
    return scene.unit_settings.scale_length


def frame_rate(scene: bpy.types.Scene) -> float:
    """Frames per second of simulated time."""
    return scene.render.fps / scene.render.fps_base / scene.bdem.slow_motion


def safe_name(name: str, taken: set[str]) -> str:
    """Name of letters, digits and underscores that begins with a letter and is not taken. It is added to those taken."""
    safe = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:60]
    if not safe or not safe[0].isalpha():
        safe = f"object_{safe}".rstrip("_")
    base, number = safe, 2
    while safe.lower() in taken:
        safe, number = f"{base}_{number}", number + 1
    taken.add(safe.lower())
    return safe


@contextmanager
def at_frame(scene: bpy.types.Scene, frame: int) -> Iterator[None]:
    """Shows a frame, and afterwards the one that was shown."""
    shown, part = scene.frame_current, scene.frame_subframe
    scene.frame_set(frame)
    try:
        yield
    finally:
        scene.frame_set(shown, subframe=part)


@contextmanager
def evaluated_mesh(thing: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """Mesh of an object with its modifiers."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    try:
        if mesh is None or not mesh.polygons:
            raise SceneFault(f"{thing.name}: it has no faces")
        yield mesh
    finally:
        evaluated.to_mesh_clear()


def volume(mesh: bpy.types.Mesh, rest: Matrix, unit: float) -> float:
    """Volume of a mesh, m3."""
    solid = bmesh.new()
    try:
        solid.from_mesh(mesh)
        solid.transform(rest.to_4x4())
        return abs(solid.calc_volume(signed=True)) * unit**3
    finally:
        solid.free()


def numbers(values: Vector | Quaternion | list[float]) -> str:
    """List of numbers in TOML."""
    return "[" + ", ".join(repr(float(value)) for value in values) + "]"


def text(value: str) -> str:
    """String in TOML."""
    return json.dumps(value, ensure_ascii=False)


def write_obj(path: Path, mesh: bpy.types.Mesh, rest: Matrix, slots: list[str] | None) -> None:
    """Writes polygons with texture coordinates, normals and the names of their slots. An empty name is no slot."""
    turned = rest.determinant() < 0.0
    normal_matrix = rest.inverted().transposed()
    layer = mesh.uv_layers.active
    lines = [f"v {p.x:.9g} {p.y:.9g} {p.z:.9g}" for p in (rest @ vertex.co for vertex in mesh.vertices)]
    if layer is not None:
        lines += [f"vt {corner.uv.x:.7g} {corner.uv.y:.7g}" for corner in layer.data]
    for corner in mesh.corner_normals:
        n = (normal_matrix @ corner.vector).normalized()
        lines.append(f"vn {n.x:.5f} {n.y:.5f} {n.z:.5f}")
    vertex_of = [loop.vertex_index for loop in mesh.loops]
    slot_of = lambda polygon: slots[min(polygon.material_index, len(slots) - 1)] if slots else ""
    current = ""
    # faces in no slot come first, since no line ends a slot
    for polygon in sorted(mesh.polygons, key=slot_of):
        if slot_of(polygon) != current:
            current = slot_of(polygon)
            lines.append(f"usemtl {current}")
        corners = list(polygon.loop_indices)
        if turned:
            corners.reverse()
        texture = (lambda k: k + 1) if layer is not None else (lambda k: "")
        lines.append("f " + " ".join(f"{vertex_of[k] + 1}/{texture(k)}/{k + 1}" for k in corners))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def slot_names(thing: bpy.types.Object, body: str, mesh: bpy.types.Mesh) -> tuple[list[str], dict[str, str]]:
    """Names of an object's slots in its OBJ file, and the materials in them by these names. Empty slots have no name."""
    names, materials = [], {}
    count = max(len(mesh.materials), len(thing.material_slots))
    for k in range(count):
        slot = thing.material_slots[k].material if k < len(thing.material_slots) else mesh.materials[k]
        names.append(f"{body}_slot_{k}" if slot else "")
        if slot:
            materials[names[-1]] = slot.name
    return names, materials


def rotation_line(rotation: Quaternion) -> str:
    """Rotation of a body or a collider in TOML."""
    axis, angle = rotation.to_axis_angle()
    if axis.length == 0.0:
        axis = Vector((0.0, 0.0, 1.0))
    return f"{{ axis = {numbers(axis)}, degrees = {math.degrees(angle)!r} }}"


def velocities(scene: bpy.types.Scene, thing: bpy.types.Object, pose: Pose) -> tuple[Vector, Vector]:
    """Velocity and angular velocity (m/s, rad/s) that the object's animation has after the first frame."""
    with at_frame(scene, scene.bdem.start + 1):
        later = Pose.of(thing.matrix_world)
    axis, angle = (later.rotation @ pose.rotation.inverted()).to_axis_angle()
    angle = math.remainder(angle, 2.0 * math.pi)
    rate = frame_rate(scene)
    return (later.place - pose.place) * (metres(scene) * rate), axis * (angle * rate)


def body_lines(scene: bpy.types.Scene, thing: bpy.types.Object, body: str, folder: Path, written: Written, wish: Wish) -> list[str]:
    """Material and body of an object that breaks. Writes its mesh."""
    settings, unit = thing.bdem, metres(scene)
    pose = Pose.of(thing.matrix_world)
    if abs(pose.rest.determinant()) < 1e-18:
        raise SceneFault(f"{thing.name}: its scale is 0")
    with evaluated_mesh(thing) as mesh:
        names, materials = slot_names(thing, body, mesh)
        radius = (settings.radius or (settings.used_radius if wish.finer < 1.0 else 0.0)) * unit * wish.finer
        if radius == 0.0:
            radius = (volume(mesh, pose.rest, unit) * SOLID / (PARTICLES * 4.0 / 3.0 * math.pi)) ** (1.0 / 3.0)
            radius = float(f"{radius:.2e}")
        if radius == 0.0:
            raise SceneFault(f"{thing.name}: it encloses no volume; break closed meshes, with a Solidify modifier if need be")
        write_obj(folder / f"{body}.obj", mesh, pose.rest, names)
    written.objects[body], written.slots[body] = thing.name, materials
    written.radii[thing.name] = radius
    velocity, spin = settings.velocity, settings.spin
    if settings.keyed_velocity:
        velocity, spin = velocities(scene, thing, pose)
    lines = [
        f"[materials.{body}]",
        f"preset = {text(settings.material)}",
        f"softness = {settings.softness!r}",
        f"damping = {DAMPING!r}",
        f"vibration_decay = {VIBRATION_DECAY!r}",
    ]
    for key in ["tensile_strength", "shear_strength"]:
        if wish.is_tuned and getattr(settings, key) > 0.0:
            lines.append(f"{key} = {getattr(settings, key):.6g}")
    return lines + [
        "",
        "[[bodies]]",
        f"name = {text(body)}",
        f"material = {text(body)}",
        f"particle_radius = {radius!r}",
        f"packing = {LATTICES[settings.packing]}",
        f"shape = {{ mesh = {{ file = {text(body + '.obj')}, scale = {unit!r} }} }}",
        f"position = {numbers(pose.place * unit)}",
        f"rotation = {rotation_line(pose.rotation)}",
        f"velocity = {numbers(velocity)}",
        f"angular_velocity = {numbers(spin)}",
        "",
    ]


def collider_lines(scene: bpy.types.Scene, thing: bpy.types.Object, name: str, folder: Path, poses: list[Pose]) -> list[str]:
    """Collider of an object, or of its plane where it is a floor. Writes its mesh and its motion."""
    unit, first = metres(scene), poses[0]
    shape = "{ half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }"
    if thing.bdem.role == "COLLIDER":
        with evaluated_mesh(thing) as mesh:
            write_obj(folder / f"{name}.obj", mesh, first.rest, None)
        shape = f"{{ mesh = {{ file = {text(name + '.obj')}, scale = {unit!r} }} }}"
    lines = [
        "[[colliders]]",
        f"name = {text(name)}",
        f"shape = {shape}",
        f"position = {numbers(first.place * unit)}",
        f"rotation = {rotation_line(first.rotation)}",
        f"friction = {thing.bdem.friction!r}",
    ]
    if any((pose.place - first.place).length > 1e-9 or pose.rotation.rotation_difference(first.rotation).angle > 1e-6 for pose in poses):
        if any((pose.rest.row[k] - first.rest.row[k]).length > 1e-3 * first.rest.median_scale for pose in poses for k in range(3)):
            raise SceneFault(f"{thing.name}: a collider cannot change its size")
        rows = ["time,x,y,z,qw,qx,qy,qz"]
        for k, pose in enumerate(poses):
            values = [k / POSES / frame_rate(scene), *(pose.place * unit), *pose.rotation]
            rows.append(",".join(repr(float(value)) for value in values))
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        keys = f"file = {text(name + '.csv')}, pivot = {numbers(first.place * unit)}"
        lines.append(f"motion = {{ keyframes = {{ {keys} }} }}")
    return [*lines, ""]


def sample(scene: bpy.types.Scene, things: list[bpy.types.Object]) -> dict[str, list[Pose]]:
    """Poses of objects through the run, by their names."""
    poses: dict[str, list[Pose]] = {thing.name: [] for thing in things}
    start = scene.bdem.start
    for k in range(scene.bdem.frames * POSES + 1 if things else 0):
        scene.frame_set(start + k // POSES, subframe=k % POSES / POSES)
        for thing in things:
            poses[thing.name].append(Pose.of(thing.matrix_world))
    return poses


def marked(scene: bpy.types.Scene, roles: set[str]) -> list[bpy.types.Object]:
    """Objects of the view layer that have one of the roles."""
    things = [thing for thing in bpy.context.view_layer.objects if thing.bdem.role in roles]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for thing in things:
        if not thing.evaluated_get(depsgraph).is_evaluated:
            raise SceneFault(f"{thing.name}: it is disabled in viewports; enable it, or set its role to None")
        if thing.type not in KINDS and not (thing.bdem.role == "FLOOR" and thing.type == "EMPTY"):
            raise SceneFault(f"{thing.name}: it has no mesh")
        if thing.mode == "EDIT":
            thing.update_from_editmode()
    return things


def write_scene(scene: bpy.types.Scene, folder: Path, wish: Wish = Wish()) -> Written:
    """Writes the scene of all marked objects.

    Raises SceneFault where an object cannot be written, and OSError where a file cannot.
    """
    with at_frame(scene, scene.bdem.start):
        bodies = marked(scene, {"BREAKS"})
        walls = marked(scene, {"COLLIDER", "FLOOR"})
    if not bodies:
        raise SceneFault("No object breaks: set the role of one to Breaks")
    folder.mkdir(parents=True, exist_ok=True)
    name = safe_name(scene.name, set())
    written = Written(folder / f"{name}.toml", name)
    taken = {name.lower()}
    gravity = scene.gravity if scene.use_gravity else Vector((0.0, 0.0, 0.0))
    lines = [
        "# Written by the Blender extension bdem.",
        "[scene]",
        f"name = {text(name)}",
        f"gravity = {numbers(gravity)}",
        f"seed = {scene.bdem.seed}",
        "",
        "[time]",
        f"frame_rate = {frame_rate(scene)!r}",
        f"frames = {scene.bdem.frames}",
        "",
        "[fracture]",
        'axial = "tension"',
        "",
    ]
    with at_frame(scene, scene.bdem.start):
        for thing in bodies:
            lines += body_lines(scene, thing, safe_name(thing.name, taken), folder, written, wish)
        poses = sample(scene, walls)
        scene.frame_set(scene.bdem.start)
        for thing in walls:
            lines += collider_lines(scene, thing, safe_name(thing.name, taken), folder, poses[thing.name])
    written.path.write_text("\n".join(lines), encoding="utf-8")
    return written
