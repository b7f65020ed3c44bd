# SPDX-License-Identifier: Apache-2.0
"""Pieces of a run in place of their objects: what `bdem convert --to usd` writes, with keys and the objects' own materials."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import bpy
from mathutils import Matrix, Quaternion, Vector

from .scene_file import Written, at_frame, metres

# Scale below which an object counts as not there: the file hides objects by a scale of 0.
HIDDEN_SCALE = 1e-4

# Displacement of a body from which on it counts as moved, as a share of its size.
MOVED = 1e-4

# Custom property of materials that came with pieces.
MARK = "bdem"

HIDES = ("hide_viewport", "hide_render")


@dataclass
class Track:
    """Places and rotations of a piece, a frame each, and whether it is there."""

    places: list[Vector] = field(default_factory=list)
    rotations: list[Quaternion] = field(default_factory=list)
    is_shown: list[bool] = field(default_factory=list)

    def add(self, world: Matrix) -> None:
        """Adds the next frame. A piece that is not there keeps its pose."""
        place, rotation, scale = world.decompose()
        shown = max(abs(s) for s in scale) > HIDDEN_SCALE
        if not shown and self.rotations:
            place, rotation = self.places[-1], self.rotations[-1]
        elif shown and not any(self.is_shown):
            # nothing is known of the frames before
            self.places = [place] * len(self.places)
            self.rotations = [rotation] * len(self.rotations)
        if self.rotations:
            rotation.make_compatible(self.rotations[-1])
        self.places.append(place)
        self.rotations.append(rotation)
        self.is_shown.append(shown)

    def first_shown(self) -> int | None:
        """Index of the first frame in which it is there."""
        return self.is_shown.index(True) if any(self.is_shown) else None

    def first_moved(self, least: float) -> int | None:
        """Index of the first frame in which it is away from its first pose by more than a length."""
        at = self.first_shown() or 0
        for k, (place, rotation) in enumerate(zip(self.places, self.rotations)):
            turned = rotation.rotation_difference(self.rotations[at]).angle
            if (place - self.places[at]).length > least or turned > MOVED:
                return k
        return None


def new_curves(thing: bpy.types.ID):
    """Curves of an animation of its own for an object without one."""
    animation = thing.animation_data_create()
    action = bpy.data.actions.new(thing.name)
    animation.action = action
    if bpy.app.version < (4, 4, 0):
        return action.fcurves
    slot = action.slots.new("OBJECT", thing.name)
    animation.action_slot = slot
    strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves


def all_curves(thing: bpy.types.ID):
    """Groups of curves of an object's animation."""
    action = thing.animation_data.action if thing.animation_data else None
    if action is None:
        return []
    if bpy.app.version < (4, 4, 0):
        return [action.fcurves]
    slot = thing.animation_data.action_slot
    strips = [strip for layer in action.layers for strip in layer.strips if slot]
    return [bag.fcurves for bag in (strip.channelbag(slot) for strip in strips) if bag]


def key(curves, path: str, index: int, start: int, values: list[float], interpolation: str) -> None:
    """Adds a curve with a key where its value begins, goes on or ends to change."""
    last = len(values) - 1
    chosen = [
        k
        for k, value in enumerate(values)
        if k in (0, last) or not (values[k - 1] == value and values[k + 1] == value)
    ]
    curve = curves.new(path, index=index)
    curve.keyframe_points.add(len(chosen))
    for point, k in zip(curve.keyframe_points, chosen):
        point.co = (start + k, values[k])
        point.interpolation = interpolation
    curve.update()


def show(thing: bpy.types.Object) -> None:
    """Shows an object that was hidden in favour of its pieces."""
    for curves in all_curves(thing):
        for curve in [curve for curve in curves if curve.data_path in HIDES]:
            curves.remove(curve)
    for path in HIDES:
        setattr(thing, path, False)
    thing.bdem.is_hidden = False


def hide_from(thing: bpy.types.Object, frame: int) -> None:
    """Hides an object from a frame on, by keys."""
    show(thing)
    for path in HIDES:
        for at, value in [(frame - 1, False), (frame, True)]:
            setattr(thing, path, value)
            thing.keyframe_insert(path, frame=at)
    thing.bdem.is_hidden, thing.bdem.hidden_from = True, frame


