# SPDX-License-Identifier: Apache-2.0
"""Preferences: where the program is."""

import shutil
from pathlib import Path

import bpy
from bpy.props import IntProperty, StringProperty


class BdemPreferences(bpy.types.AddonPreferences):
    """Preferences of the extension."""

    bl_idname = __package__

    executable: StringProperty(
        name="Executable",
        description="Path of the program bdem. Empty: the one that is found on PATH",
        subtype="FILE_PATH",
    )
    threads: IntProperty(
        name="Threads",
        description="Number of threads of a run. 0: all of the machine's. The results do not depend on it",
        min=0,
        max=1024,
    )

    def draw(self, context: bpy.types.Context) -> None:
        """Drawing of the preferences."""
        self.layout.prop(self, "executable")
        self.layout.prop(self, "threads")
        if executable() is None:
            self.layout.label(text="bdem is not found", icon="ERROR")


def preferences() -> BdemPreferences | None:
    """Preferences of the extension, or None where it is no installed add-on."""
    addon = bpy.context.preferences.addons.get(__package__)
    return addon.preferences if addon else None


def executable() -> str | None:
    """Path of the program, or None where it is not found."""
    chosen = preferences()
    if chosen is None or not chosen.executable:
        return shutil.which("bdem")
    path = Path(bpy.path.abspath(chosen.executable))
    return str(path) if path.is_file() else None


def threads() -> int:
    """Number of threads of a run, or 0 for the program's default."""
    chosen = preferences()
    return chosen.threads if chosen else 0


def register() -> None:
    """Registration of the preferences."""
    bpy.utils.register_class(BdemPreferences)


def unregister() -> None:
    """Removal of the preferences."""
    bpy.utils.unregister_class(BdemPreferences)
