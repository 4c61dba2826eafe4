"""A case from its files to its finds: every step in a child of its own, every detector after every step."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from attack import detectors
from attack.case import Call, Case, Command, Step
from attack.detectors import Find
from attack.process import Outcome, run

TOP = "linnet-attack-"


@dataclass
class Result:
    """What a case came to."""

    finds: list[Find] = field(default_factory=list)
    outcomes: list[tuple[Step, Outcome]] = field(default_factory=list)


def execute(case: Case, keep: Path | None = None) -> Result:
    """Run a case in a new folder, which is deleted afterwards (or copied to `keep` before)."""
    result = Result()
    top = Path(tempfile.mkdtemp(prefix=TOP))
    try:
        folder, scratch, temporary = (top / name for name in ("files", "scratch", "tmp"))
        for each in (folder, scratch, temporary):
            each.mkdir()
        case.write(folder)
        if keep is not None:
            shutil.copytree(folder, keep, symlinks=True, dirs_exist_ok=True)
        os.environ["TMPDIR"] = str(temporary)
        for step in case.steps:
            _step(case, step, folder, scratch, temporary, result)
        if not result.finds:
            result.finds += detectors.of_bytes(case, folder)
    finally:
        os.environ.pop("TMPDIR", None)
        delete(top)
    return result


def _step(case: Case, step: Step, folder: Path, scratch: Path, temporary: Path, result: Result) -> None:
    if isinstance(step, Command) and step.paced:
        step = _paced(step, result.outcomes[0][1].wall)
    before = detectors.snapshot(folder)
    outcome = run(step, folder, scratch)
    result.outcomes.append((step, outcome))
    result.finds += detectors.of_outcome(step, outcome)
    after = detectors.snapshot(folder)
    result.finds += detectors.of_files(case, step, outcome, before, after)
    result.finds += detectors.of_models(lambda name: _loads(name, folder, scratch), step, outcome, before, after)
    left = os.listdir(temporary)
    if left and outcome.signal is None and not outcome.stopped_for:
        result.finds.append(Find("temporary", f"temporary {step.name} TMPDIR", f"left in TMPDIR: {left[:3]}"))


def _paced(step: Command, wall: float) -> Command:
    """The step with its moments as fractions of the time that the first step took."""
    return replace(step, meanwhile=tuple(replace(each, seconds=each.seconds * wall) for each in step.meanwhile))


def _loads(name: str, folder: Path, scratch: Path) -> bool:
    """Whether a model or checkpoint can be read, tried in a child: it may be anything."""
    outcome = run(Call(_load, name), folder, scratch)
    return outcome.code == 0 and b"refused" not in outcome.stdout


def _load(name: str) -> None:
    import linnet
    from linnet.storage import container

    if name.endswith(".checkpoint"):
        container.read(name, "checkpoint")
    else:
        linnet.load(name)


def delete(top: Path) -> None:
    """Delete a folder or a file, without recursion: folders may be very deep."""
    if top.is_symlink() or not top.is_dir():
        top.unlink(missing_ok=True)
        return
    folders = [str(top)]
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    os.unlink(entry.path)
    for folder in reversed(folders):
        os.rmdir(folder)
