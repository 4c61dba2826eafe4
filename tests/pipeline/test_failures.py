"""Disks that fail while a model or a checkpoint is written: the old file stays, and the command says so."""

from __future__ import annotations

import errno
import io
import os
import sys
from dataclasses import replace

import pytest

import linnet.pipeline.row_cache
import linnet.storage.atomic
from linnet.cli import main as program
from linnet.data.on_error import OnError
from linnet.errors import OutputError
from linnet.pipeline.train import TrainOptions, train, train_to_file
from linnet.storage import container
from tests.pipeline.making import TABLE, cut, sparse, table, write_csv, write_svmlight

# it begins as models do: nothing else is replaced by one
OLD = b'........{"__metadata__":{"content":"the old model'


class Failing:
    """Lets the n-th call of any of these functions fail, of those that concern a file to be replaced."""

    def __init__(self, monkeypatch, nth):
        self.left = nth
        self.hit = None
        self._patch(monkeypatch, os, "open")
        self._patch(monkeypatch, os, "fsync")
        self._patch(monkeypatch, os, "replace")
        raw = io.FileIO
        failing = self

        class FileIO(raw):
            def write(self, data):
                if str(self.name).endswith(".tmp"):
                    failing.count("write")
                return super().write(data)

        monkeypatch.setattr(linnet.storage.atomic.io, "FileIO", FileIO)

    def count(self, what):
        self.left -= 1
        if self.left == 0:
            self.hit = what
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _patch(self, monkeypatch, module, name):
        function = getattr(module, name)

        def called(*given, **named):
            if name != "open" or str(given[0]).endswith(".tmp") or (given[1] & os.O_DIRECTORY):
                self.count(name)
            return function(*given, **named)

        monkeypatch.setattr(module, name, called)


def run(*arguments):
    sys.argv = ["linnet", *arguments]
    with pytest.raises(SystemExit) as ended:
        program.main()
    return ended.value.code


@pytest.mark.parametrize("every", [None, 20])
def test_a_failing_disk_leaves_what_was_there(every, rng, tmp_path, capsys, monkeypatch):
    X, y = sparse(rng, 120)
    write_svmlight(tmp_path / "all.svm", X, y)
    model, checkpoint = tmp_path / "m.linnet", tmp_path / "m.linnet.checkpoint"
    command = ["train", str(tmp_path / "all.svm"), "-o", str(model), "--learner", "adaptive", "-q", "--threads", "1"]
    command += ["--checkpoint-every", str(every)] if every else []
    with cut(600):
        assert run(*command) in (0, None)
        good = model.read_bytes()
        model.write_bytes(OLD)
        hits = set()
        for nth in range(1, 100):
            with monkeypatch.context() as patch:
                failing = Failing(patch, nth)
                code = run(*command)
            if failing.hit is None:
                break
            hits.add(failing.hit)
            in_place = "is in place" in capsys.readouterr().err
            assert code == 1, failing.hit
            assert model.read_bytes() == (good if in_place and model.read_bytes() == good else OLD)
            if checkpoint.exists():
                container.read(checkpoint, "checkpoint")
            assert not list(tmp_path.glob(".linnet-*"))
            model.write_bytes(OLD)
        assert code in (0, None)
    assert hits == {"open", "fsync", "replace", "write"}
    assert nth >= (5 if every is None else 10)
    assert model.read_bytes() == good


def test_a_model_that_cannot_be_saved_can_be_resumed(rng, tmp_path, monkeypatch):
    X, y = sparse(rng, 120)
    write_svmlight(tmp_path / "all.svm", X, y)

    def full(*_):
        raise OutputError("no space left")

    options = TrainOptions(learner="adaptive", checkpoint=str(tmp_path / "c"), checkpoint_every=20)
    with cut(600):
        with monkeypatch.context() as patch:
            patch.setattr("linnet.pipeline.train.save", full)
            with pytest.raises(OutputError):
                train_to_file(str(tmp_path / "all.svm"), options, tmp_path / "m")
        assert (tmp_path / "c").exists()
        train_to_file(str(tmp_path / "all.svm"), replace(options, resume=True), tmp_path / "m")
        train(str(tmp_path / "all.svm"), replace(options, checkpoint_every=None)).save(tmp_path / "whole")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not (tmp_path / "c").exists()


def test_a_full_disk_under_the_cache_is_one_clear_error(rng, monkeypatch):
    X, y = sparse(rng, 120)

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(linnet.pipeline.row_cache.np, "save", full)
    with cut(), pytest.raises(OutputError, match="memory"):
        train((X, y), TrainOptions(learner="adaptive", passes=2, memory=0))


def test_a_quarantine_that_cannot_be_opened_is_one_clear_error(rng, tmp_path):
    write_csv(tmp_path / "all.csv", table(rng, 20))
    options = replace(TABLE, learner="adaptive", on_error=OnError.QUARANTINE, quarantine=str(tmp_path / "no" / "such"))
    with pytest.raises(OutputError, match="cannot write"):
        train(str(tmp_path / "all.csv"), options)
