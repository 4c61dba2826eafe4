"""Tables of numbers, alone and beside categories: from a file to a model and back to predictions.

Times of whole runs include starting the program; rates are of a pass in a process that has started.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.files import Run, in_process, run
from benchmarks.measure import Figure, Goal, take_turns

if TYPE_CHECKING:
    from benchmarks.workloads import Options

ROWS, NUMBERS = 1_000_000, 28
LEVELS = (2, 3, 5, 8, 12)
MB = 1e6
# What a numeric table may take: so many bytes a number, and this beside.
BYTES_A_NUMBER, BESIDE = 4, 250 * MB

PANDAS = """
import sys
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
path = sys.argv[1]
frame = pd.read_parquet(path) if path.endswith(".parquet") else pd.read_csv(path)
labels = frame.pop("target")
columns = make_column_transformer(
    (StandardScaler(), make_column_selector(dtype_include="number")),
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
)
make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(frame, labels)
"""


def tables(options: Options) -> Iterator[Figure]:
    """A million rows: the default model beside pandas with scikit-learn, one pass beside Vowpal Wabbit, predictions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        numbers = _numbers()
        paths = {"CSV": folder / "numbers.csv", "Parquet": folder / "numbers.parquet"}
        _write(numbers, paths["CSV"])
        _write(numbers, paths["Parquet"])
        _write_vowpal_wabbit(numbers, folder / "numbers.vw")
        rounds = max(1, options.repeats // 4)
        seconds = {}
        for form, path in paths.items():
            yield from _trained(f"1M x 29 {form}", path, folder, rounds, (NUMBERS + 1) * ROWS, seconds)
        yield Figure(
            "1M x 29 to a model", "Parquet, times CSV", seconds["Parquet"] / seconds["CSV"], Goal(most=1.0),
            {form: f"{taken:.2f} s" for form, taken in seconds.items()},
        )  # fmt: skip
        yield from _one_pass(paths["CSV"], folder / "numbers.vw", rounds)
        yield from _predicted(paths["CSV"], folder, rounds)
        mixed = folder / "mixed.csv"
        _write(_mixed(numbers), mixed)
        yield from _trained("1M rows, 20 numbers and 5 categories, CSV", mixed, folder, rounds, None, {})


def _trained(
    workload: str, path: Path, folder: Path, rounds: int, cells: int | None, seconds: dict[str, float]
) -> Iterator[Figure]:
    """The default model beside pandas and scikit-learn, each in processes of its own, in turns."""
    model = str(folder / "model.linnet")
    commands = {
        "linnet": [sys.executable, "-m", "linnet", "train", str(path), "--target", "target", "-o", model, "-q"],
        "pandas and scikit-learn": [sys.executable, "-c", PANDAS, str(path)],
    }
    runs: dict[str, list[Run]] = {who: [] for who in commands}
    for _ in range(rounds):
        for who, command in commands.items():
            runs[who].append(run(command))
    taken = {who: median(each.seconds for each in found) for who, found in runs.items()}
    peaks = {who: max(each.peak for each in found) / MB for who, found in runs.items()}
    seconds[workload.split()[-1]] = taken["linnet"]
    yield Figure(
        workload,
        "times pandas and scikit-learn",
        taken["pandas and scikit-learn"] / taken["linnet"],
        Goal(least=3),
        {who: f"{found:.2f} s" for who, found in taken.items()},
    )
    most = None if cells is None else Goal(most=(BYTES_A_NUMBER * cells + BESIDE) / MB)
    detail = {who: f"{peak:.0f} MB" for who, peak in peaks.items()}
    yield Figure(workload, "peak memory, MB", peaks["linnet"], most, detail)


def _one_pass(ours: Path, theirs: Path, rounds: int) -> Iterator[Figure]:
    import linnet

    taken = take_turns(
        {
            "linnet": lambda: linnet.train(ours, target="target", learner="adaptive"),
            "Vowpal Wabbit": lambda: in_process(f"-d {theirs} -b 18 --loss_function logistic --quiet --no_stdin"),
        },
        rounds,
    )
    rate = ours.stat().st_size / MB / taken["linnet"]
    detail = {who: f"{found:.2f} s" for who, found in taken.items()}
    yield Figure("1M x 29 CSV, one online pass", "MB/s", rate, Goal(least=250), detail)
    ratio = taken["Vowpal Wabbit"] / taken["linnet"]
    yield Figure("1M x 29 CSV, one online pass", "times Vowpal Wabbit", ratio, Goal(least=3), detail)


def _predicted(path: Path, folder: Path, rounds: int) -> Iterator[Figure]:
    """`linnet predict` to CSV; the model is of the first rows."""
    import linnet
    from linnet.cli.predict import Output
    from linnet.cli.predict import run as predict
    from linnet.pipeline.options import TrainOptions

    few, model = folder / "few.csv", folder / "few.linnet"
    with path.open() as whole:
        few.write_text("".join(line for line, _ in zip(whole, range(20_000), strict=False)))
    linnet.train(few, target="target").save(model)
    out = str(folder / "predictions.csv")
    taken = take_turns({"linnet": lambda: predict(str(model), [str(path)], out, Output.CSV, TrainOptions())}, rounds)
    rate = path.stat().st_size / MB / taken["linnet"]
    yield Figure("1M x 29 CSV, predict", "MB/s", rate, Goal(least=150), {"linnet": f"{taken['linnet']:.2f} s"})


# -- the tables --------------------------------------------------------------------------------------------------------


def _numbers() -> Any:
    """28 columns of correlated numbers with four decimals, and a target, 0 or 1, that depends on them."""
    import pyarrow as pa

    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, NUMBERS))
    X[:, 1:] += 0.5 * X[:, :-1]
    scores = X @ rng.standard_normal(NUMBERS) / 4 + rng.logistic(size=ROWS)
    columns = {"target": (scores > 0).astype(np.int64)}
    columns |= {f"x{j}": np.round(X[:, j], 4) for j in range(NUMBERS)}
    return pa.table(columns)


def _mixed(numbers: Any) -> Any:
    """The first 20 numbers, and five columns of categories that say something of the target."""
    import pyarrow as pa

    rng = np.random.default_rng(1)
    table = numbers.select(["target", *(f"x{j}" for j in range(20))])
    target = table["target"].to_numpy()
    for number, levels in enumerate(LEVELS):
        drawn = np.minimum((levels * rng.random(ROWS) ** (1.0 + 0.3 * target)).astype(np.int64), levels - 1)
        names = pa.array([f"level {level}" for level in range(levels)])
        table = table.append_column(f"c{number}", names.take(pa.array(drawn)))
    return table


def _write(table: Any, path: Path) -> None:
    from pyarrow import csv, parquet

    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        csv.write_csv(table, path, csv.WriteOptions(quoting_style="none"))


def _write_vowpal_wabbit(table: Any, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    signs = pa.array(["-1 |", "1 |"]).take(table["target"].combine_chunks())
    names = [name for name in table.column_names if name != "target"]
    with path.open("wb") as out:
        for batch in table.to_batches(max_chunksize=50_000):
            fields = [pc.binary_join_element_wise(name, batch[name].cast(pa.string()), ":") for name in names]
            first = signs.slice(0, len(batch))
            signs = signs.slice(len(batch))
            lines = pc.binary_join_element_wise(first, *fields, " ")
            out.write("\n".join(lines.to_pylist()).encode() + b"\n")


WORKLOADS = {"tables": tables}
