"""What a run writes: never one of its inputs, never through a link, one run at a time, and checked before the work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import linnet
from linnet.data.on_error import OnError
from linnet.errors import InputError, Interrupted, OutputError, RecipeError
from linnet.kernels.content_hash import content_hash
from linnet.pipeline.services import Services
from linnet.pipeline.train import TrainOptions, train, train_to_file
from linnet.storage.outputs import claimed
from tests.pipeline.making import cut

ROWS = "x,y\n" + "".join(f"{i % 7 - 3},{'a' if i % 7 < 3 else 'b'}\n" for i in range(140))


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(ROWS)
    return tmp_path / "d.csv"


def options(model, **more):
    return TrainOptions(target="y", checkpoint=f"{model}.checkpoint", quarantine=f"{model}.quarantine", **more)


@pytest.mark.parametrize(
    ("name", "what"), [("m", "model"), ("m.checkpoint", "checkpoint"), ("m.quarantine", "quarantine")]
)
@pytest.mark.parametrize("given", ["{}", "folder/../{}", "hard", "soft", "folder", "{}*"])
def test_no_output_is_an_input_whatever_its_name(data, name, what, given):
    path = data.parent / "folder" / name
    path.parent.mkdir()
    path.write_text(ROWS)
    os.link(path, "hard")
    os.symlink(path, "soft")
    os.link(path, path.parent / "part.csv")
    read = given.format(os.path.relpath(path)) if "{" in given else given
    with pytest.raises(RecipeError, match=f"the {what} would overwrite it"):
        train_to_file(read, options(path.parent / "m", on_error=OnError.QUARANTINE, format="csv"), path.parent / "m")
    assert path.read_text() == ROWS


def test_a_quarantine_of_an_earlier_run_stays_until_there_is_a_row_for_it(data):
    kept = data.parent / "m.quarantine"
    kept.write_text("old\n")
    os.link(kept, "other")
    chosen = options("m", on_error=OnError.QUARANTINE)
    train_to_file("d.csv", chosen, "m")
    assert kept.read_text() == "old\n"
    (data.parent / "bad.csv").write_text(ROWS + "1,a,b\n")
    train_to_file("bad.csv", chosen, "m")
    assert kept.read_text() == "1,a,b\n"
    assert (data.parent / "other").read_text() == "old\n"


def test_a_file_that_only_has_the_name_of_a_checkpoint_is_neither_overwritten_nor_removed(data):
    (data.parent / "m.checkpoint").write_text("notes")
    with pytest.raises(OutputError, match="is not a checkpoint"):
        train_to_file("d.csv", options("m"), "m")
    assert (data.parent / "m.checkpoint").read_text() == "notes"


@pytest.mark.parametrize("name", ["m", "m.checkpoint", "m.quarantine"])
def test_no_output_is_a_link(data, name):
    (data.parent / "precious").write_text("precious")
    os.symlink("precious", name)
    with pytest.raises(OutputError, match="symbolic link to precious"):
        train_to_file("d.csv", options("m", on_error=OnError.QUARANTINE), "m")
    assert (data.parent / "precious").read_text() == "precious"
    with pytest.raises(OutputError, match="symbolic link"):
        linnet.train("d.csv", target="y").save(data.parent / name)


@pytest.mark.parametrize(("name", "why"), [("folder", "is a folder"), ("new/", "is a folder"), ("no/m", "no folder")])
def test_an_output_that_cannot_be_written_is_refused_before_anything_is_read(data, name, why):
    (data.parent / "folder").mkdir()
    planned = []
    with pytest.raises(OutputError, match=why):
        train_to_file("d.csv", TrainOptions(target="y"), name, show_plan=planned.append)
    assert not planned


@pytest.mark.usefixtures("data")
def test_two_runs_on_one_output_exclude_each_other_and_nothing_is_left_behind():
    refused = []

    def meanwhile(_):
        with pytest.raises(OutputError, match="another run is writing it") as caught:
            train_to_file("d.csv", options("m"), "./m")
        refused.append(caught.value)
        with pytest.raises(OutputError, match="another run"):
            linnet.train("d.csv", target="y").save("m")

    train_to_file("d.csv", options("m"), "m", show_plan=meanwhile)
    assert refused
    assert sorted(os.listdir()) == ["d.csv", "m"]


@pytest.mark.usefixtures("data")
def test_a_killed_run_does_not_lock_its_output():
    code = "from linnet.storage.outputs import claimed\nwith claimed(['m']): print('held', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(OutputError, match="another run"), claimed(["m"]):
            pass
        other.send_signal(signal.SIGKILL)
    assert [name for name in os.listdir() if name.endswith(".lock")]
    with claimed(["m"]):
        pass
    assert os.listdir() == ["d.csv"]


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "folder"])
def test_an_edit_of_what_was_read_is_noticed_on_resume_although_size_and_time_are_the_same(tmp_path, form):
    text = "x,y\n" + "".join(f"{i * 37 % 1000:03d},{'ab'[i % 2]}\n" for i in range(60_000))
    path = _written(tmp_path, form, text)
    chosen = TrainOptions(
        target=None if form == "folder" else "y",
        learner="adaptive",
        checkpoint=str(tmp_path / "m.checkpoint"),
        checkpoint_every=1000,
    )
    asked = []

    def stopped():
        asked.append(0)
        return len(asked) > 3

    with cut(60_000), pytest.raises(Interrupted):
        train(str(path), chosen, Services(stopped=stopped))
    resumed = replace(chosen, resume=True)
    again = _edited(path, form)
    with cut(60_000), pytest.raises(InputError, match="input has changed"):
        train(str(path), resumed)
    again()
    with cut(7_000):  # however it is cut
        assert train(str(path), resumed).record.rows == (200 if form == "folder" else 60_000)


def _written(folder, form, text):
    if form == "folder":
        for i in range(200):
            file = folder / "d" / "ab"[i % 2] / f"{i:03d}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"text {'ab'[i % 2]} {i} " + "word " * 6000)
        return folder / "d"
    path = folder / f"d.{form}"
    if form == "parquet":
        import io

        import pyarrow.csv
        import pyarrow.parquet

        table = pyarrow.csv.read_csv(io.BytesIO(text.encode()))
        pyarrow.parquet.write_table(table, path, compression="none", row_group_size=5000, use_dictionary=False)
    elif form == "csv.gz":
        import gzip

        path.write_bytes(gzip.compress(text.encode(), compresslevel=0, mtime=0))
    else:
        path.write_text(text)
    return path


def _edited(path, form):
    """Change a byte well inside what was read, and restore the time; what is returned undoes it."""
    if form == "folder":
        path /= "a/000"
    before, status = path.read_bytes(), path.stat()
    at = len(before) // 2 if form == "folder" else 90_000
    if form == "csv.gz":  # a valid file, whose ends stay as they were but for the checksum
        import gzip

        text = bytearray(gzip.decompress(before))
        text[90_000] = ord("1") + (text[90_000] == ord("1"))
        changed = gzip.compress(bytes(text), compresslevel=0, mtime=0)
    else:
        changed = bytearray(before)
        while not chr(changed[at]).isdigit() and form == "csv":
            at += 1
        changed[at] ^= 1
    assert len(changed) == len(before)

    def put(content):
        path.write_bytes(content)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    put(changed)
    return lambda: put(before)


def test_the_content_hash_does_not_depend_on_the_cut_and_notices_every_byte(rng):
    data = rng.integers(0, 256, 1000, dtype=np.uint8).tobytes()
    whole = content_hash(b"", data)
    for _ in range(50):
        state, at = b"", 0
        while at < len(data):
            size = int(rng.integers(0, 200))
            state, at = content_hash(state, data[at : at + size]), at + size
        assert state == whole
    states = {content_hash(b"", data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :]) for i in range(len(data))}
    assert len(states | {whole}) == len(data) + 1
    assert len({content_hash(b"", bytes(size)) for size in range(300)}) == 300
