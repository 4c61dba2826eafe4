"""The same rows give the same model file, byte for byte, however they come."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from linnet.data.features.schema import Task
from linnet.pipeline.train import TrainOptions, train
from tests.pipeline.making import (
    ROLES,
    TABLE,
    arrow,
    cut,
    model_bytes,
    sparse,
    split,
    table,
    write_csv,
    write_jsonl,
    write_parquet,
    write_svmlight,
)

ONLINE = ("adaptive", "sgd-logistic", "averaged-perceptron", "voted-perceptron", "passive-aggressive-1", "pegasos")
BATCH = ("auto", "logistic-regression")
COUNTING = (
    "naive-bayes",
    "naive-bayes-complement",
    "naive-bayes-bernoulli",
    "naive-bayes-gaussian",
    "discriminant-analysis",
)
NUMBERS = ("adaptive-squared", "widrow-hoff", "least-squares")


def ways(data_of, options, folder, rng):
    """The model from one file and in all other ways that must not matter; data_of(None) is one file."""
    with cut():
        yield "one file", model_bytes(data_of(None), options, folder, threads=1)
        for threads in (2, 5):
            yield f"{threads} threads", model_bytes(data_of(None), options, folder, threads=threads)
        yield "several files", model_bytes(data_of(rng), options, folder)
        if options.learner in (*ONLINE, *COUNTING, "adaptive-squared", "widrow-hoff"):
            yield "out of core", model_bytes(data_of(None), options, folder, memory=0)
    for chunk in (1, 37, 1000):
        with cut(chunk, block=max(1, chunk // 5)):
            yield f"chunks of {chunk}", model_bytes(data_of(None), options, folder, threads=2)


def assert_all_same(results):
    results = list(results)
    different = [name for name, model in results if model != results[0][1]]
    assert not different


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("learner", [*ONLINE, *BATCH, *COUNTING])
def test_numbered_rows(learner, classes, rng, tmp_path):
    X, y = sparse(rng, 230, classes=classes)
    if learner in ("naive-bayes", "naive-bayes-complement", "naive-bayes-bernoulli"):  # which count what is there
        X = (X > 0).astype(float) if learner == "naive-bayes-bernoulli" else np.abs(X)

    def data(split_by):
        if split_by is None:
            write_svmlight(tmp_path / "all.svm", X, y)
            return [str(tmp_path / "all.svm")]
        rows = list(range(len(y)))
        return split(split_by, rows, tmp_path, lambda path, at: write_svmlight(path, X[at], y[at]), "part.svm")

    options = TrainOptions(learner=learner, passes=3 if learner in ONLINE else None, task=Task.CLASSIFICATION)
    assert_all_same(ways(data, options, tmp_path, rng))
    with cut(block=7):
        model = model_bytes(data(None), options, tmp_path)
        assert model_bytes((X, y), options, tmp_path) == model
        assert model_bytes((csr_array(X), y), options, tmp_path) == model


@pytest.mark.parametrize("learner", NUMBERS)
def test_numbers_to_predict(learner, rng, tmp_path):
    X, y = sparse(rng, 200, regression=True)
    X /= 4  # widrow-hoff takes rows as they are
    write_svmlight(tmp_path / "all.svm", X, y)

    def data(split_by):
        if split_by is None:
            return [str(tmp_path / "all.svm")]
        rows = list(range(len(y)))
        return split(split_by, rows, tmp_path, lambda path, at: write_svmlight(path, X[at], y[at]), "part.svm")

    options = TrainOptions(learner=learner, passes=None if learner == "least-squares" else 2, task=Task.REGRESSION)
    assert_all_same(ways(data, options, tmp_path, rng))
    assert model_bytes((X, y), options, tmp_path) == model_bytes(data(None), options, tmp_path)


@pytest.mark.parametrize(("passes", "holdout"), [(1, None), (3, None), (3, 0.3), (2, 0.0)])
@pytest.mark.parametrize(("learner", "classes"), [("adaptive", 5), ("averaged-perceptron", 2), ("voted-perceptron", 4)])
def test_tables(learner, classes, passes, holdout, rng, tmp_path):
    rows = table(rng, 210, classes)
    write_csv(tmp_path / "all.csv", rows)

    def data(split_by):
        if split_by is None:
            return [str(tmp_path / "all.csv")]
        return split(split_by, rows, tmp_path, write_csv, "part.csv")

    options = replace(TABLE, learner=learner, passes=passes, holdout=holdout)
    assert_all_same(ways(data, options, tmp_path, rng))


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("learner", COUNTING)
def test_counted_tables(learner, classes, rng, tmp_path):
    rows = table(rng, 210, classes)
    for row in rows:  # what naive Bayes can count
        row["size"] = None if row["size"] is None else abs(row["size"])
        if learner == "naive-bayes-bernoulli":
            row["size"] = float((row["size"] or 0) > 1)
    write_csv(tmp_path / "all.csv", rows)

    def data(split_by):
        if split_by is None:
            return [str(tmp_path / "all.csv")]
        return split(split_by, rows, tmp_path, write_csv, "part.csv")

    assert_all_same(ways(data, replace(TABLE, learner=learner), tmp_path, rng))


@pytest.mark.parametrize("bits", [0, 3, 10])
@pytest.mark.parametrize("learner", ["adaptive", "auto"])
def test_tables_with_hashed_names_and_every_format(learner, bits, rng, tmp_path):
    rows = table(rng, 180, 3)
    options = replace(
        TABLE, learner=learner, passes=2 if learner == "adaptive" else None,
        crosses=(("colour", "shape"),),
        hash_bits=bits,
    )  # fmt: skip
    write_csv(tmp_path / "all.csv", rows)
    write_jsonl(tmp_path / "all.jsonl.gz", rows)
    write_parquet(tmp_path / "all.parquet", rows)
    frame = arrow(rows)
    with cut(block=13):
        wanted = model_bytes(str(tmp_path / "all.csv"), options, tmp_path)
        for name, data in {
            "jsonl.gz": str(tmp_path / "all.jsonl.gz"),
            "parquet": str(tmp_path / "all.parquet"),
            "arrow": frame,
            "arrow batch": frame.combine_chunks().to_batches()[0],
            "pandas": pd.DataFrame(rows),
            "polars": pl.from_arrow(frame),
            "columns": {name: [row[name] for row in rows] for name in rows[0]},
        }.items():
            assert model_bytes(data, options, tmp_path) == wanted, name
    with cut(chunk=50):
        assert model_bytes(str(tmp_path / "all.csv"), options, tmp_path, threads=5) == wanted


def test_a_model_says_nothing_of_paths_times_and_threads(rng, tmp_path):
    rows = table(rng, 60)
    (tmp_path / "elsewhere").mkdir()
    write_csv(tmp_path / "one.csv", rows)
    write_csv(tmp_path / "elsewhere" / "another.csv", rows)
    first = model_bytes(str(tmp_path / "one.csv"), TABLE, tmp_path, learner="adaptive", threads=1)
    second = model_bytes(str(tmp_path / "elsewhere" / "another.csv"), TABLE, tmp_path, learner="adaptive", threads=3)
    assert first == second
    assert b"one.csv" not in first


def test_too_little_memory_makes_auto_learn_online_whatever_the_chunks(rng, tmp_path):
    rows = table(rng, 300, 3)
    write_csv(tmp_path / "all.csv", rows)
    with cut():
        wanted = model_bytes(str(tmp_path / "all.csv"), TABLE, tmp_path, memory=10_000)
    for chunk in (100, 900, 5000):
        with cut(chunk):
            assert model_bytes(str(tmp_path / "all.csv"), TABLE, tmp_path, memory=10_000) == wanted
    assert b"adaptive" in wanted


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 60),
    classes=st.integers(2, 5),
    learner=st.sampled_from([*ONLINE, "auto"]),
    passes=st.integers(1, 3),
    bits=st.sampled_from([0, 2, 8]),
    chunk=st.integers(1, 400),
    threads=st.integers(1, 4),
    holdout=st.sampled_from([None, 0.5]),
)
def test_random_tables(seed, n, classes, learner, passes, bits, chunk, threads, holdout, tmp_path):
    rng = np.random.default_rng(seed)
    rows = table(rng, n, classes, weights=bool(seed % 2))
    if len({row["label"] for row in rows if row.get("weight", 1.0) > 0}) < 2:
        return
    online = learner in ONLINE
    options = replace(
        TABLE,
        columns={name: role for name, role in ROLES.items() if name in rows[0]},
        learner=learner,
        passes=passes if online else None,
        holdout=holdout if not online or passes > 1 else None,
        crosses=(("colour", "shape"),),
        hash_bits=bits,
        seed=seed,
    )
    write_csv(tmp_path / "all.csv", rows)
    with cut(cache=16):
        wanted = outcome(str(tmp_path / "all.csv"), options, tmp_path)
    with cut(chunk, cache=16):
        parts = split(rng, rows, tmp_path, write_csv, "part.csv")
        assert outcome(parts, replace(options, threads=threads), tmp_path) == wanted
        if online:
            assert outcome(parts, replace(options, memory=0), tmp_path) == wanted


def outcome(data, options, folder):
    try:
        return model_bytes(data, options, folder)
    except ValueError as error:
        return str(error)


def test_other_seeds_shuffle_otherwise(rng, tmp_path):
    X, y = sparse(rng, 300, classes=3)
    options = TrainOptions(learner="averaged-perceptron", passes=3, holdout=0.0)
    assert model_bytes((X, y), options, tmp_path) != model_bytes((X, y), options, tmp_path, seed=1)
    one_pass = replace(options, passes=1)
    a, b = (train((X, y), replace(one_pass, seed=seed)).linear.weights for seed in (0, 1))
    assert (a == b).all()
