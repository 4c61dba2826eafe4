"""Sequence taggers beside python-crfsuite and NLTK, on CoNLL-2000 chunks and on the English Web Treebank of UD.

Peers get the features that their own examples use.  Times are of one process each: file to model, file to file.
"""

from __future__ import annotations

import gzip
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Figure, Goal

if TYPE_CHECKING:
    from benchmarks.workloads import Options

Sentence = list[tuple[str, ...]]
COPIES = 40


def tagging(options: Options) -> Iterator[Figure]:
    """Quality and speed of taggers, where the folder has the data."""
    folder = None if options.folder is None else options.folder / "tagging"
    if folder is None or not folder.is_dir():
        return
    with tempfile.TemporaryDirectory() as made:
        yield from _chunks(folder, Path(made))
        yield from _universal_tags(folder, Path(made))


def _columns(path: Path) -> list[Sentence]:
    """The tokens of a column file, as tuples."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        blocks = file.read().strip().split("\n\n")
    return [[tuple(line.split()) for line in block.split("\n")] for block in blocks]


def _conllu(path: Path) -> list[Sentence]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        blocks = file.read().strip().split("\n\n")
    rows = [[line.split("\t") for line in block.split("\n") if line[0] != "#"] for block in blocks]
    return [[(row[1], row[3]) for row in block if row[0].isdecimal()] for block in rows]


def _linnet(*arguments: str) -> float:
    """Run a command; the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "linnet", *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _evaluated(model: Path, test: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "linnet", "tag", "evaluate", str(model), str(test), "--json"]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = process_time()
    result = work()
    return process_time() - began, result


def _crfsuite_features(sentence: Sentence, t: int) -> list[str]:
    """The templates of CRFsuite's own chunking example: words, tags, and their pairs and triples around the token."""

    def at(offset: int, column: int) -> str | None:
        return sentence[t + offset][column] if 0 <= t + offset < len(sentence) else None

    shapes = [
        *(((0, offset),) for offset in range(-2, 3)),
        ((0, -1), (0, 0)), ((0, 0), (0, 1)),
        *(((1, offset),) for offset in range(-2, 3)),
        *(((1, offset), (1, offset + 1)) for offset in range(-2, 2)),
        *(((1, offset), (1, offset + 1), (1, offset + 2)) for offset in range(-2, 1)),
    ]  # fmt: skip
    found = ["__BOS__"] if t == 0 else ["__EOS__"] if t == len(sentence) - 1 else []
    for shape in shapes:
        values = [at(offset, column) for column, offset in shape]
        if None not in values:
            name = "|".join(f"{'wp'[column]}[{offset}]" for column, offset in shape)
            found.append(f"{name}={'|'.join(map(str, values))}")
    return found


def _crfsuite(train: Path, model: Path, passes: int | None) -> None:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    if passes is not None:
        trainer.set_params({"max_iterations": passes})
    for sentence in _columns(train):
        features = [_crfsuite_features(sentence, t) for t in range(len(sentence))]
        trainer.append(pycrfsuite.ItemSequence(features), [token[2] for token in sentence])
    trainer.train(str(model))


def _crfsuite_f1(model: Path, test: Path) -> float:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    true, found = 0, 0
    right = 0
    for sentence in _columns(test):
        features = [_crfsuite_features(sentence, t) for t in range(len(sentence))]
        a = _spans([token[2] for token in sentence])
        b = _spans(tagger.tag(pycrfsuite.ItemSequence(features)))
        true, found, right = true + len(a), found + len(b), right + len(a & b)
    return 2 * right / (true + found)


def _spans(tags: list[str]) -> set[tuple[int, int, str]]:
    """The spans of IOB2 tags, as conlleval counts them."""
    found, begin = set(), None
    for at, tag in enumerate([*tags, "O"]):
        before = tags[at - 1] if at else "O"
        goes_on = tag[0] == "I" and before != "O" and before[2:] == tag[2:]
        if begin is not None and not goes_on:
            found.add((begin, at - 1, before[2:]))
            begin = None
        if begin is None and tag != "O":
            begin = at
    return found


