import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import bdem
import numpy as np
import pandas
import pytest
from conftest import SCENES, SMALL

#: The program of the command line, where there is one.
PROGRAM = os.environ.get("BDEM")


def test_frames_have_the_bits_of_the_command_line(run, tmp_path):
    if not PROGRAM:
        pytest.skip("BDEM does not name the program")
    sets = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
    subprocess.run([PROGRAM, "simulate", SCENES / "slab.toml", *sets, "-q", "-o", tmp_path / "out"], check=True)
    for frame in run.frames:
        assert (tmp_path / "out" / "ply" / frame.path.name).read_bytes() == frame.path.read_bytes()
    assert (tmp_path / "out" / "metrics.csv").read_bytes() == (run.folder / "metrics.csv").read_bytes()


def test_a_run_reads_as_arrays(run):
    assert len(run.frames) == 13 and run.frames[12].number == 12 and run.frames[-1].time == run.frames[12].time
    frame = run.frames[12]
    assert frame.positions.shape == (1039, 3) and frame.orientations.shape == (1039, 4)
    assert np.allclose(np.linalg.norm(frame.orientations, axis=1), 1.0, atol=1e-6)
    assert np.shares_memory(frame.positions, frame.positions) and not frame.positions.flags.writeable
    table = pandas.DataFrame(run.metrics)
    assert len(table) == 13 and table["bonds_broken"].iloc[-1] == len(pandas.DataFrame(run.fractures))
    assert len(np.unique(frame.pieces)) == run.metrics["pieces"][-1] == run.record["pieces"]
    assert run.scene["bodies.slab.particle_radius"] == 0.004 and run.specimen is None and run.load_curve is None
    with pytest.raises(IndexError, match="there is no frame 13; there are 13, from 0 to 12"):
        run.frames[13]


def test_pieces_fill_the_body_and_move_with_their_particles(run):
    pieces = run.pieces()
    whole = [piece for piece in pieces if piece.is_whole]
    shards = [piece for piece in pieces if not piece.is_whole]
    assert len(whole) == 1 and len(shards) > 50
    assert sum(piece.volume for piece in shards) == pytest.approx(whole[0].volume, rel=1e-3)
    largest = max(shards, key=lambda piece: piece.volume)
    assert whole[0].shown[0] and not whole[0].shown[-1] and not largest.shown[0] and largest.shown[-1]
    # particles lie within their piece
    low, high = largest.vertices_at(-1).min(axis=0) - 0.004, largest.vertices_at(-1).max(axis=0) + 0.004
    inside = run.frames[12].positions[largest.particles]
    assert (inside > low).all() and (inside < high).all()
    with pytest.raises(ValueError, match="crack_noise: -1, 1 are not"):
        run.pieces(crack_noise=(-1.0, 1.0))
    with pytest.raises(ValueError, match="crack_smooth: 9 is not from 0.5 to 5"):
        run.pieces(crack_smooth=9.0)
    assert largest.faces.max() < len(largest.vertices) and largest.normals.shape == (*largest.faces.shape, 3)


def test_a_function_sees_every_frame_and_changes_no_bit(run, slab, tmp_path):
    seen = []
    again = bdem.simulate(slab, tmp_path / "again", threads=1, on_frame=lambda moment: seen.append((moment.frame, moment.energy["total"])))
    assert [frame for frame, _ in seen] == list(range(1, 13))
    assert [total for _, total in seen] == pytest.approx(run.metrics["total"][1:].tolist(), rel=1e-12)
    assert again.frames[12].path.read_bytes() == run.frames[12].path.read_bytes()


def test_a_function_stops_a_run_and_kicks_it(run, slab, tmp_path):
    def stop(moment):
        if moment.frame == 4:
            moment.velocities = moment.velocities + [0.0, 0.0, 1.0]
            moment.stop()

    kicked = bdem.simulate(slab, tmp_path / "out", on_frame=stop)
    assert kicked.record["frames"] == 4 and kicked.record["ended"] == "the caller's function"
    # work of the kick: the change of kinetic energy, in the account
    change = kicked.metrics["kinetic_linear"][4] - run.metrics["kinetic_linear"][4]
    assert kicked.metrics["work_loads"][-1] == pytest.approx(change, rel=1e-9) and change != 0.0
    assert kicked.metrics["unaccounted"][-1] == pytest.approx(run.metrics["unaccounted"][4], rel=1e-6)


def test_what_a_function_raises_ends_the_run_and_is_raised(slab, tmp_path):
    def fail(moment):
        raise LookupError(f"at {moment.frame}")

    with pytest.raises(LookupError, match="at 1"):
        bdem.simulate(slab, tmp_path / "out", on_frame=fail)
    assert bdem.Run(tmp_path / "out").record["state"] == "interrupted"
    with pytest.raises(bdem.OutputError, match="holds a run already"):
        bdem.simulate(slab, tmp_path / "out")
    assert bdem.simulate(slab, tmp_path / "out", resume=True).record["frames"] == 12


STOPPED = """
import bdem, sys
scene = bdem.Scene(sys.argv[1], {"bodies.slab.particle_radius": 0.002})
try:
    bdem.simulate(scene, sys.argv[2], threads=1)
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_leaves_a_run_whole_and_it_resumes_to_the_bit(tmp_path):
    script = tmp_path / "stopped.py"
    script.write_text(STOPPED)
    out = tmp_path / "out"
    process = subprocess.Popen([sys.executable, script, SCENES / "slab.toml", out], stdout=subprocess.PIPE, text=True)
    while not list(Path(out).glob("ply/*0002.ply")):
        assert process.poll() is None, "it ends before it is stopped"
        time.sleep(0.02)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    words, _ = process.communicate(timeout=60)
    print(f"Ctrl-C took {time.monotonic() - begun:.2f} s")
    assert words.strip() == "stopped" and bdem.Run(out).record["state"] == "interrupted"
    settings = {"bodies.slab.particle_radius": 0.002, "time.frames": 6}
    resumed = bdem.simulate(bdem.Scene(SCENES / "slab.toml", settings), out, resume=True)
    whole = bdem.simulate(bdem.Scene(SCENES / "slab.toml", settings), tmp_path / "whole")
    assert resumed.frames[6].path.read_bytes() == whole.frames[6].path.read_bytes()


def test_half_a_frame_is_an_error(run, tmp_path):
    bytes_ = run.frames[3].path.read_bytes()
    (tmp_path / "slab.0003.ply").write_bytes(bytes_[: len(bytes_) // 2])
    with pytest.raises(bdem.OutputError, match="no whole frame"):
        bdem.Frame(tmp_path / "slab.0003.ply").positions
    with pytest.raises(bdem.OutputError, match="holds no run"):
        bdem.Run(tmp_path)
