"""Workloads that begin with a file: text to features, streams of a gigabyte, and what the defaults reach."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import Figure, Goal, take_turns

if TYPE_CHECKING:
    from benchmarks.workloads import Options

STREAM_BYTES = 1_000_000_000
HASH_BITS = 18
ENTRIES_A_ROW = 100


# -- text to hashed features -------------------------------------------------------------------------------------------


def hashing(options: Options) -> Iterator[Figure]:
    """Texts to a matrix of hashed counts of words: linnet also keeps the names and counts the collisions."""
    from sklearn.feature_extraction.text import HashingVectorizer

    from linnet import BagOfWords

    every = texts(options.folder)
    size = sum(map(len, every)) / 1e6
    ours = BagOfWords(hash_bits=20, use_idf=False, norm=None, dtype=np.float32)
    theirs = HashingVectorizer(norm=None, alternate_sign=False)
    few = every[: len(every) // 5]
    seconds = take_turns(
        {
            "linnet": lambda: ours.fit_transform(every),
            "scikit-learn": lambda: theirs.transform(few),
        },
        options.repeats,
    )
    rates = {"linnet": size / seconds["linnet"], "scikit-learn": size / 5 / seconds["scikit-learn"]}
    yield Figure(
        "text to hashed words",
        "times HashingVectorizer",
        rates["linnet"] / rates["scikit-learn"],
        Goal(least=20),
        {name: f"{rate:.0f} MB/s" for name, rate in rates.items()},
    )


def texts(folder: Path | None) -> list[str]:
    """The reviews, or, without them, words drawn by Zipf's law."""
    if folder is not None:
        with gzip.open(folder / "text" / "imdb-train.jsonl.gz", "rt") as file:
            return [json.loads(line)["text"] for line in file]
    rng = np.random.default_rng(0)
    words = np.array(
        ["".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), rng.integers(2, 10))) for _ in range(50_000)]
    )
    drawn = np.minimum((50_000 ** rng.random((25_000, 230))).astype(np.int64), 49_999)
    return [" ".join(words[row]) for row in drawn]


# -- a stream of a gigabyte --------------------------------------------------------------------------------------------