def remove_pieces(scene: bpy.types.Scene) -> None:
    """Removes the pieces of the last run."""
    collection = scene.bdem.pieces
    if collection is None:
        return
    for thing in list(collection.all_objects):
        data, action = thing.data, thing.animation_data and thing.animation_data.action
        caches = [modifier.cache_file for modifier in thing.modifiers if modifier.type == "MESH_SEQUENCE_CACHE"]
        bpy.data.objects.remove(thing)
        for item in {data, action, *caches} - {None}:
            if item.users == 0:
                bpy.data.batch_remove([item])
    bpy.data.collections.remove(collection)
    bpy.data.batch_remove([material for material in bpy.data.materials if material.get(MARK) and material.users == 0])


def glass(material: bpy.types.Material) -> None:
    """Makes glass that refracts of one that is thin air: USD knows opacity alone."""
    if not material.node_tree:
        return
    for node in material.node_tree.nodes:
        if node.type == "BSDF_PRINCIPLED" and not node.inputs["Alpha"].is_linked and node.inputs["Alpha"].default_value < 1.0:
            node.inputs["Transmission Weight"].default_value = 1.0 - node.inputs["Alpha"].default_value
            node.inputs["Alpha"].default_value = 1.0


def plain_name(name: str) -> str:
    """Name without the number that Blender adds to one that is taken."""
    return re.sub(r"\.\d{3,}$", "", name)


def import_file(context: bpy.types.Context, path: Path) -> tuple[list[bpy.types.Object], set[bpy.types.Material]]:
    """Objects and materials of a USD file. The selection stays as it is."""
    view = context.view_layer
    active, selected = view.objects.active, [thing for thing in view.objects if thing.select_get()]
    known, materials = set(bpy.data.objects), set(bpy.data.materials)
    options = {
        "import_cameras": False,
        "import_lights": False,
        "import_guide": False,
        "set_frame_range": False,
        "create_world_material": False,
        "mtl_name_collision_mode": "MAKE_UNIQUE",
        "attr_import_mode": "ALL",
        "property_import_mode": "ALL",
    }
    there = bpy.ops.wm.usd_import.get_rna_type().properties.keys()
    bpy.ops.wm.usd_import(filepath=str(path), **{name: value for name, value in options.items() if name in there})
    found = [thing for thing in bpy.data.objects if thing not in known]
    for thing in view.objects:
        thing.select_set(thing in selected)
    view.objects.active = active
    return found, set(bpy.data.materials) - materials


def is_below(thing: bpy.types.Object, name: str) -> bool:
    """Whether an ancestor has this name, numbers aside."""
    parent = thing.parent
    while parent is not None:
        if plain_name(parent.name) == name:
            return True
        parent = parent.parent
    return False


def bake(scene: bpy.types.Scene, things: list[bpy.types.Object]) -> dict[str, Track]:
    """Tracks of imported objects through the run."""
    tracks = {thing.name: Track() for thing in things}
    modifiers = [(m, m.show_viewport) for thing in things for m in thing.modifiers]
    for modifier, _ in modifiers:
        modifier.show_viewport = False
    with at_frame(scene, scene.bdem.start):
        for k in range(scene.bdem.frames + 1):
            scene.frame_set(scene.bdem.start + k)
            for thing in things:
                tracks[thing.name].add(thing.matrix_world)
    for modifier, shown in modifiers:
        modifier.show_viewport = shown
    return tracks


def give_keys(thing: bpy.types.Object, track: Track, start: int, scale: float) -> None:
    """Keys of a piece in place of what followed the file. Before the first frame it is hidden."""
    thing.parent = None
    for constraint in list(thing.constraints):
        thing.constraints.remove(constraint)
    thing.rotation_mode = "QUATERNION"
    thing.scale = (scale,) * 3
    thing.location, thing.rotation_quaternion = track.places[0] * scale, track.rotations[0]
    curves = new_curves(thing)
    for k in range(3):
        key(curves, "location", k, start, [place[k] * scale for place in track.places], "LINEAR")
    for k in range(4):
        key(curves, "rotation_quaternion", k, start, [rotation[k] for rotation in track.rotations], "LINEAR")
    hidden = [1.0] + [0.0 if shown else 1.0 for shown in track.is_shown]
    for path in HIDES:
        key(curves, path, 0, start - 1, hidden, "CONSTANT")


