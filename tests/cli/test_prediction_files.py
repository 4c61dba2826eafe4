"""CSV of predictions is what the csv module writes, for whatever labels and numbers."""

from __future__ import annotations

import csv
import io
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linnet.cli.prediction_files import _Csv, _Tsv

words = st.text(st.sampled_from('ab1. -_,;"\n\té'), max_size=4)
labels = st.one_of(
    st.lists(words, min_size=1, max_size=8),
    st.lists(st.one_of(words, st.none()), min_size=1, max_size=8),
    st.lists(st.integers(-3, 3), min_size=1, max_size=8),
    st.lists(st.one_of(st.sampled_from([0.0, -0.0, 1.0, 1 / 3]), st.just(float("nan"))), min_size=1, max_size=8),
    st.lists(st.sampled_from([True, False]), min_size=1, max_size=8),
)


def plain(value):
    if value is None or value != value:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


@given(labels, st.sampled_from([_Csv, _Tsv]), st.booleans(), st.randoms(use_true_random=False))
def test_rows_are_those_of_the_csv_module(values, writer, probable, random):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    rows = [[random.choice([random.random(), 0.0, 1.0, 1e-9, float("nan")]) for _ in "ab"] for _ in values]
    probabilities = np.array(rows) if probable else None
    made = SimpleNamespace(ids={}, labels=column, probabilities=probabilities)
    out, expected = io.StringIO(), io.StringIO()
    written = writer(SimpleNamespace(classes=["a", "b"], has_probabilities=probable), out, False)
    written.write(made)
    written.write(made)
    twin = csv.writer(expected, delimiter=writer.delimiter, lineterminator="\n")
    twin.writerow(["prediction", *(["probability:a", "probability:b"] if probable else [])])
    for _ in range(2):
        for value, row in zip(values, rows, strict=True):
            twin.writerow([plain(value), *(["" if p != p else f"{p:.6g}" for p in row] if probable else [])])
    assert out.getvalue() == expected.getvalue()
