"""Workloads of the learners that only count: from a file of texts to naive Bayes."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Figure, Goal, take_turns

if TYPE_CHECKING:
    from benchmarks.workloads import Options


def naive_bayes(options: Options) -> Iterator[Figure]:
    """IMDB from a file of JSON lines to multinomial naive Bayes, unigrams; linnet also measures it on held-out rows."""
    if options.folder is None:
        return
    import linnet

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "imdb.jsonl"
        with gzip.open(options.folder / "text" / "imdb-train.jsonl.gz", "rb") as file:
            path.write_bytes(file.read())
        seconds = take_turns(
            {
                "linnet": lambda: linnet.train(path, target="label", learner="naive-bayes", ngrams=1),
                "scikit-learn": lambda: _scikit_learn(path),
            },
            max(3, options.repeats // 3),
        )
    yield Figure(
        "IMDB, file to naive Bayes",
        "times scikit-learn",
        seconds["scikit-learn"] / seconds["linnet"],
        Goal(least=20),
        {name: f"{taken:.2f} s" for name, taken in seconds.items()},
    )


def _scikit_learn(path: Path) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    with path.open() as file:
        rows = [json.loads(line) for line in file]
    counts = CountVectorizer(token_pattern=r"\w+").fit_transform(row["text"] for row in rows)
    return MultinomialNB().fit(counts, [row["label"] for row in rows])


WORKLOADS: dict[str, Callable[[Any], Iterator[Figure]]] = {"naive-bayes": naive_bayes}