def stream(options: Options) -> Iterator[Figure]:
    """One pass of online logistic regression over a gigabyte of sparse rows, each program in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder) / "rows.svm", Path(folder) / "rows.vw"
        _write_rows(ours, theirs)
        size = ours.stat().st_size / 1e6
        pairs = {
            "adaptive": ("adaptive", ""),
            "plain SGD": ("sgd-logistic", "--sgd"),
        }
        for name, (learner, flags) in pairs.items():
            runs: dict[str, list[Run]] = {"linnet": [], "Vowpal Wabbit": []}
            for _ in range(max(1, options.repeats // 4)):
                runs["linnet"].append(_linnet_train(ours, learner, folder))
                runs["Vowpal Wabbit"].append(_vowpal_wabbit(theirs, flags))
            seconds = {who: median(run.seconds for run in found) for who, found in runs.items()}
            made_of = {who: f"{size / taken:.0f} MB/s" for who, taken in seconds.items()}
            yield Figure(
                f"1 GB of svmlight, {name}",
                "times Vowpal Wabbit",
                seconds["Vowpal Wabbit"] / seconds["linnet"],
                Goal(least=2),
                made_of,
            )
            peak = max(run.peak for run in runs["linnet"]) / 1e6
            yield Figure(f"1 GB of svmlight, {name}", "peak memory, MB", peak, Goal(most=300))


@dataclass(frozen=True)
class Run:
    seconds: float
    peak: int


# A process counts the memory of the one that started it as its own: so a small one starts it.
STARTER = """
import os, sys, time
began = time.perf_counter()
nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=nowhere)
_, status, usage = os.wait4(pid, 0)
print(time.perf_counter() - began, usage.ru_maxrss * 1024, status)
"""


def run(command: list[str]) -> Run:
    """A process on its own: how long it took and how much memory it had at most."""
    started = [sys.executable, "-S", "-c", STARTER, *command]
    said = subprocess.run(started, capture_output=True, text=True, check=True).stdout
    seconds, peak, status = said.split()
    if status != "0":
        raise RuntimeError(f"{' '.join(command)} ended with status {status}")
    return Run(float(seconds), int(peak))


def _linnet_train(path: Path, learner: str, folder: str) -> Run:
    model = str(Path(folder) / "model.linnet")
    return run([sys.executable, "-m", "linnet", "train", str(path), "--learner", learner, "-o", model, "-q"])


VOWPAL_WABBIT = "import sys, vowpalwabbit; vowpalwabbit.Workspace(sys.argv[1]).finish()"


def _vowpal_wabbit(path: Path, flags: str) -> Run:
    options = f"-d {path} -b {HASH_BITS} --loss_function logistic --quiet --no_stdin {flags}"
    return run([sys.executable, "-c", VOWPAL_WABBIT, options])


def _write_rows(ours: Path, theirs: Path) -> None:
    """Rows with ids by Zipf's law and a label that depends on them, as svmlight and as Vowpal Wabbit's own format."""
    rng = np.random.default_rng(0)
    columns = 1 << HASH_BITS
    truth = rng.normal(size=columns)
    block = []
    for _ in range(20_000):
        ids = np.unique(np.minimum((columns ** rng.random(ENTRIES_A_ROW)).astype(np.int64), columns - 1))
        values = rng.random(len(ids)).round(4)
        label = 1 if float(truth[ids] @ values) > 0 else -1
        block.append((label, " ".join(f"{j}:{x:g}" for j, x in zip(ids.tolist(), values.tolist(), strict=True))))
    svm = "".join(f"{label} {body}\n" for label, body in block).encode()
    vw = "".join(f"{label} | {body}\n" for label, body in block).encode()
    with open(ours, "wb") as a, open(theirs, "wb") as b:
        for _ in range(-(-STREAM_BYTES // len(svm))):
            a.write(svm)
            b.write(vw)


# -- reviews to a model ------------------------------------------------------------------------------------------------


def reviews(options: Options) -> Iterator[Figure]:
    """IMDB from text to a model: one pass beside Vowpal Wabbit, the default beside a scikit-learn pipeline."""
    if options.folder is None:
        return
    import linnet

    with tempfile.TemporaryDirectory() as folder:
        plain, same, words = (Path(folder) / name for name in ("imdb.jsonl", "imdb.txt", "imdb.vw"))
        with gzip.open(options.folder / "text" / "imdb-train.jsonl.gz", "rb") as file:
            plain.write_bytes(file.read())
        rows = [json.loads(line) for line in plain.open()]
        with words.open("w") as out, same.open("w") as ours:  # the same words for both, each in its own format
            for row in rows:
                said = " ".join(re.findall(r"\w+", row["text"].lower()))
                out.write(f"{1 if row['label'] == 'pos' else -1} | {said}\n")
                ours.write(f"{row['label']}\t{said}\n")
        seconds = take_turns(
            {
                "linnet": lambda: linnet.train(same, learner="adaptive", ngrams=1),
                "Vowpal Wabbit": lambda: in_process(f"-d {words} -b 18 --loss_function logistic --quiet --no_stdin"),
            },
            max(3, options.repeats // 3),
        )
        yield _ratio("IMDB, one pass, same words", "Vowpal Wabbit", seconds, Goal(least=1))
        texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
        seconds = take_turns(
            {
                "linnet": lambda: linnet.train(plain, target="label"),
                "scikit-learn": lambda: _pipeline().fit(texts, labels),
            },
            max(1, options.repeats // 3),
        )
        yield _ratio("IMDB, text to model", "scikit-learn", seconds, Goal(least=10))


def _ratio(workload: str, peer: str, seconds: dict[str, float], goal: Goal) -> Figure:
    made_of = {name: f"{taken:.2f} s" for name, taken in seconds.items()}
    return Figure(workload, f"times {peer}", seconds[peer] / seconds["linnet"], goal, made_of)


def in_process(options: str) -> None:
    import vowpalwabbit

    vowpalwabbit.Workspace(options).finish()


def _pipeline() -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\w+")
    return make_pipeline(words, LogisticRegression(C=30, max_iter=1000))


# -- what the defaults reach -------------------------------------------------------------------------------------------


def defaults(options: Options) -> Iterator[Figure]:
    """Accuracy of `linnet train DATA` with no option but the target."""
    if options.folder is None:
        return
    import linnet

    folder = options.folder
    for name, target, least in (("text/imdb", "label", 0.910), ("text/20news", "label", 0.850)):
        model = linnet.train(folder / f"{name}-train.jsonl.gz", target=target)
        accuracy = model.evaluate(folder / f"{name}-test.jsonl.gz").accuracy
        yield Figure(f"default on {name}", "test accuracy", accuracy, Goal(least=least))
    model = linnet.train(folder / "tabular/adult-train.csv", target="income")
    accuracy = model.evaluate(folder / "tabular/adult-test.csv").accuracy
    yield Figure("default on adult", "test accuracy", accuracy, Goal(least=0.850))
    with tempfile.TemporaryDirectory() as temporary:
        lines = (folder / "spam/sms_spam.tsv").read_bytes().splitlines(keepends=True)
        train, test = Path(temporary) / "train.tsv", Path(temporary) / "test.tsv"
        train.write_bytes(b"".join(lines[:-1500]))
        test.write_bytes(b"".join(lines[-1500:]))
        result = linnet.train(train).evaluate(test)
        spam = next(each for each in result.classes if each.label == "spam")
        yield Figure("default on SMS spam", "F1 of spam, last 1,500", spam.f1, Goal(least=0.95))
    yield from _housing(folder / "regression/california_housing.csv")


def _housing(path: Path) -> Iterator[Figure]:
    """Five folds of the houses, rows dealt in turn after a shuffle; and as the file has them, in five runs."""
    import pandas as pd

    import linnet

    frame = pd.read_csv(path)
    rng = np.random.default_rng(0)
    for name, order in (("shuffled", rng.permutation(len(frame))), ("in file order", np.arange(len(frame)))):
        scores = []
        for fold in np.array_split(order, 5):
            rest = np.setdiff1d(order, fold)
            model = linnet.train(frame.iloc[rest], target="median_house_value")
            scores.append(model.evaluate(frame.iloc[fold]).r2)
        goal = Goal(least=0.62) if name == "shuffled" else None
        yield Figure(f"default on California housing, {name}", "R2, five folds", float(np.mean(scores)), goal)


def helping(options: Options) -> Iterator[Figure]:
    """How long `linnet --help` takes."""
    command = [str(Path(sys.executable).with_name("linnet")), "--help"]
    times = sorted(run(command).seconds for _ in range(options.repeats))
    yield Figure("linnet --help", "seconds", median(times), Goal(most=0.3))


WORKLOADS: dict[str, Callable[[Any], Iterator[Figure]]] = {
    "help": helping,
    "hashing": hashing,
    "stream": stream,
    "reviews": reviews,
    "defaults": defaults,
}
