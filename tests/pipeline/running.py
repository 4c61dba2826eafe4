"""A command run in a process of its own, in small chunks, that may be killed at any moment."""

from __future__ import annotations

import os
import signal
import sys

import linnet.storage.atomic
import linnet.storage.container
from linnet.cli import main as program
from tests.pipeline.making import cut

# Moments within the writing of a checkpoint at which a process can kill itself.
MOMENTS = ("before", "written", "renamed", "after")


def run(arguments, chunk, errors, kill_at=None, moment="after", pause=0.0):
    """Run linnet; die at the k-th file it writes, at a moment of that; `pause` seconds after each block."""
    sys.argv = ["linnet", *arguments]
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if kill_at is not None:
        _die_at(kill_at, moment)
    if pause:
        _slow_down(pause)
    with cut(chunk, block=20, cache=32):
        program.main()


def _die_at(kill_at, moment):
    counts = {"files": 0}
    replacing, fsync, replace = linnet.storage.container.replacing, os.fsync, os.replace

    def die(when):
        if counts["files"] == kill_at and moment == when:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(path, *rest):
        counts["files"] += 1
        die("before")
        return replacing(path, *rest)

    def synced(file):
        fsync(file)
        die("written")

    def renamed(old, new):
        replace(old, new)
        die("renamed")

    linnet.storage.container.replacing = counted
    os.fsync, os.replace = synced, renamed
    write = linnet.storage.container.write

    def written(*given):
        write(*given)
        die("after")

    linnet.storage.container.write = written


def _slow_down(pause):
    import time

    from linnet.pipeline.trainers.online_run import OnlineRun

    take, next_chunk = OnlineRun.take, OnlineRun.next_chunk

    def slowly(self, *given, **named):
        time.sleep(pause)
        return take(self, *given, **named)

    def next_slowly(self):
        time.sleep(pause)
        return next_chunk(self)

    OnlineRun.take, OnlineRun.next_chunk = slowly, next_slowly