def _chunks(folder: Path, made: Path) -> Iterator[Figure]:
    train, test = folder / "conll2000-train.txt.gz", folder / "conll2000-test.txt.gz"
    if not train.exists():
        return
    model = made / "chunks.linnet"
    ours = _linnet("tag", "train", str(train), "-o", str(model), "--quiet")
    figures = _evaluated(model, test)
    yield Figure("CoNLL-2000 chunks", "F1 by defaults", 100 * figures["f1"], Goal(94.0))
    yield Figure("CoNLL-2000 chunks", "model file, MB", model.stat().st_size / 1e6, Goal(most=30))
    for passes, goal in ((None, Goal(5)), (10, None)):
        theirs, _ = _timed(lambda passes=passes: _crfsuite(train, made / "crf", passes))
        f1 = _crfsuite_f1(made / "crf", test)
        name = f"times as fast as CRFsuite's averaged perceptron, {passes or 'its default of 100'} passes"
        detail = {"linnet": f"{ours:.1f} s", "CRFsuite": f"{theirs:.1f} s", "its F1": f"{100 * f1:.2f}"}
        yield Figure("CoNLL-2000 chunks", name, theirs / ours, goal, detail)
        if passes is None:
            yield Figure("CoNLL-2000 chunks", "F1 above CRFsuite's", 100 * (figures["f1"] - f1), Goal(0))


def _universal_tags(folder: Path, made: Path) -> Iterator[Figure]:
    train, test = folder / "en_ewt-ud-train.conllu.gz", folder / "en_ewt-ud-test.conllu.gz"
    if not train.exists():
        return
    model = made / "tags.linnet"
    _linnet("tag", "train", str(train), "-o", str(model), "--quiet")
    figures = _evaluated(model, test)
    yield Figure(
        "UD English EWT", "accuracy of universal tags by defaults", 100 * figures["accuracy"], Goal(95.0),
        {"unknown words": f"{100 * figures['unknown_accuracy']:.1f}"},
    )  # fmt: skip
    yield Figure("UD English EWT", "model file, MB", model.stat().st_size / 1e6, Goal(most=30))
    yield _nltk(train)
    big = made / "big.conllu"
    with gzip.open(test, "rb") as file:
        text = file.read()
    big.write_bytes(text * COPIES)
    tokens = COPIES * figures["tokens"]
    seconds = _linnet("tag", "predict", str(model), str(big), "-o", str(made / "out.conllu"), "--threads", "1")
    detail = {"tokens": f"{tokens:,}", "processor time with start": f"{seconds:.2f} s"}
    yield Figure(
        "UD English EWT", "tokens tagged a second, file to file, one core", tokens / seconds, Goal(500_000), detail
    )


def _nltk(train: Path) -> Figure:
    """Training per token and pass, from lists in memory, by defaults: NLTK 5 passes, linnet those it chooses."""
    from nltk.tag.perceptron import PerceptronTagger

    from linnet import SequenceTagger

    sentences = _conllu(train)
    tokens = sum(map(len, sentences))
    random.seed(0)
    theirs, _ = _timed(lambda: PerceptronTagger(load=False).train([list(each) for each in sentences]))
    X = [[word for word, _ in each] for each in sentences]
    y = [[tag for _, tag in each] for each in sentences]
    five, _ = _timed(lambda: SequenceTagger(passes=5).fit(X, y))
    ours, model = _timed(lambda: SequenceTagger().fit(X, y))
    history = model.tagger_.record.history
    seen = sum(each.parts for each in [*history.search, *history.final])
    detail = {
        "linnet": f"{seen / ours:,.0f} tokens/s in {len(history.search)} + {len(history.final)} passes",
        "NLTK": f"{5 * tokens / theirs:,.0f} tokens/s in 5",
        "linnet in 5": f"{5 * tokens / five:,.0f} tokens/s",
    }
    what = "times NLTK's throughput of training per token and pass"
    return Figure("UD English EWT", what, (seen / ours) / (5 * tokens / theirs), Goal(50), detail)
