# SPDX-License-Identifier: Apache-2.0
"""Panel in the physics tab of Properties."""

import textwrap

import bpy

from .preferences import executable

# Mean width of a letter in pixels of an interface at scale 1, and the least number of letters in a line.
LETTER = 7.0
LEAST = 24


def text_lines(layout: bpy.types.UILayout, context: bpy.types.Context, message: str, icon: str) -> None:
    """Draws a message in lines that fit the panel."""
    scale = context.preferences.system.ui_scale or 1.0
    width = max(LEAST, int(context.region.width / (LETTER * scale)) - 6)
    column = layout.column(align=True)
    for paragraph in message.splitlines():
        for line in textwrap.wrap(paragraph, width) or [""]:
            column.label(text=line, icon=icon)
            icon = "BLANK1"


class BDEM_PT_panel(bpy.types.Panel):
    """Settings of an object, and the run."""

    bl_label = "bdem"
    bl_idname = "BDEM_PT_panel"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an object."""
        return context.object is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Drawing of the panel."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        self.draw_object(context.object)
        layout.separator()
        self.draw_run(context)

    def draw_object(self, thing: bpy.types.Object) -> None:
        """Part of the object."""
        layout, settings = self.layout, thing.bdem
        layout.prop(settings, "role")
        if settings.role == "BREAKS":
            layout.prop(settings, "material")
            layout.prop(settings, "softness")
            layout.prop(settings, "packing")
            layout.prop(settings, "radius")
            if settings.radius == 0.0 and settings.used_radius > 0.0:
                layout.label(text=f"automatic: {settings.used_radius:.3g}")
            column = layout.column(align=True)
            column.prop(settings, "tensile_strength")
            column.prop(settings, "shear_strength")
            layout.prop(settings, "keyed_velocity")
            column = layout.column(align=True)
            column.active = not settings.keyed_velocity
            column.prop(settings, "velocity")
            column.prop(settings, "spin")
            layout.prop(settings, "inside_material")
        elif settings.role in {"COLLIDER", "FLOOR"}:
            layout.prop(settings, "friction")

    def draw_run(self, context: bpy.types.Context) -> None:
        """Part of the scene."""
        layout, settings = self.layout, context.scene.bdem
        column = layout.column(align=True)
        column.prop(settings, "start")
        column.prop(settings, "frames")
        column.prop(settings, "slow_motion")
        column.prop(settings, "seed")
        layout.prop(settings, "bends")
        layout.prop(settings, "rough")
        layout.prop(settings, "folder")
        if executable() is None:
            text_lines(layout, context, "The program bdem is not found: set its path in the preferences of the extension", "ERROR")
        if settings.is_running:
            row = layout.row(align=True)
            row.progress(factor=settings.progress, text=settings.label)
            row.operator("bdem.cancel", text="", icon="X")
        else:
            layout.operator("bdem.check", icon="VIEWZOOM")
            row = layout.row(align=True)
            row.prop(settings, "pieces_wanted")
            row.operator("bdem.find_strengths")
            row = layout.row(align=True)
            row.scale_y = 1.4
            row.operator("bdem.break_objects", icon="MOD_EXPLODE")
            row.operator("bdem.break_objects", text="Finer").finer = 0.7
            if settings.pieces is not None or context.object.bdem.is_hidden:
                layout.operator("bdem.clear", icon="TRASH")
        if settings.message:
            text_lines(layout, context, settings.message, "ERROR" if settings.is_error else "INFO")


def register() -> None:
    """Registration of the panel."""
    bpy.utils.register_class(BDEM_PT_panel)


def unregister() -> None:
    """Removal of the panel."""
    bpy.utils.unregister_class(BDEM_PT_panel)
