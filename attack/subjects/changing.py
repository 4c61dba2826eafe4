"""Files that change while they are read: cut, grown, replaced, emptied, deleted."""

from __future__ import annotations

import io
import os
from pathlib import Path
from random import Random

from attack import bases
from attack.case import Case, Command, Meanwhile, Step

ACTS = ("cut", "empty", "grow", "replace", "delete", "overwrite")


def make(random: Random) -> Case:
    name, content, more = _large(random)
    way = random.choice(ACTS)
    seconds = random.choice([0.0, random.uniform(0, 0.1), random.uniform(0, 0.6)])
    happening = Meanwhile(seconds, f"{way} file {name}", lambda _, folder: _do(way, folder / name))
    act = random.choice(["train", "train", "predict", "verify"])
    files = {name: content}
    if act == "train":
        learner = random.choice(
            [[], ["--learner", "adaptive", "--passes", "3", "--memory", "0"], ["--learner", "naive-bayes"]]
        )
        arguments = ["train", name, "-o", "m", *more, *learner]
    else:
        files["base"] = bases.model("table" if more else "numbered")
        arguments = [act, "base", name]
    steps: list[Step] = [Command(arguments, meanwhile=(happening,))]
    return Case(files, steps, {"m", name})


def _large(random: Random) -> tuple[str, bytes, list[str]]:
    head, _, rows = bases.data("table.csv").partition(b"\n")
    times = random.choice([100, 600])
    kind = random.choice(["csv", "parquet", "parquet", "svmlight", "text"])
    if kind == "csv":
        return "data.csv", head + b"\n" + rows * times, ["--target", "y"]
    if kind == "svmlight":
        return "data.svm", bases.data("rows.svm") * times, []
    if kind == "text":
        return "data.txt", b"a\tgood film\nb\tbad film\n" * (30 * times), []
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.csv.read_csv(
        io.BytesIO(head + b"\n" + rows * times), read_options=pyarrow.csv.ReadOptions(use_threads=False)
    )
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file, row_group_size=1000, compression="none", use_dictionary=False)
    assert isinstance(table, pa.Table)
    return "data.parquet", file.getvalue(), ["--target", "y"]


def _do(way: str, path: Path) -> None:
    size = path.stat().st_size
    match way:
        case "cut":
            os.truncate(path, size // 2)
        case "empty":
            os.truncate(path, 0)
        case "grow":
            with open(path, "ab") as file:
                file.write(b"x,y,z\n" * 1000)
        case "replace":
            other = path.with_name("other")
            other.write_bytes(b"\0" * size)
            os.replace(other, path)
        case "delete":
            path.unlink()
        case "overwrite":
            with open(path, "r+b") as file:
                file.write(b"\xff" * (size // 2))
