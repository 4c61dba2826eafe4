"""Training of taggers and parsers that is killed (SIGKILL, at any moment) and resumed ends in the bytes of a run that
never was."""

import random
import signal
import subprocess
import time

import pytest

from tests.cli.calling import PROGRAM, call
from tests.structured.making import conllu, sentences
from tests.structured.test_parser import conllu_text, made

COMMANDS = {
    "tag": ("tag", "train", "--passes", 25),
    "tag, passes chosen": ("tag", "train"),
    "tag, order 2": ("tag", "train", "--order", 2, "--passes", 15),
    "parse": ("parse", "train", "--passes", 12),
    "parse, passes chosen": ("parse", "train"),
    "parse, beam": ("parse", "train", "--beam", 3, "--passes", 4),
    "parse, eisner": ("parse", "train", "--decoder", "eisner", "--passes", 4),
}


def killed_and_resumed(folder, name, kills, draw):
    """Kill a run some time after it has written a checkpoint, and again after it has resumed; how often it was hit."""
    tagging = COMMANDS[name][0] == "tag"
    data = folder / "data.conllu"
    data.write_text(conllu(sentences(1500)) if tagging else conllu_text(*made(700)))
    command = [*map(str, COMMANDS[name]), str(data), "-q"]
    whole = call(*command, "-o", folder / "whole.linnet")
    assert whole.returncode == 0, whole.stderr
    model, checkpoint = folder / "m.linnet", folder / "m.linnet.checkpoint"
    hit = 0
    while hit < kills:
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        running = subprocess.Popen(
            [*PROGRAM, *command, "-o", str(model), "--checkpoint-every", "600", "--resume"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while running.poll() is None and (not checkpoint.exists() or checkpoint.stat().st_mtime_ns == before):
            time.sleep(0.002)
        time.sleep(draw.random() * 0.1)
        running.send_signal(signal.SIGKILL)
        _, words = running.communicate()
        if running.returncode == 0:  # it was faster
            break
        assert running.returncode == -signal.SIGKILL, words
        hit += 1
    else:
        done = call(*command, "-o", model, "--checkpoint-every", 600, "--resume")
        assert done.returncode == 0, done.stderr
    assert model.read_bytes() == (folder / "whole.linnet").read_bytes()
    assert not checkpoint.exists()
    return hit


@pytest.mark.parametrize("name", ["tag, order 2", "parse"])
def test_a_killed_run_is_resumed_to_the_same_bytes(name, tmp_path):
    killed_and_resumed(tmp_path, name, 1, random.Random(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(COMMANDS))
def test_runs_that_are_killed_again_and_again_end_in_the_same_bytes(name, tmp_path):
    assert killed_and_resumed(tmp_path, name, 6, random.Random(name)) > 0
