"""Ctrl-C and SIGTERM end every command soon, whatever it is doing: one line, the exit code 130, nothing left behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from linnet import train

# A second is promised; a busy machine may take longer, and a hang takes for ever.
AT_MOST = 5.0
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """200 labels and 2,000 features, which take most learners longer than the test; and a dense table."""
    folder = tmp_path_factory.mktemp("many")
    rng = np.random.default_rng(0)
    with open(folder / "many.svm", "w") as file:
        for label, row in zip(rng.integers(0, 200, 30_000), rng.integers(1, 2001, (30_000, 20)), strict=True):
            file.write(f"{label} " + " ".join(f"{each}:1" for each in np.unique(row)) + "\n")
    numbers = rng.normal(size=(2500, 400)).round(3)
    with open(folder / "wide.csv", "w") as file:
        file.write(",".join(["y", *(f"x{j}" for j in range(400))]) + "\n")
        for row in numbers:
            file.write(f"{int(row[:9].sum() + row[9] > 0)}," + ",".join(map(str, row)) + "\n")
    return folder


@pytest.fixture(scope="module")
def model(data):
    lines = (data / "many.svm").read_text().splitlines(keepends=True)
    (data / "few.svm").write_text("".join(lines[:3000]))
    train(str(data / "few.svm"), task="classification", learner="perceptron").save(data / "perceptron.linnet")
    train(str(data / "wide.csv"), target="y", task="classification", C=1.0).save(data / "proven.linnet")
    return data / "perceptron.linnet"


def commands(data, model):
    many, wide = data / "many.svm", data / "wide.csv"
    train = ("train", many, "-o", "m.linnet", "-q", "--task", "classification", "--learner")
    return {
        **{name: (*train, name) for name in ("logistic-regression", "crammer-singer", "naive-bayes")},
        "sgd-hinge": (*train, "sgd-hinge", "--passes", "1000", "--holdout", "0"),
        "one-vs-rest svm": (*train, "svm", "--multiclass", "one-vs-rest"),
        "pairwise svm": (*train, "svm", "--multiclass", "pairwise", "--memory", "4GB"),
        "pairwise winnow": (*train, "winnow", "--multiclass", "pairwise", "--memory", "4GB"),
        "passes": (*train, "adaptive", "--passes", "50"),
        "calibrated": (*train, "svm", "--calibrate", "sigmoid"),
        "least squares": (
            "train",
            wide,
            "-o",
            "m.linnet",
            "-q",
            "--task",
            "regression",
            "--target",
            "y",
            "--penalty",
            "none",
        ),
        "predict": ("predict", model, *[many] * 6, "-o", "p.csv"),
        "evaluate": ("evaluate", model, *[many] * 6),
        "verify": ("verify", data / "proven.linnet", wide),
        "separable": ("separable", wide, "--target", "y"),
        "boolean": ("boolean", "--count", "6"),
        "train from a pipe": ("train", "-", "-o", "m.linnet"),
        "predict from a pipe": ("predict", model, "-"),
    }


def stopped(arguments, folder, after, number):
    """Run a command and send a signal after this many seconds; how long it took to end, unless it had before."""
    process = subprocess.Popen(
        [sys.executable, "-m", "linnet", *map(str, arguments)],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(after)
    what, began = f"{arguments} {number!r} after {after:.2f} s", time.perf_counter()
    process.send_signal(number)
    try:
        code = process.wait(AT_MOST)  # its standard input stays open
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"{what}: goes on") from None
    finally:
        seconds = time.perf_counter() - began
        printed = process.communicate()[1]
    if code == 0 and "stopped" not in printed:
        return None
    assert code == 130, (what, code, printed)
    *before, line = printed.strip().splitlines()  # a run before may have ended in time
    assert line.startswith("linnet: stopped"), (what, printed)
    assert all(each.startswith("linnet: replaces m.linnet") for each in before), (what, printed)
    assert not [name for name in os.listdir(folder) if name.endswith(".tmp")], what
    return seconds


@pytest.mark.parametrize(
    "name", ["one-vs-rest svm", "pairwise winnow", "sgd-hinge", "separable", "predict from a pipe"]
)
def test_a_signal_ends_a_command_that_is_at_work(name, data, model, tmp_path):
    assert stopped(commands(data, model)[name], tmp_path, 2.0, random.Random(name).choice(SIGNALS)) is not None


def test_a_signal_while_the_program_is_loaded_ends_it(data, model, tmp_path):
    stopped(commands(data, model)["predict"], tmp_path, 0.3, signal.SIGINT)
    assert not (tmp_path / "p.csv").exists()


@pytest.mark.slow
def test_a_signal_at_any_moment_ends_every_command(data, model, tmp_path):
    choose, latencies = random.Random(0), []
    for turn in range(4):
        for arguments in commands(data, model).values():
            latencies.append(stopped(arguments, tmp_path, choose.uniform(0.3, 1.0 + turn), choose.choice(SIGNALS)))
    ended = sorted(each for each in latencies if each is not None)
    assert len(ended) >= 40
    print(f"{len(ended)} signals: median {ended[len(ended) // 2]:.2f} s, longest {ended[-1]:.2f} s")


ENDLESS = """
import os, subprocess, threading
from linnet.__main__ import main
from linnet.storage.atomic import replacing

def command(**_):
    with replacing("made.bin") as file:
        file.write(b"half")
        subprocess.Popen(["sh", "-c", f"%s sleep 0.5; kill -TERM {os.getpid()}"])
        %s

import linnet.cli.main
linnet.cli.main.assembled = lambda _: command
main()
"""


@pytest.mark.parametrize(
    "work",
    [
        # a library that does not let any other thread of Python run, and one that swallows whatever is raised
        # (a signal that another thread receives does not wake it)
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM}); "
        "from ctypes import PyDLL; PyDLL(None).sleep(60)",
        "exec('while True:\\n    try: threading.Event().wait(60)\\n    except BaseException: pass')",
    ],
)
def test_a_command_that_does_not_heed_a_signal_is_ended_and_its_temporary_file_removed(work, tmp_path):
    began = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-c", ENDLESS % ("", work)], cwd=tmp_path, capture_output=True, text=True, timeout=30
    )
    assert time.perf_counter() - began < 25
    assert (ran.returncode, ran.stderr) == (130, "linnet: stopped\n")
    assert os.listdir(tmp_path) == []


SAVING = """
        from linnet.cli.interruption import saving, was_asked
        from time import sleep
        with saving("made.bin"):
            asked = 0
            while True:
                try:
                    sleep(0.1)
                    asked += was_asked()
                    if asked == 12:  # twice the time after which a command that saves nothing is ended
                        open("saving.txt", "w").close()
                except BaseException:
                    pass
"""


def test_only_a_second_signal_ends_a_command_that_is_saving(tmp_path):
    first = "sleep 0.5; kill -TERM {os.getpid()}; while ! test -e saving.txt; do sleep 0.1; done;"
    ran = subprocess.run(
        [sys.executable, "-c", ENDLESS % (first, SAVING)], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (ran.returncode, ran.stderr) == (130, "linnet: stopped\n")
    assert os.listdir(tmp_path) == ["saving.txt"]
