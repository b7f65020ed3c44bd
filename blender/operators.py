# SPDX-License-Identifier: Apache-2.0
"""Operators: check, find strengths, break, cancel and clear.

Work runs in the background, and a timer looks at it. Without a window, or called with EXEC_DEFAULT, an operator waits.
"""

import re
from pathlib import Path

import bpy
from bpy.props import FloatProperty

from .import_pieces import hide_from, import_pieces, remove_pieces, show
from .preferences import executable, threads
from .program import Command, Work
from .scene_file import SceneFault, Wish, Written, metres, safe_name, write_scene

# Seconds between two looks at the work.
INTERVAL = 0.2

# Rows of `bdem check` that the panel shows.
ROWS = ("particles", "pieces", "impact", "time")

# Number of files of pieces that are kept, for undo: pieces that bend read theirs.
KEPT = 3

# What runs now. One at a time.
_current: Work | None = None


def folder_of(scene: bpy.types.Scene) -> Path:
    """Folder of the scene's files and runs: beside the .blend, or in Blender's temporary folder while there is none."""
    chosen = scene.bdem.folder or "//bdem"
    name = safe_name(scene.name, set())
    if chosen.startswith("//") and not bpy.data.filepath:
        return Path(bpy.app.tempdir) / "bdem" / name
    return Path(bpy.path.abspath(chosen)) / name


def say(scene: bpy.types.Scene, message: str, is_error: bool = False) -> None:
    """Shows a message in the panel."""
    scene.bdem.message, scene.bdem.is_error = message, is_error


def plain(message: str) -> str:
    """Message of the program without the place in a file that the artist did not write, and without the line underlined."""
    lines = [line for line in message.splitlines() if not re.match(r"\s*(\d+\s*)?\|", line)]
    lines = [re.sub(r"^(?:error: )?\S*?\.toml:\d+:\d+: ", "", line) for line in lines]
    return "\n".join(re.sub(r"^\s*= help: ", "", line) for line in lines if line.strip())


