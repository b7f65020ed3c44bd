# SPDX-License-Identifier: Apache-2.0
"""Properties of objects and of Blender's scene."""

import zlib

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import program
from .preferences import executable

# Blender keeps no reference to the texts of a list that a function returns.
_items: list[tuple[str, str, str, int]] = []


def _number(name: str) -> int:
    """Number under which a .blend file keeps a name of the list. It does not depend on the list."""
    return zlib.crc32(name.encode()) & 0x7FFFFFFF


def _materials(_settings: object, _context: bpy.types.Context | None) -> list[tuple[str, str, str, int]]:
    """Materials that the program knows."""
    known = program.material_presets(executable())
    items = [(name, name.capitalize(), description, _number(name)) for name, description in known]
    if items != _items:
        _items[:] = items
    return _items


ROLES = [
    ("NONE", "None", "It takes no part"),
    ("BREAKS", "Breaks", "It falls, strikes and breaks"),
    ("COLLIDER", "Collider", "A closed mesh that others strike. It moves by its own animation"),
    ("FLOOR", "Floor", "The plane through its origin, across its local Z, without an edge"),
]

PACKINGS = [
    ("SHELL", "Layers", "Particles in layers along the surface, also in thin walls"),
    ("RANDOM", "Random", "Particles at random, for solid objects"),
    ("LATTICE", "Lattice", "Particles in a close packing, as wood needs. Its rows show in cracks"),
]


class BdemObject(bpy.types.PropertyGroup):
    """What an object does when things break, and of what it is."""

    role: EnumProperty(name="Role", description="Part of this object in the simulation", items=ROLES)
    material: EnumProperty(name="Material", description="Material by its name in bdem", items=_materials, default=_number("ceramic"))
    softness: FloatProperty(
        name="Softness",
        description="Factor by which the material is softer, so that a run takes less time. It breaks alike. 1 is the real stiffness",
        default=20.0,
        min=1.0,
        soft_max=200.0,
        max=1e6,
    )
    radius: FloatProperty(
        name="Particle Radius",
        description="Radius of the particles. Half of it takes eight times the particles, and makes finer cracks. 0: some four thousand particles",
        subtype="DISTANCE",
        min=0.0,
        precision=5,
        step=0.01,
    )
    packing: EnumProperty(name="Packing", description="Arrangement of the particles", items=PACKINGS)
    velocity: FloatVectorProperty(name="Velocity", description="Velocity at the start, m/s", size=3, subtype="XYZ")
    spin: FloatVectorProperty(name="Spin", description="Angular velocity about the object's origin at the start, rad/s", size=3, subtype="XYZ")
    keyed_velocity: BoolProperty(
        name="Velocity of Its Animation", description="Start with the velocity and the spin that its animation has at the first frame"
    )
    tensile_strength: FloatProperty(name="Tensile Strength", description="Tensile strength, Pa. 0: that of the material", min=0.0, precision=0)
    shear_strength: FloatProperty(name="Shear Strength", description="Shear strength, Pa. 0: that of the material", min=0.0, precision=0)
    friction: FloatProperty(name="Friction", description="Coefficient of friction of this collider", default=0.5, min=0.0, soft_max=1.5)
    inside_material: PointerProperty(
        name="Cracks", description="Material of crack faces. Empty: the program's own, after which it is set here", type=bpy.types.Material
    )
    # Radius of the last run, in Blender's unit.
    used_radius: FloatProperty(options={"HIDDEN"})
    # Frame from which on the object is hidden, in place of which there are its pieces; meaningful where is_hidden is set.
    hidden_from: IntProperty(options={"HIDDEN"})
    is_hidden: BoolProperty(options={"HIDDEN"})


class BdemScene(bpy.types.PropertyGroup):
    """Settings of a run, and what it said."""

    start: IntProperty(name="Start", description="First frame: objects are as they are in it", default=1)
    frames: IntProperty(name="Frames", description="Number of frames after the first", default=48, min=1, soft_max=500)
    slow_motion: FloatProperty(
        name="Slow Motion",
        description="Simulated seconds per second of playback: 1 is real time, 0.1 ten times slower. Colliders are as fast as their animation plays",
        default=1.0,
        min=1e-5,
        soft_min=0.01,
        soft_max=1.0,
        max=10.0,
    )
    seed: IntProperty(name="Seed", description="Another number makes other cracks", min=0)
    pieces_wanted: IntProperty(name="Pieces", description="Number of pieces for which strengths are found", default=20, min=1)
    bends: BoolProperty(
        name="Bending Pieces",
        description="Pieces bend, and cracks that end in a piece open. Their points stay in a file beside the .blend. Off: all pieces are rigid",
        default=True,
    )
    rough: FloatProperty(
        name="Roughness",
        description="Height of the bumps of crack faces, in particle radii",
        default=0.3,
        min=0.0,
        max=2.0,
    )
    folder: StringProperty(name="Folder", description="Folder of scenes and runs", default="//bdem", subtype="DIR_PATH")
    message: StringProperty(name="Message", options={"SKIP_SAVE"})
    is_error: BoolProperty(options={"SKIP_SAVE"})
    is_running: BoolProperty(options={"SKIP_SAVE"})
    label: StringProperty(options={"SKIP_SAVE"})
    progress: FloatProperty(min=0.0, max=1.0, options={"SKIP_SAVE"})
    pieces: PointerProperty(type=bpy.types.Collection)


CLASSES = (BdemObject, BdemScene)


def register() -> None:
    """Registration of the properties."""
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.Object.bdem = PointerProperty(type=BdemObject)
    bpy.types.Scene.bdem = PointerProperty(type=BdemScene)


def unregister() -> None:
    """Removal of the properties."""
    del bpy.types.Scene.bdem
    del bpy.types.Object.bdem
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
