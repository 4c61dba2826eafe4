"""Arrow's functions without the wrappers: the same results, and tables of numbers and text never load them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data.sources import arrow_functions
from linnet.data.sources.arrow import string_bytes, strings
from linnet.data.sources.arrow_functions import call, cast, pc

TRAINED = """
import sys
import linnet
linnet.train(sys.argv[1], target="y", C=1.0)
print("pyarrow.parquet" in sys.modules, "pyarrow.compute" in sys.modules)
"""


@pytest.mark.parametrize("labels", [["a", "b"], [0, 1], [True, False]])
def test_a_table_of_numbers_is_trained_on_without_the_wrappers(labels, tmp_path):
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 9, 200)
    table = pa.table({"x": rng.normal(size=200), "n": whole, "c": [f"k{n}" for n in whole], "y": labels * 100})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    run = subprocess.run(
        [sys.executable, "-P", "-c", TRAINED, tmp_path / "t.parquet"], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["True", "False"], run.stderr


@pytest.mark.parametrize("elsewhere", [False, True])
def test_results_are_those_of_the_wrappers(elsewhere, monkeypatch):
    arrow_functions._functions.cache_clear()
    if elsewhere:  # as in a version of Arrow that has no such module
        monkeypatch.setitem(sys.modules, "pyarrow._compute", None)
    numbers, texts = pa.array([1.5, None, -2.0]), pa.array(["a", None, "bcd"])
    assert cast(numbers, pa.large_string()).equals(numbers.cast(pa.large_string()))
    assert cast(numbers, pa.int64(), safe=False).equals(numbers.cast(pa.int64(), safe=False))
    with pytest.raises(pa.ArrowInvalid):
        cast(numbers, pa.int64())
    assert call("binary_length", texts).equals(pyarrow.compute.binary_length(texts))
    assert pc.utf8_upper(texts).equals(pyarrow.compute.utf8_upper(texts))
    arrow_functions._functions.cache_clear()


def hidden(texts):
    """Strings whose nulls have text behind them, as Arrow allows."""
    given = pa.array(["hidden" if text is None else text for text in texts], pa.large_string())
    valid = np.packbits([text is not None for text in texts], bitorder="little").tobytes()
    _, starts, data = given.buffers()
    return pa.LargeStringArray.from_buffers(len(texts), starts, data, pa.py_buffer(valid))


TEXTS = st.lists(st.one_of(st.none(), st.text(max_size=5)), max_size=12)
FORMS = {
    "string": lambda texts: pa.array(texts, pa.string()),
    "dictionary": lambda texts: pa.array(texts, pa.string()).dictionary_encode(),
    "view": lambda texts: pa.array(texts, pa.string_view()),
    "hidden": hidden,
}


@given(TEXTS, st.sampled_from(sorted(FORMS)), st.integers(0, 3))
def test_strings_are_read_from_buffers_whatever_lies_behind_nulls(texts, form, start):
    array = FORMS[form](texts).slice(start)
    texts = texts[start:]
    lengths = string_bytes(array)
    if lengths is not None:  # no length at all: no dictionary
        assert lengths.tolist() == [len((text or "").encode()) for text in texts]
    found = strings(array.dictionary_decode() if form == "dictionary" else array)
    assert found.strings() == [text or "" for text in texts]
    missing = [text is None for text in texts]
    assert (found.missing is None and not any(missing)) or found.missing.tolist() == missing


@pytest.mark.parametrize("array", [pa.nulls(3), pa.nulls(3, pa.string()), pa.nulls(0), pa.array([], pa.string())])
def test_columns_without_a_value(array):
    found = strings(array)
    assert found.strings() == [""] * len(array)
    assert found.missing is None if not len(array) else found.missing.all()
