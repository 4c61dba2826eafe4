"""A run that is stopped anywhere and resumed ends in the bytes of one that never was."""

from __future__ import annotations

import csv
import io
import multiprocessing
import os
import signal
import sys
import time
from dataclasses import replace
from itertools import cycle, islice, product
from pathlib import Path

import numpy as np
import pytest

import linnet.pipeline.trainers.checkpoint_file
from linnet.cli import main as program
from linnet.data.on_error import OnError
from linnet.decisions.calibration import Method
from linnet.errors import InputError, Interrupted, ModelFileError
from linnet.pipeline.services import Services
from linnet.pipeline.train import TrainOptions, train, train_to_file
from linnet.pipeline.trainers.online_run import OnlineRun
from linnet.storage import container
from tests.pipeline import running
from tests.pipeline.every_learner import mixed_rows
from tests.pipeline.making import (
    TABLE,
    cut,
    sparse,
    table,
    write_csv,
    write_jsonl,
    write_labelled,
    write_parquet,
    write_svmlight,
)

LEARNERS = ("adaptive", "voted-perceptron", "pegasos", "averaged-perceptron", "sgd-logistic")
FORMATS = ("svmlight", "csv", "jsonl.gz", "labelled", "parquet", "several files", "utf-16", "odd files")
KILLED = (*FORMATS, "rows to keep apart")


class Killed(BaseException):
    """Stands for the end of the process."""


def written(folder, form, rng, n=260, classes=3):
    """Data in a format, and options that fit them."""
    if form in ("svmlight",):
        X, y = sparse(rng, n, classes=classes)
        write_svmlight(folder / "all.svm", X, y)
        return [str(folder / "all.svm")], TrainOptions()
    rows = table(rng, n, classes, weights=form != "labelled")
    if form == "labelled":
        write_labelled(folder / "all.txt", rows)
        return [str(folder / "all.txt")], TrainOptions()
    if form == "several files":
        for number, (a, b) in enumerate([(0, 100), (100, 117), (117, n)]):
            write_csv(folder / f"{number}.csv", rows[a:b])
        return [str(folder / f"{number}.csv") for number in range(3)], TABLE
    if form in ("utf-16", "odd files"):
        write_csv(folder / "0.csv", rows[:150])
        write_csv(folder / "1.csv", rows[150:])
        for number in range(2):
            path = folder / f"{number}.csv"
            text = path.read_text() if form == "utf-16" else _oddly_written(path.read_text(), number)
            path.write_bytes(text.encode("utf-16" if form == "utf-16" else "utf-8"))
        return [str(folder / f"{number}.csv") for number in range(2)], TABLE
    if form == "rows to keep apart":
        write_csv(folder / "all.csv", rows)
        lines = (folder / "all.csv").read_text().split("\n")
        for at in range(3, len(lines), 9):
            lines.insert(at, f"too,few,{at}")
        (folder / "all.csv").write_text("\n".join(lines))
        return [str(folder / "all.csv")], replace(TABLE, on_error=OnError.QUARANTINE)
    path = folder / f"all.{form}"
    {"csv": write_csv, "jsonl.gz": write_jsonl, "parquet": write_parquet}[form](path, rows)
    return [str(path)], TABLE


def _oddly_written(text, number):
    """Columns in another order, another one, and some fields that begin with a quote which does not enclose them."""
    names, *table = csv.reader(io.StringIO(text))
    order = names[::-1] if number else names
    lines = [",".join([*order, "more"] if number else order)]
    for at, row in enumerate(table):
        given = dict(zip(names, row, strict=True)) | {"more": "7"}
        quoted = {name: '"' + given[name].replace('"', '""') + '"' for name in names if set(given[name]) & set(',"')}
        cells = [(given | quoted)[name] for name in order] + (["7"] if number else [])
        if at % 3 == 1 and not quoted:
            cells[order.index("text")] = '"stray'
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def resumable(options, folder, **more):
    paths = {"checkpoint": str(folder / "m.checkpoint"), "quarantine": str(folder / "m.quarantine")}
    return replace(options, **paths, **more)


