# SPDX-License-Identifier: Apache-2.0
"""Blender extension: breaks objects by the program bdem.

The extension writes a scene for bdem, runs it, and imports what `bdem convert` writes. All physics is in the program.
"""

from . import operators, panel, preferences, settings

MODULES = (preferences, settings, operators, panel)


def register() -> None:
    """Registration of all classes and properties."""
    for module in MODULES:
        module.register()


def unregister() -> None:
    """Removal of all classes and properties."""
    for module in reversed(MODULES):
        module.unregister()
