"""Small data in every format, and models of it as bytes."""

from __future__ import annotations

import csv
import gzip
import io
import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import linnet.data.sources.arrays
import linnet.data.sources.chunks
import linnet.data.sources.frame
import linnet.data.sources.lines
import linnet.data.sources.parquet_file
import linnet.pipeline.services
import linnet.pipeline.verify
from linnet.data.features.schema import Role, Task
from linnet.evaluation.splits import held_out
from linnet.pipeline.train import TrainOptions, train

WORDS = ["good", "bad", "fine", "dull", "Plot", "actor", "scène", "the", "a", "of", "naïve", "很好"]
COLOURS = ["red", "green", "blue", "a,b", 'quo"te', "Ünï"]
LABELS = ["no", "yes", "maybe", "late", "later"]
# Given, so that no guess can depend on how the rows are cut into files.
ROLES = {"text": Role.TEXT, "size": Role.NUMBER, "colour": Role.CATEGORY, "shape": Role.CATEGORY, "weight": Role.WEIGHT}
TABLE = TrainOptions(
    target="label",
    columns=ROLES,
    task=Task.CLASSIFICATION,
    header=True,
    crosses=(("colour", "shape"), ("colour", "size")),
)


def table(rng, n, classes=2, *, weights=True, seed_rows=0):
    """Rows of text, numbers (some missing), categories, weights and a label; later classes appear late."""
    rows = []
    for i in range(seed_rows, seed_rows + n):
        known = min(classes, 2 + (i * classes) // max(2 * n, 1) + (i > n // 2) * (classes - 2))
        label = int(rng.integers(known))
        words = [*rng.choice(WORDS, size=int(rng.integers(0, 6))).tolist(), WORDS[label]]
        row = {
            "text": " ".join(words),
            "size": None if rng.random() < 0.2 else round(float(rng.normal(label, 2.0)), 3),
            "colour": None if rng.random() < 0.1 else str(rng.choice(COLOURS)),
            "shape": str(rng.choice(["round", "flat"])),
            "label": LABELS[label],
        }
        if weights:
            row["weight"] = float(rng.choice([0.0, 0.5, 1.0, 1.0, 1.0, 2.0, 2.5]))
        rows.append(row)
    return rows


def roles_of(rows):
    return {name: role for name, role in ROLES.items() if name in rows[0]}


def write_csv(path, rows, *, header=True):
    into = io.StringIO()
    writer = csv.DictWriter(into, list(rows[0]) if rows else ["label"], lineterminator="\n")
    if header:
        writer.writeheader()
    writer.writerows([{k: "" if v is None else v for k, v in row.items()} for row in rows])
    Path(path).write_text(into.getvalue())


def write_jsonl(path, rows):
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    Path(path).write_bytes(gzip.compress(lines.encode()) if str(path).endswith(".gz") else lines.encode())


def write_parquet(path, rows, group=50):
    pyarrow.parquet.write_table(arrow(rows), path, row_group_size=group)


def arrow(rows):
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def write_labelled(path, rows):
    Path(path).write_text("".join(f"{row['label']}\t{row['text']}\n" for row in rows))


WRITERS = {"csv": write_csv, "jsonl": write_jsonl, "jsonl.gz": write_jsonl, "parquet": write_parquet}


def sparse(rng, n, d=12, classes=2, *, regression=False):
    """A dense table with many zeros, and targets: later classes appear late."""
    X = np.round(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4), 4)
    w = rng.normal(size=(d, classes))
    y = (X @ w + 0.3 * rng.normal(size=(n, classes))).argmax(axis=1).astype(float)
    if regression:
        y = np.round(X @ w[:, 0] + 1.5, 4)
    else:
        early = np.arange(n) < n // 2
        y = np.where(early, y % 2, y) + 1
    X[0, -1] = 1.0  # the last column is there
    return X, y


def write_svmlight(path, X, y):
    lines = []
    for row, target in zip(X, y.tolist(), strict=True):
        entries = " ".join(f"{j}:{x!r}" for j, x in enumerate(row.tolist()) if x)
        lines.append(f"{target:g} {entries}".rstrip() if target == int(target) else f"{target!r} {entries}".rstrip())
    Path(path).write_text("".join(line + "\n" for line in lines))


def held_rows(y, fraction, seed=0):
    """The rows that are held out: at random, but not the first of a label."""
    held = held_out(0, len(y), fraction, seed)
    labels = np.asarray(y).tolist()
    held[[labels.index(label) for label in set(labels)]] = False
    return held


def trained(data, options, **more):
    return train(data, replace(options, **more) if more else options)


def model_bytes(data, options, folder, **more):
    """The model file that training makes."""
    path = Path(folder) / "model.linnet"
    trained(data, options, **more).save(path)
    return path.read_bytes()


@contextmanager
def cut(chunk=None, block=None, cache=64):
    """Read files in chunks of so many bytes, frames and arrays in blocks of so many rows; cache as many together."""
    with pytest.MonkeyPatch.context() as patch:
        if chunk is not None:
            whole = linnet.data.sources.chunks.chunks

            def small(files, start, cutting):
                return whole(files, start, replace(cutting, size=chunk))

            for module in (linnet.data.sources.chunks, linnet.data.sources.lines):
                patch.setattr(module, "chunks", small)
        if block is not None:
            for module in (linnet.data.sources.arrays, linnet.data.sources.frame, linnet.data.sources.parquet_file):
                patch.setattr(module, "ROWS", block)
        for module in (linnet.pipeline.services, linnet.pipeline.verify):
            patch.setattr(module, "CACHE_ROWS", cache)
        yield


def split(rng, rows, folder, write, name):
    """The rows over several files, cut at random."""
    cuts = sorted(rng.integers(0, len(rows) + 1, size=3).tolist())
    paths = []
    for number, (a, b) in enumerate(zip([0, *cuts], [*cuts, len(rows)], strict=True)):
        if b > a:
            paths.append(f"{folder}/{number}-{name}")
            write(paths[-1], rows[a:b])
    return paths