def finished(data, options, folder, limit=300):
    """Train, resuming whenever it is killed; how often that was."""
    for kills in range(limit):
        try:
            train_to_file(data, options, folder / "m.linnet")
            return kills
        except Killed:
            options = replace(options, resume=True)
            if os.path.exists(options.checkpoint):
                container.read(options.checkpoint, "checkpoint")
    raise AssertionError("it never ends")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("learner", "passes"), [("adaptive", 1), ("voted-perceptron", 3), ("averaged-perceptron", 3)])
def test_killed_at_every_checkpoint_in_turn(form, learner, passes, rng, tmp_path, monkeypatch):
    data, options = written(tmp_path, form, rng)
    options = replace(options, learner=learner, passes=passes, holdout=0.2 if passes > 1 else None)
    with cut(800, block=20, cache=64):
        train(data, options).save(tmp_path / "whole.linnet")
        write = linnet.pipeline.trainers.checkpoint_file.write

        def once(*given):
            write(*given)
            raise Killed

        monkeypatch.setattr(linnet.pipeline.trainers.checkpoint_file, "write", once)
        kills = finished(data, resumable(options, tmp_path, checkpoint_every=20), tmp_path)
    assert kills >= (4 if form != "labelled" else 2)
    assert (tmp_path / "m.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()
    assert not (tmp_path / "m.checkpoint").exists()


@pytest.mark.parametrize(("learner", "passes"), [("pegasos", 1), ("averaged-perceptron", 3)])
def test_a_calibrated_run_is_resumed_too(learner, passes, rng, tmp_path, monkeypatch):
    data, options = written(tmp_path, "csv", rng, classes=2)
    options = replace(options, learner=learner, passes=passes, calibrate=Method.ISOTONIC, costs=["yes,no=3"])
    with cut(800, block=20, cache=64):
        train(data, options).save(tmp_path / "whole.linnet")
        write = linnet.pipeline.trainers.checkpoint_file.write

        def once(*given):
            write(*given)
            raise Killed

        monkeypatch.setattr(linnet.pipeline.trainers.checkpoint_file, "write", once)
        assert finished(data, resumable(options, tmp_path, checkpoint_every=20), tmp_path) > 3
    assert (tmp_path / "m.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("adaptive-squared", {}),
        ("adaptive-squared", {"holdout": 0.0}),
        ("widrow-hoff", {"passes": 2}),
        ("winnow", {"holdout": 0.1}),
        ("winnow", {}),
        ("winnow", {"multiclass": "pairwise"}),
    ],
    ids=str,
)
def test_what_a_weighted_run_is_validated_on_is_resumed_too(learner, options, tmp_path, monkeypatch):
    """Held-out rows are read again; predictions made before a row was trained on are in the checkpoint."""
    monkeypatch.setattr("linnet.pipeline.trainers.progressive.MOST_KEPT", 60)
    rows = mixed_rows("four" if learner == "winnow" else "numbers", 300, boolean=learner == "winnow")
    write_csv(tmp_path / "all.csv", [row | {"w": number % 5 / 2} for number, row in enumerate(rows)])
    given = TrainOptions(target="y", columns={"w": "weight", "text": "text"}, learner=learner, **options)
    with cut(800, cache=64):
        whole = train([str(tmp_path / "all.csv")], given)
        whole.save(tmp_path / "whole.linnet")
        write = linnet.pipeline.trainers.checkpoint_file.write

        def once(*given):
            write(*given)
            raise Killed

        monkeypatch.setattr(linnet.pipeline.trainers.checkpoint_file, "write", once)
        data = [str(tmp_path / "all.csv")]
        assert finished(data, resumable(given, tmp_path, checkpoint_every=20), tmp_path) > 3
    assert (tmp_path / "m.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()
    validated = whole.record.held_out is not None or whole.record.progressive.rows == 240
    assert validated == ("multiclass" not in options)


def test_killed_at_random_blocks(rng, tmp_path, monkeypatch):
    """The process dies while it learns; what it did since the last checkpoint is done again."""
    take, next_chunk = OnlineRun.take, OnlineRun.next_chunk
    dying = np.random.default_rng(5)
    total = 0

    def perhaps(method):
        def called(*given, **named):
            if dying.random() < 0.06:
                raise Killed
            return method(*given, **named)

        return called

    for number, (form, learner) in enumerate(product(FORMATS, ("adaptive", "voted-perceptron", "sgd-logistic"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        data, options = written(folder, form, rng, n=180)
        options = replace(options, learner=learner, passes=1 + number % 3)
        with cut(700, block=20, cache=32):
            train(data, options).save(folder / "whole.linnet")
            with monkeypatch.context() as patch:
                patch.setattr(OnlineRun, "take", perhaps(take))
                patch.setattr(OnlineRun, "next_chunk", perhaps(next_chunk))
                total += finished(data, resumable(options, folder, checkpoint_every=1), folder, 2000)
        assert (folder / "m.linnet").read_bytes() == (folder / "whole.linnet").read_bytes(), (form, learner)
    assert total >= 30


# -- what must stop a run from going on -------------------------------------------------------------------------------


@pytest.fixture
def interrupted(rng, tmp_path):
    """Data and options of a run that was stopped on its way."""
    rows = table(rng, 200, 3)
    write_csv(tmp_path / "all.csv", rows)
    options = resumable(TABLE, tmp_path, learner="adaptive", checkpoint_every=20)
    with cut(600):
        stops = iter([False] * 4 + [True] * 100)
        with pytest.raises(Interrupted, match="--resume"):
            train(str(tmp_path / "all.csv"), options, Services(stopped=lambda: next(stops)))
    return str(tmp_path / "all.csv"), replace(options, resume=True)


def test_changed_content_is_refused(interrupted):
    path, options = interrupted
    times = os.stat(path)
    text = Path(path).read_bytes()
    Path(path).write_bytes(text[:-3] + b"xyz")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(InputError, match="the input has changed since it was written"):
        train(path, options)


def test_changed_size_is_refused(interrupted):
    path, options = interrupted
    with open(path, "ab") as file:
        file.write(b"\n")
    with pytest.raises(InputError, match="the input has changed since it was written"):
        train(path, options)


def test_changed_time_is_refused(interrupted):
    path, options = interrupted
    os.utime(path, (1, 1))
    with pytest.raises(InputError, match="the input has changed since it was written"):
        train(path, options)


def test_a_missing_file_is_refused(interrupted):
    path, options = interrupted
    os.rename(path, f"{path}.away")
    with pytest.raises(InputError, match="there is no such file"):
        train(path, options)


def test_one_file_more_is_refused(interrupted):
    path, options = interrupted
    with pytest.raises(InputError, match="the input has changed since it was written"):
        train([path, path], options)


@pytest.mark.parametrize(
    ("name", "value"), [("seed", 7), ("learner", "sgd-logistic"), ("passes", 2), ("on_error", OnError.SKIP)]
)
def test_other_options_are_refused(name, value, interrupted):
    path, options = interrupted
    with pytest.raises(InputError, match=f"was written with {name.replace('_', '-')} "):
        train(path, replace(options, **{name: value}))


def test_threads_and_memory_may_differ(interrupted, tmp_path):
    path, options = interrupted
    with cut(600):
        train(path, replace(options, threads=5, memory=0)).save(tmp_path / "resumed.linnet")
        train(path, replace(options, resume=False, checkpoint=None)).save(tmp_path / "whole.linnet")
    assert (tmp_path / "resumed.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()


def test_a_damaged_checkpoint_is_refused(interrupted):
    path, options = interrupted
    damaged = bytearray(Path(options.checkpoint).read_bytes())
    damaged[-1] ^= 1
    Path(options.checkpoint).write_bytes(damaged)
    with pytest.raises(ModelFileError):
        train(path, options)


def test_a_checkpoint_with_the_right_hash_and_wrong_content_is_refused(interrupted):
    path, options = interrupted
    content, tensors = container.read(options.checkpoint, "checkpoint")

    def refused(content, tensors):
        container.write(options.checkpoint, "checkpoint", content, tensors)
        with pytest.raises(ModelFileError):
            train(path, options)

    with cut(600):
        for name in sorted(name for name in tensors if len(tensors[name])):
            refused(content, {key: tensors[key] for key in tensors if key != name})
            refused(content, tensors | {name: tensors[name][:-1]})
            refused(content, tensors | {name: tensors[name].astype(np.float32)})
        for name in sorted(set(content) - {"options", "input"}):
            for value in ({"a": 1}, -1, 2.5):
                refused(content | {name: value}, tensors)


@pytest.mark.parametrize("rows", [np.nan, np.inf, -np.inf, -1.0])
@pytest.mark.parametrize("at", [0, -1])
def test_a_checkpoint_whose_features_are_in_no_number_of_rows_is_refused(rows, at, interrupted):
    path, options = interrupted
    content, tensors = container.read(options.checkpoint, "checkpoint")
    sums = tensors["moments"].copy()
    sums[at, 0] = rows
    container.write(options.checkpoint, "checkpoint", content, tensors | {"moments": sums})
    with cut(600), pytest.raises(ModelFileError, match="not a number of them"):
        train(path, options)


def test_a_checkpoint_with_features_of_other_columns_is_refused(interrupted):
    path, options = interrupted
    content, tensors = container.read(options.checkpoint, "checkpoint")
    for number, term in enumerate(content["terms"]):
        terms = [*content["terms"]]
        terms[number] = term | {"columns": ["no such column"]}
        container.write(options.checkpoint, "checkpoint", content | {"terms": terms}, tensors)
        with cut(600), pytest.raises(ModelFileError, match="not made of the columns"):
            train(path, options)


def test_without_a_checkpoint_resume_simply_starts(rng, tmp_path):
    X, y = sparse(rng, 100)
    write_svmlight(tmp_path / "all.svm", X, y)
    for learner in ("adaptive", "auto"):
        options = TrainOptions(learner=learner)
        train(str(tmp_path / "all.svm"), options).save(tmp_path / "whole.linnet")
        again = resumable(options, tmp_path, resume=True)
        train(str(tmp_path / "all.svm"), again).save(tmp_path / "again.linnet")
        assert (tmp_path / "again.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()


def test_a_checkpoint_stays_until_the_model_is_saved(interrupted, tmp_path):
    path, options = interrupted
    with cut(600):
        train(path, options)
        assert os.path.exists(options.checkpoint)
        train_to_file(path, options, tmp_path / "m.linnet")
    assert not os.path.exists(options.checkpoint)


def test_input_that_changes_while_it_is_read_is_not_taken_for_what_was_learnt(rng, tmp_path):
    rows = table(rng, 200, 3)
    path = str(tmp_path / "all.csv")
    write_csv(path, rows)
    options = resumable(TABLE, tmp_path, learner="adaptive")
    calls = []

    def stopped():
        calls.append(0)
        if len(calls) == 3:
            os.utime(path, (1, 1))
        return len(calls) > 4

    with cut(600), pytest.raises(Interrupted):
        train(path, options, Services(stopped=stopped))
    with cut(600), pytest.raises(InputError, match="has changed"):
        train(path, replace(options, resume=True))


def test_frames_cannot_be_resumed_and_say_so(rng, tmp_path):
    rows = table(rng, 100)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    for more in ({"checkpoint_every": 1}, {"resume": True}):
        with pytest.raises(InputError, match="cannot be read again"):
            train(columns, resumable(TABLE, tmp_path, learner="adaptive", **more))
    with pytest.raises(Interrupted, match="cannot be resumed"):
        train(columns, resumable(TABLE, tmp_path, learner="adaptive"), Services(stopped=lambda: True))
    assert not (tmp_path / "m.checkpoint").exists()


def test_standard_input_is_learnt_from_but_not_resumed(rng, tmp_path, monkeypatch):
    X, y = sparse(rng, 100)
    write_svmlight(tmp_path / "all.svm", X, y)
    options = resumable(TrainOptions(), tmp_path)

    def piped():
        raw = io.BytesIO((tmp_path / "all.svm").read_bytes())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
        return "-"

    for learner in ("adaptive", "auto"):
        train(piped(), replace(options, learner=learner)).save(tmp_path / "piped")
        train(str(tmp_path / "all.svm"), replace(options, learner=learner)).save(tmp_path / "read")
        assert (tmp_path / "piped").read_bytes() == (tmp_path / "read").read_bytes()
    with pytest.raises(InputError, match="standard input cannot be read again"):
        train(piped(), replace(options, learner="adaptive", checkpoint_every=10))


def test_auto_goes_on_with_what_memory_made_it_choose(rng, tmp_path):
    rows = table(rng, 400, 3)
    write_csv(tmp_path / "all.csv", rows)
    options = resumable(TABLE, tmp_path, memory=8000)
    with cut(600):
        train(str(tmp_path / "all.csv"), options).save(tmp_path / "whole.linnet")
        calls = []

        def stopped():
            calls.append(0)
            return len(calls) > 20

        with pytest.raises(Interrupted, match="the checkpoint is"):
            train(str(tmp_path / "all.csv"), options, Services(stopped=stopped))
        train_to_file(str(tmp_path / "all.csv"), replace(options, resume=True), tmp_path / "m.linnet")
    assert (tmp_path / "m.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()


# -- rows kept apart -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("passes", [1, 2])
def test_a_resumed_quarantine_is_that_of_a_whole_run(passes, rng, tmp_path, monkeypatch):
    rows = table(rng, 200, 3)
    write_csv(tmp_path / "all.csv", rows)
    lines = (tmp_path / "all.csv").read_text().split("\n")
    for at in range(5, 190, 7):
        lines.insert(at, f"too,few,{at}" if at % 2 else f"words,1.5,red,round,,{at}")  # or no target
    for at in range(60, 75):
        lines.insert(at, "a whole chunk of rubbish")
    (tmp_path / "all.csv").write_text("\n".join(lines))
    options = replace(TABLE, learner="adaptive", passes=passes, on_error=OnError.QUARANTINE)
    take, dying = OnlineRun.take, np.random.default_rng(3)

    def perhaps(*given, **named):
        if named.get("learning", True) and dying.random() < 0.15:
            raise Killed
        return take(*given, **named)

    with cut(300, cache=32):
        whole = train(str(tmp_path / "all.csv"), replace(options, quarantine=str(tmp_path / "whole.quarantine")))
        whole.save(tmp_path / "whole.linnet")
        monkeypatch.setattr(OnlineRun, "take", perhaps)
        kills = finished(str(tmp_path / "all.csv"), resumable(options, tmp_path, checkpoint_every=1), tmp_path, 3000)
    kept = (tmp_path / "whole.quarantine").read_text().splitlines()
    assert kept == [line for line in lines if line.endswith("rubbish") or "few" in line or ",round,," in line]
    assert whole.record.rejected_rows == len(kept)
    assert kills > 3
    assert (tmp_path / "m.quarantine").read_text().splitlines() == kept
    assert (tmp_path / "m.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()


def test_rows_kept_apart_come_once_wherever_a_run_is_stopped(rng, tmp_path):
    """Also right after a block that had no good row, or before there was any."""
    write_csv(tmp_path / "all.csv", table(rng, 30))
    header, *lines = (tmp_path / "all.csv").read_text().splitlines()
    rubbish = [f"rubbish {i} of a whole chunk" for i in range(12)]
    (tmp_path / "all.csv").write_text("\n".join([header, *rubbish, *lines[:15], *rubbish, *lines[15:]]) + "\n")
    options = resumable(TABLE, tmp_path, learner="adaptive", on_error=OnError.QUARANTINE)
    with cut(120):
        for stop in range(1, 30):
            calls = iter(range(1, 10**6))
            try:
                model = train(
                    str(tmp_path / "all.csv"), options, Services(stopped=lambda calls=calls, at=stop: next(calls) == at)
                )
            except Interrupted:
                model = train(str(tmp_path / "all.csv"), replace(options, resume=True))
            assert model.record.rejected_rows == 24
            assert (tmp_path / "m.quarantine").read_text().splitlines() == [*rubbish, *rubbish]
            model.save(tmp_path / f"{stop}.linnet")
            assert (tmp_path / f"{stop}.linnet").read_bytes() == (tmp_path / "1.linnet").read_bytes()
    assert next(calls) < 30  # the last stop came too late to matter


def test_a_shortened_quarantine_is_refused(rng, tmp_path):
    rows = table(rng, 100)
    write_csv(tmp_path / "all.csv", rows)
    with open(tmp_path / "all.csv") as file:
        lines = file.read().split("\n")
    lines[3:3] = ["bad"] * 10
    (tmp_path / "all.csv").write_text("\n".join(lines))
    options = resumable(TABLE, tmp_path, learner="adaptive", on_error=OnError.QUARANTINE)
    with cut(1000), pytest.raises(Interrupted):
        train(str(tmp_path / "all.csv"), options, Services(stopped=lambda: True))
    (tmp_path / "m.quarantine").write_text("")
    with cut(1000), pytest.raises(InputError, match=r"quarantine file .* is shorter"):
        train(str(tmp_path / "all.csv"), replace(options, resume=True))


# -- processes -------------------------------------------------------------------------------------------------------


def arguments(data, options, folder, *more):
    given = [*data, "--learner", options.learner, "-o", str(folder / "m.linnet"), "-q", *more]
    given += ["--on-error", str(options.on_error)]
    if options.target:
        given += ["--target", options.target, "--header", "--ngrams", "1-2", "--task", "classification"]
        given += [word for name, role in options.roles.items() for word in ("--column", f"{name}:{role}")]
        given += ["--cross", "colour,shape"]
    if options.passes:
        given += ["--passes", str(options.passes)]
    return ["train", *given]


@pytest.fixture(scope="module")
def processes():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.pipeline.running", "linnet.cli.train", "linnet.data.sources.delimited"])
    return context


def launch(context, given, folder, **how):
    process = context.Process(target=running.run, args=(given, 700, str(folder / "errors")), kwargs=how)
    process.start()
    return process


def check_files(folder):
    """Whatever was killed: a file that is there is whole, and nothing else is left but what nobody reads."""
    for name, kind in (("m.linnet", "model"), ("m.linnet.checkpoint", "checkpoint")):
        if (folder / name).exists():
            container.read(folder / name, kind)
    for path in folder.glob(".*"):
        assert path.name.startswith(".linnet-")
        assert path.suffix in (".tmp", ".lock")


def kept_apart(folder):
    path = folder / "m.linnet.quarantine"
    return path.read_bytes() if path.exists() else None


def killed_runs(context, folder, points, seed):
    """Runs over learners, formats and passes, each killed at random and resumed to its end; how many kills struck."""
    chosen = np.random.default_rng(seed)
    struck = 0
    kinds = list(product(LEARNERS, KILLED, (1, 3)))
    chosen.shuffle(kinds)
    for number, (learner, form, passes) in enumerate(islice(cycle(kinds), 10 * points)):
        if struck >= points:
            break
        here = folder / f"{number}"
        here.mkdir()
        data, options = written(here, form, np.random.default_rng(number), n=200)
        options = replace(options, learner=learner, passes=int(passes))
        plain = arguments(data, options, here)
        process = launch(context, plain, here)
        process.join()
        assert process.exitcode == 0, (here / "errors").read_text()
        wanted, apart = (here / "m.linnet").read_bytes(), kept_apart(here)
        (here / "m.linnet").unlink()
        given = [*plain, "--checkpoint-every", "20"]
        for _ in range(6):
            at = {"kill_at": int(chosen.integers(1, 5)), "moment": str(chosen.choice(running.MOMENTS))}
            timed = chosen.random() < 0.5
            process = launch(context, given, here, **({"pause": 0.004} if timed else at))
            if timed:
                time.sleep(float(chosen.uniform(0.02, 0.25)))
                process.kill()
            process.join()
            check_files(here)
            if process.exitcode == 0:
                break
            assert process.exitcode == -signal.SIGKILL, (here / "errors").read_text()
            struck += 1
            given = [*plain, "--checkpoint-every", "20", "--resume"]
        if process.exitcode != 0:
            process = launch(context, given, here)
            process.join()
        assert process.exitcode == 0, (here / "errors").read_text()
        assert (here / "m.linnet").read_bytes() == wanted, (learner, form, passes)
        assert kept_apart(here) == apart
        assert not (here / "m.linnet.checkpoint").exists()
    return struck


def test_killed_processes_resume(processes, tmp_path):
    assert killed_runs(processes, tmp_path, 8, seed=1) >= 8


@pytest.mark.slow
def test_two_hundred_killed_processes_resume(processes, tmp_path):
    assert killed_runs(processes, tmp_path, 200, seed=2) >= 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_writes_a_checkpoint_and_says_how_to_go_on(number, processes, rng, tmp_path):
    data, options = written(tmp_path, "csv", rng)
    options = replace(options, learner="adaptive")
    process = launch(processes, arguments(data, options, tmp_path), tmp_path)
    process.join()
    wanted = (tmp_path / "m.linnet").read_bytes()
    (tmp_path / "m.linnet").unlink()
    process = launch(processes, arguments(data, options, tmp_path), tmp_path, pause=0.05)
    while process.is_alive() and not list(tmp_path.glob(".linnet-*.lock")):  # until it claims what it will write
        time.sleep(0.01)
    time.sleep(0.6)
    os.kill(process.pid, number)
    process.join()
    assert process.exitcode == 130
    message = (tmp_path / "errors").read_text()
    assert message.startswith("linnet: stopped after ")
    assert "run the same command with --resume" in message
    assert not (tmp_path / "m.linnet").exists()
    process = launch(processes, [*arguments(data, options, tmp_path), "--resume"], tmp_path)
    process.join()
    assert (tmp_path / "m.linnet").read_bytes() == wanted


def test_stopping_before_anything_was_learnt_says_so(rng, tmp_path, monkeypatch, capsys):
    X, y = sparse(rng, 100)
    write_svmlight(tmp_path / "all.svm", X, y)
    with pytest.raises(Interrupted, match="nothing to resume"):
        train(str(tmp_path / "all.svm"), TrainOptions(), Services(stopped=lambda: True))
    asked = iter([False] * 3 + [True] * 1000)  # while it solves
    with pytest.raises(Interrupted, match="nothing to resume"):
        train(str(tmp_path / "all.svm"), TrainOptions(), Services(stopped=lambda: next(asked)))
    monkeypatch.setattr(sys, "argv", ["linnet", "train", str(tmp_path / "none.svm")])
    with pytest.raises(SystemExit) as stopped:
        program.main()
    assert stopped.value.code == 3
    assert "no such file" in capsys.readouterr().err
