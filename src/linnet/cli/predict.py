"""linnet predict: raw rows in, predictions out, in order."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import Any, TextIO

from linnet.cli.choices import Output
from linnet.cli.options import Decisions
from linnet.data.on_error import OnError
from linnet.data.reading import Rejected
from linnet.data.sources.formats import Format
from linnet.errors import RecipeError
from linnet.model.model import Model, Predictions, load
from linnet.storage.atomic import replacing


def run(
    model_path: str,
    data: list[str],
    output: str,
    form: Format | None,
    kind: Output,
    on_error: OnError,
    threads: int,
    decisions: Decisions,
) -> None:
    """Predict every row of the data."""
    if on_error is OnError.QUARANTINE:
        raise RecipeError("--on-error quarantine is for train, which keeps such rows in a file; take skip or fail here")
    model = decisions.of(load(model_path))
    source = model.open(data, form, labelled=False)
    rejected = Rejected(on_error)
    with replacing(output, "w") as out:
        writer = _WRITERS[kind](model, out)
        for block in model.predicted(source, rejected, threads):
            writer(block)
            out.flush()
        if kind is Output.CSV:
            writer(None)
    if rejected.count:
        print(f"linnet: {rejected.count:,} rows could not be read and have no prediction:", file=sys.stderr)
        for line in rejected.first:
            print(f"  {line}", file=sys.stderr)


class _Csv:
    """The header comes with the first block, which tells the ids there are; with None if there was no row."""

    def __init__(self, model: Model, out: TextIO) -> None:
        self.model, self.out, self.begun = model, out, False

    def __call__(self, made: Predictions | None) -> None:
        ids = {} if made is None else made.ids
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not self.begun:
            names = (
                [f"probability:{label}" for label in self.model.classes or []] if self.model.has_probabilities else []
            )
            writer.writerow([*ids, "prediction", *names])
            self.begun = True
        if made is not None:
            columns: list[list[Any]] = [*ids.values(), [_plain(label) for label in made.labels]]
            if made.probabilities is not None:
                columns += [[f"{p:.6g}" for p in column] for column in made.probabilities.T.tolist()]
            writer.writerows(zip(*columns, strict=True))
        self.out.write(text.getvalue())


class _Jsonl:
    def __init__(self, model: Model, out: TextIO) -> None:
        self.model, self.out = model, out

    def __call__(self, made: Predictions) -> None:
        classes = [str(label) for label in self.model.classes or []]
        lines = []
        for row, label in enumerate(made.labels):
            content: dict[str, Any] = {name: values[row] for name, values in made.ids.items()}
            content["prediction"] = label
            if made.probabilities is not None:
                content["probabilities"] = dict(zip(classes, made.probabilities[row].tolist(), strict=True))
            lines.append(json.dumps(content, ensure_ascii=False) + "\n")
        self.out.write("".join(lines))


class _Labels:
    def __init__(self, _: Model, out: TextIO) -> None:
        self.out = out

    def __call__(self, made: Predictions) -> None:
        self.out.write("".join(f"{_plain(label)}\n" for label in made.labels))


def _plain(label: Any) -> str:
    if label is None:  # rejected
        return ""
    return f"{label:.10g}" if isinstance(label, float) else str(label)


_WRITERS: dict[Output, Any] = {Output.CSV: _Csv, Output.JSONL: _Jsonl, Output.LABELS: _Labels}
