"""Dependency parsing: from a treebank to a parser, and its trees, by the width of the beam.

The data are UD English EWT in CoNLL-U (en_ewt-ud-train.conllu.gz and so on) in the folder that is given, or in its
folder `tagging`; without them there is nothing to measure.  Rates are of whole runs of the program on one core, from
file to file, by processor time, which a busy machine disturbs least; a plain read of the same file by Python is
measured beside them.
"""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.files import run
from benchmarks.measure import Figure, Goal

if TYPE_CHECKING:
    from benchmarks.workloads import Options

# Greedy first, then beams; passes are fixed, so that runs are alike.
BEAMS = (1, 8)
PASSES = 8
COPIES = 8


def parsing(options: Options) -> Iterator[Figure]:
    """EWT with the tags of the file: LAS and words a second by the width of the beam, memory, Eisner beside them."""
    files = _files(options.folder)
    if files is None:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = folder / "test.conllu"
        plain.write_bytes(gzip.decompress(files["test"].read_bytes()) * COPIES)
        reading = _seconds([sys.executable, "-c", f"for line in open({str(plain)!r}): line.split()"])
        for label, chosen in (
            *((f"beam {width}", ["--beam", str(width)]) for width in BEAMS),
            ("eisner", ["--decoder", "eisner"]),
        ):
            yield from _parser(label if label != "beam 1" else "greedy", chosen, files, folder, plain, reading)


def _parser(
    name: str, chosen: list[str], files: dict[str, Path], folder: Path, plain: Path, reading: float
) -> Iterator[Figure]:
    model = folder / "model.linnet"
    train = [
        "parse",
        "train",
        str(files["train"]),
        "-o",
        str(model),
        "--passes",
        str(PASSES),
        "--threads",
        "1",
        "--quiet",
    ]
    before = _processor_time()
    trained = run(_linnet(*train, *chosen))
    training = _processor_time() - before
    found = json.loads(subprocess.check_output(_linnet("parse", "evaluate", str(model), str(files["test"]), "--json")))
    goal = {"greedy": Goal(least=84), "beam 8": Goal(least=86.2)}.get(name)
    detail: dict[str, Any] = {
        "UAS": f"{100 * found['uas']:.2f}",
        "without punctuation": f"{100 * found['las_without_punctuation']:.2f}",
        "95 %": "{:.2f} to {:.2f}".format(*(100 * each for each in found["las_interval"])),
        "training": f"{training:.0f} s of processor time",
    }
    yield Figure("parsing", f"LAS, {name}", 100 * found["las"], goal, detail)
    yield Figure("parsing", f"GB to train, {name}", trained.peak / 1e9, Goal(most=1.0))
    output = folder / "out.conllu"
    spent = _seconds(_linnet("parse", "predict", str(model), str(plain), "-o", str(output), "--threads", "1"))
    rate = COPIES * found["words"] / spent
    fast = Goal(least=50_000) if name == "greedy" else None
    yield Figure(
        "parsing",
        f"words a second, {name}",
        rate,
        fast,
        {"seconds": f"{spent:.2f}", "Python reads": f"{reading:.2f} s"},
    )


def _files(folder: Path | None) -> dict[str, Path] | None:
    for base in () if folder is None else (folder, folder / "tagging"):
        found = {part: base / f"en_ewt-ud-{part}.conllu.gz" for part in ("train", "test")}
        if all(path.exists() for path in found.values()):
            return found
    return None


def _linnet(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "linnet", *arguments]


def _seconds(command: list[str]) -> float:
    """The processor time of a command."""
    before = _processor_time()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return _processor_time() - before


def _processor_time() -> float:
    """That of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


WORKLOADS: dict[str, Callable[[Options], Iterator[Figure]]] = {"parsing": parsing}