def give_materials(thing: bpy.types.Object, original: bpy.types.Object, slots: dict[str, str]) -> None:
    """The original's materials in the slots of a piece."""
    materials = thing.data.materials
    for k, material in enumerate(materials):
        if material is None:
            continue
        name = plain_name(material.name)
        if name in slots:
            materials[k] = bpy.data.materials.get(slots[name])
        elif name.endswith("_inside"):
            inside = original.bdem.inside_material
            if inside is None:
                material.name = f"{original.name} inside"
                material.use_fake_user = False
                original.bdem.inside_material = inside = material
                glass(material)
            materials[k] = inside
        else:
            glass(material)
    layers = getattr(thing.data, "uv_layers", [])
    names = getattr(original.data, "uv_layers", [])
    if len(layers) == 1 and len(names) and names.active:
        layers[0].name = names.active.name


def import_pieces(context: bpy.types.Context, written: Written, path: Path) -> int:
    """Imports the pieces of a run in place of their objects. Returns their number."""
    scene, start = context.scene, context.scene.bdem.start
    scale = 1.0 / metres(scene)
    remove_pieces(scene)
    collection = bpy.data.collections.new("Pieces")
    scene.collection.children.link(collection)
    scene.bdem.pieces = collection
    found, materials = import_file(context, path)
    is_piece = lambda thing: thing.data is not None and not is_below(thing, "colliders")
    things = [thing for thing in found if is_piece(thing)]
    tracks = bake(scene, things)
    wholes: dict[str, tuple[bpy.types.Object, Track]] = {}
    parts: dict[str, list[tuple[bpy.types.Object, Track]]] = {body: [] for body in written.objects}
    for thing in things:
        track = tracks[thing.name]
        thing.animation_data_clear()
        give_keys(thing, track, start, scale)
        for holder in list(thing.users_collection):
            holder.objects.unlink(thing)
        collection.objects.link(thing)
        body = thing.get("body") or thing.data.get("body") or next((b for b in written.objects if thing.name.startswith(b)), None)
        original = bpy.data.objects.get(written.objects.get(body, ""))
        if original is None:
            continue
        give_materials(thing, original, written.slots[body])
        thing["bdem_object"] = original.name
        if plain_name(thing.name).endswith("_whole"):
            wholes[body] = (thing, track)
        elif thing.type == "MESH":
            parts[body].append((thing, track))
        thing.name = re.sub(f"^{re.escape(body)}", lambda _: original.name, plain_name(thing.name))
    for body, name in written.objects.items():
        original = bpy.data.objects.get(name)
        # a body that does not break is one piece
        whole = wholes.get(body) or (parts[body][0] if len(parts[body]) == 1 else None)
        if original is not None:
            take_place(original, whole, start)
    for thing in found:
        if thing not in things:
            bpy.data.objects.remove(thing)
    for material in materials:
        material[MARK] = True
    bpy.data.batch_remove([material for material in materials if material.users == 0])
    bpy.data.batch_remove([cache for cache in bpy.data.cache_files if cache.users == 0])
    if bpy.data.filepath:
        for thing in collection.objects:
            for modifier in thing.modifiers:
                modifier.cache_file.filepath = bpy.path.relpath(modifier.cache_file.filepath)
    scene.frame_end = max(scene.frame_end, start + scene.bdem.frames)
    return sum(len(pieces) for pieces in parts.values() if len(pieces) > 1)


def take_place(original: bpy.types.Object, whole: tuple[bpy.types.Object, Track] | None, start: int) -> None:
    """Hides an object from the frame on in which it moves or breaks; until then its whole is hidden."""
    if whole is None:
        hide_from(original, start)
        return
    thing, track = whole
    bends = any(modifier.type == "MESH_SEQUENCE_CACHE" for modifier in thing.modifiers)
    size = max(original.dimensions) * metres(bpy.context.scene)
    moved = 0 if bends else track.first_moved(MOVED * size)
    broken = next((k for k, shown in enumerate(track.is_shown) if not shown), len(track.is_shown))
    first = broken if moved is None else min(moved, broken)
    for curves in all_curves(thing):
        for curve in [curve for curve in curves if curve.data_path in HIDES]:
            curves.remove(curve)
        hidden = [1.0] + [0.0 if shown and k >= first else 1.0 for k, shown in enumerate(track.is_shown)]
        for path in HIDES:
            key(curves, path, 0, start - 1, hidden, "CONSTANT")
    if first < len(track.is_shown):
        hide_from(original, start + first)
    else:
        show(original)