def redraw(context: bpy.types.Context) -> None:
    """Redraws the panels."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "PROPERTIES":
                area.tag_redraw()


class BackgroundWork:
    """Part that all operators with work in the background share."""

    def commands(self, context: bpy.types.Context, written: Written) -> list[Command]:
        """Commands to run on the scene that was written."""
        raise NotImplementedError

    def finish(self, context: bpy.types.Context, written: Written, work: Work) -> str:
        """What is done with the results. Returns the message of success."""
        raise NotImplementedError

    def wish(self) -> Wish:
        """What the scene has in place of its objects' settings."""
        return Wish()

    def begin(self, context: bpy.types.Context) -> bool:
        """Writes the scene and starts the work. Without success the message says why."""
        global _current
        scene = context.scene
        if _current is not None and _current.is_running():
            return self.fail(context, "bdem runs already: cancel it first")
        program = executable()
        if program is None:
            return self.fail(context, "The program bdem is not found: set its path in the preferences of the extension")
        hidden = [(thing, thing.bdem.hidden_from) for thing in scene.objects if thing.bdem.is_hidden]
        pieces = scene.bdem.pieces
        was_hidden = pieces.hide_viewport if pieces else False
        try:
            # Objects are written as they were before the last run, and its pieces need not follow through the frames.
            for thing, _ in hidden:
                show(thing)
            if pieces:
                pieces.hide_viewport = True
            self.written = write_scene(scene, folder_of(scene), self.wish())
        except SceneFault as fault:
            return self.fail(context, str(fault))
        except OSError as error:
            return self.fail(context, f"{error.filename}: {error.strerror}")
        finally:
            for thing, frame in hidden:
                hide_from(thing, frame)
            if pieces:
                pieces.hide_viewport = was_hidden
        self.scene = scene.name
        _current = self.work = Work(program, self.commands(context, self.written))
        scene.bdem.is_running, scene.bdem.progress, scene.bdem.label = True, 0.0, ""
        say(scene, "")
        return True

    def fail(self, context: bpy.types.Context, message: str) -> bool:
        """Shows an error."""
        say(context.scene, message, True)
        self.report({"ERROR"}, message.splitlines()[0])
        return False

    def end(self, context: bpy.types.Context) -> set[str]:
        """What follows the last command."""
        scene, work = bpy.data.scenes.get(self.scene), self.work
        if scene is None:
            return {"CANCELLED"}
        if scene != context.scene:
            # another scene is shown by now
            with context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
                return self.end(bpy.context)
        scene.bdem.is_running = False
        if work.is_stopped:
            say(scene, "Cancelled")
            return {"CANCELLED"}
        if work.error is not None:
            self.fail(context, plain(work.error))
            return {"CANCELLED"}
        try:
            message = self.finish(context, self.written, work)
        except RuntimeError as error:
            # Blender's importer says what is wrong with a file
            self.fail(context, str(error).strip())
            return {"CANCELLED"}
        say(scene, "\n".join([message, *(plain(warning) for warning in work.warnings)]))
        self.report({"INFO"}, message.splitlines()[0])
        return {"FINISHED"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The whole work, without a timer."""
        if not self.begin(context):
            return {"CANCELLED"}
        self.work.wait()
        return self.end(context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Start of work that a timer looks at."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if not self.begin(context):
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(INTERVAL, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """A look at the work. All other events go on to Blender."""
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        redraw(context)
        if self.work.is_running():
            scene = bpy.data.scenes.get(self.scene)
            if scene is not None:
                settings = scene.bdem
                settings.is_running, settings.label, settings.progress = True, self.work.label, self.work.progress
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self.timer)
        return self.end(context)


def new_file(folder: Path, name: str) -> Path:
    """Path of the pieces of a new run. Files of old runs are removed."""
    files = {int(path.stem.rsplit("_", 1)[1]): path for path in folder.glob(f"{name}_*.usda") if path.stem.rsplit("_", 1)[1].isdigit()}
    for number in sorted(files)[: -KEPT + 1]:
        files[number].unlink(missing_ok=True)
    return folder / f"{name}_{max(files, default=0) + 1}.usda"


def thread_options() -> list[str]:
    """Options for the number of threads."""
    return ["--threads", str(threads())] if threads() else []


class BDEM_OT_check(BackgroundWork, bpy.types.Operator):
    """Check the scene, and say how it will break and how long a run will take"""

    bl_idname = "bdem.check"
    bl_label = "Check"
    bl_options = {"REGISTER"}

    def commands(self, context: bpy.types.Context, written: Written) -> list[Command]:
        """`bdem check`."""
        return [Command("Checking", ["check", str(written.path), *thread_options()], 1.0)]

    def finish(self, context: bpy.types.Context, written: Written, work: Work) -> str:
        """Rows that tell an artist something."""
        rows = [line.split(None, 1) for line in work.output.splitlines() if line and not line[0].isspace()]
        return "\n".join(f"{row[0]}: {row[1]}" for row in rows if len(row) == 2 and row[0] in ROWS)


class BDEM_OT_find_strengths(BackgroundWork, bpy.types.Operator):
    """Find the strengths at which the objects break into the number of pieces, by coarse runs of about a minute"""

    bl_idname = "bdem.find_strengths"
    bl_label = "Find Strengths"
    bl_options = {"REGISTER", "UNDO"}

    def wish(self) -> Wish:
        """The search begins at the materials' own strengths."""
        return Wish(is_tuned=False)

    def commands(self, context: bpy.types.Context, written: Written) -> list[Command]:
        """`bdem check --pieces`."""
        wanted = str(context.scene.bdem.pieces_wanted)
        return [Command("Finding strengths", ["check", str(written.path), "--pieces", wanted, *thread_options()], 1.0)]

    def finish(self, context: bpy.types.Context, written: Written, work: Work) -> str:
        """Strengths of the objects as the program found them."""
        found = re.findall(r"^tuned\s+(\w+): tensile_strength = (\S+), shear_strength = (\S+): (.*)$", work.output, re.M)
        said = ""
        for body, tensile, shear, said in found:
            thing = bpy.data.objects.get(written.objects.get(body, ""))
            if thing is not None:
                thing.bdem.tensile_strength, thing.bdem.shear_strength = float(tensile), float(shear)
        return f"Strengths are set: {said}" if found else "No strengths are found"


class BDEM_OT_break(BackgroundWork, bpy.types.Operator):
    """Simulate all objects that break, and put their pieces in their place"""

    bl_idname = "bdem.break_objects"
    bl_label = "Break"
    bl_options = {"REGISTER", "UNDO"}

    finer: FloatProperty(
        name="Finer", description="Factor on the particle radii of all objects that break", default=1.0, min=0.1, max=1.0
    )

    def wish(self) -> Wish:
        """Finer particles."""
        return Wish(finer=self.finer)

    def commands(self, context: bpy.types.Context, written: Written) -> list[Command]:
        """`bdem simulate`, then `bdem convert`."""
        settings, render = context.scene.bdem, context.scene.render
        for name, radius in written.radii.items():
            thing = bpy.data.objects[name].bdem
            thing.used_radius = radius / metres(context.scene)
            if self.finer < 1.0:
                thing.radius = thing.used_radius
        run = written.path.parent / "run"
        self.pieces = new_file(written.path.parent, written.name)
        simulate = ["simulate", str(written.path), "-o", str(run), "--overwrite", *thread_options()]
        convert = ["convert", str(run), "--to", "usd", "-o", str(self.pieces), "--overwrite", "--start", str(settings.start)]
        convert += ["--fps", repr(render.fps / render.fps_base), *thread_options()]
        if not settings.bends:
            convert.append("--rigid")
        if settings.rough > 0.0:
            radius = min(written.radii.values())
            convert += ["--crack-noise", f"{settings.rough * radius:.3g},{4.0 * radius:.3g}"]
        return [Command("Simulating", simulate, 0.9), Command("Cutting", convert, 0.1, log=False)]

    def finish(self, context: bpy.types.Context, written: Written, work: Work) -> str:
        """Import of the pieces."""
        count = import_pieces(context, written, self.pieces)
        note = "" if bpy.data.filepath else "\nSave the .blend file, then break again: this run is in a temporary folder"
        if count == 0:
            return f"Nothing broke{note}"
        return f"{count} pieces{note}"


class BDEM_OT_cancel(bpy.types.Operator):
    """Stop the run. The pieces of the last one stay"""

    bl_idname = "bdem.cancel"
    bl_label = "Cancel"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Ends the work. The operator that began it notices."""
        if _current is not None and _current.is_running():
            _current.stop()
        context.scene.bdem.is_running = False
        return {"FINISHED"}


class BDEM_OT_clear(bpy.types.Operator):
    """Remove the pieces, and show the objects again"""

    bl_idname = "bdem.clear"
    bl_label = "Remove Pieces"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Removes the pieces."""
        remove_pieces(context.scene)
        for thing in context.scene.objects:
            if thing.bdem.is_hidden:
                show(thing)
        say(context.scene, "")
        return {"FINISHED"}


CLASSES = (BDEM_OT_check, BDEM_OT_find_strengths, BDEM_OT_break, BDEM_OT_cancel, BDEM_OT_clear)


@bpy.app.handlers.persistent
def stop_work(*_arguments: object) -> None:
    """Ends the work before another file is opened."""
    if _current is not None and _current.is_running():
        _current.stop()


@bpy.app.handlers.persistent
def forget_work(*_arguments: object) -> None:
    """A file that was saved during a run has none when it is opened."""
    for scene in bpy.data.scenes:
        scene.bdem.is_running = False


def register() -> None:
    """Registration of the operators."""
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.app.handlers.load_pre.append(stop_work)
    bpy.app.handlers.load_post.append(forget_work)


def unregister() -> None:
    """Removal of the operators. What runs is ended."""
    stop_work()
    bpy.app.handlers.load_pre.remove(stop_work)
    bpy.app.handlers.load_post.remove(forget_work)
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
