"""What each term makes of a block, beside pandas and NumPy."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data.features.terms import CategoryTerm, CrossTerm, NumberedTerm, NumberTerm
from linnet.data.features.text import CountWeighting, TextOptions, TextTerm
from linnet.data.features.tokenizer import Analyzer
from linnet.data.sources.block import Numbers, Strings
from linnet.kernels.vocabulary import Vocabulary
from tests.texts import ngrams, texts, units

VALUES = st.one_of(st.none(), st.sampled_from(["x", "y", "", "zwei Wörter", "漢", "×", "="]), texts)
AMOUNTS = st.one_of(st.none(), st.sampled_from([0.0, 1.0, -2.5]), st.floats(-1e6, 1e6))


def strings(values):
    missing = np.array([value is None for value in values], dtype=bool)
    found = Strings.of([value or "" for value in values])
    return Strings(found.data, found.starts, missing if missing.any() else None)


def numbers(values):
    return Numbers(np.array([np.nan if value is None else value for value in values], dtype=np.float64))


def table(frame):
    """A frame as columns: strings where there are any, else numbers."""
    return {
        name: strings(list(values)) if any(isinstance(v, str) for v in values) else numbers(list(values))
        for name, values in frame.items()
    }


def entries(term, columns, *, frozen=False):
    """Each row as a dictionary from names to values; the term must give one entry a row."""
    piece = term.number(term.prepare(columns), frozen=frozen)
    return [{} if number < 0 else {term.name(number): value}
            for number, value in zip(piece.ids.tolist(), piece.values.tolist(), strict=True)]  # fmt: skip


def named(column, value):
    """What one column gives a row by itself: a name and a value."""
    if value is None:
        return f"{column} is missing", 1.0
    return (f"{column}={value}", 1.0) if isinstance(value, str) else (column, value)


def joined(columns, row):
    """What columns give together: names joined, values multiplied."""
    parts = [named(column, row[column]) for column in columns]
    return {"×".join(name for name, _ in parts): float(np.prod([value for _, value in parts]))}


@given(values=st.lists(AMOUNTS, min_size=1))
def test_a_number_is_its_value_or_says_that_it_is_missing(values):
    term = NumberTerm("size")
    expected = [dict([named("size", value)]) for value in values]
    assert entries(term, {"size": numbers(values)}) == expected
    assert [term.name(0), term.name(1), len(term)] == ["size", "size is missing", 2]


@given(values=st.lists(VALUES, min_size=1))
def test_a_category_is_a_one_under_its_name(values):
    term = CategoryTerm(("colour",), as_is=True)
    expected = [dict([named("colour", value)]) for value in values]
    assert entries(term, {"colour": strings(values)}) == expected
    assert term.vocabulary.names() == list(dict.fromkeys(name for row in expected for name in row))


@given(values=st.lists(VALUES, min_size=1), cut=st.integers(0, 20))
def test_categories_are_numbered_alike_in_any_blocks(values, cut):
    whole, parts = CategoryTerm(("c",)), CategoryTerm(("c",))
    expected = entries(whole, {"c": strings(values)})
    found = [row for part in (values[:cut], values[cut:]) for row in entries(parts, {"c": strings(part)})]
    assert found == expected
    assert parts.vocabulary.names() == whole.vocabulary.names()


def test_categories_that_are_new_to_a_frozen_term_have_no_entry():
    term = CategoryTerm(("c",))
    entries(term, {"c": strings(["a", "b"])})
    assert entries(term, {"c": strings(["b", "new", None, "a"])}, frozen=True) == [{"c=b": 1.0}, {}, {}, {"c=a": 1.0}]
    assert len(term) == 2


def test_no_rows_give_no_entries():
    assert entries(CategoryTerm(("c",)), {"c": strings([])}) == []
    assert entries(NumberTerm("n"), {"n": numbers([])}) == []
    assert entries(CrossTerm(("c", "n")), {"c": strings([]), "n": numbers([])}) == []


ROWS = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["p", "", None]), AMOUNTS, AMOUNTS), min_size=1)


@given(rows=ROWS, columns=st.sampled_from(["ab", "ba", "abm", "am", "mn", "mm", "amn", "abmn", "mmm", "a"]))
def test_crosses_join_names_and_multiply_values(rows, columns):
    given_rows = [dict(zip("abmn", row, strict=True)) for row in rows]
    held = {
        "a": strings([row["a"] for row in given_rows]),
        "b": strings([row["b"] for row in given_rows]),
        "m": numbers([row["m"] for row in given_rows]),
        "n": numbers([row["n"] for row in given_rows]),
    }
    term = CrossTerm(tuple(columns), as_is=True)
    found, expected = entries(term, held), [joined(columns, row) for row in given_rows]
    assert [list(row) for row in found] == [list(row) for row in expected]
    np.testing.assert_allclose([[*row.values()] for row in found], [[*row.values()] for row in expected], rtol=1e-14)
    assert term.vocabulary.names() == list(dict.fromkeys(name for row in expected for name in row))


def test_a_cross_of_categories_is_what_pandas_groups_by(rng):
    frame = pd.DataFrame({name: rng.choice(list("uvw"), size=200) for name in "abc"})
    term = CrossTerm(("a", "b", "c"))
    piece = term.number(term.prepare(table(frame)), frozen=False)
    groups = frame.groupby(["a", "b", "c"], sort=False).ngroup()  # groups are numbered as they first appear
    np.testing.assert_array_equal(piece.ids, groups)


def test_crosses_are_numbered_alike_in_any_blocks(rng):
    frame = pd.DataFrame({"a": rng.choice(list("uvw"), size=60), "b": rng.choice(list("xyz"), size=60)})
    whole = CrossTerm(("a", "b"))
    expected = entries(whole, table(frame))
    for cut in (0, 1, 17, 59):
        parts = CrossTerm(("a", "b"))
        assert [
            row for part in (frame[:cut], frame[cut:]) if len(part) for row in entries(parts, table(part))
        ] == expected
        assert parts.vocabulary.names() == whole.vocabulary.names()


@pytest.mark.parametrize("bits", [1, 4])
def test_hashed_categories_share_numbers_and_say_how_many(bits):
    values = [f"v{n}" for n in range(100)]
    term = CategoryTerm(("c",), bits)
    assert len(entries(term, {"c": strings(values)})) == 100
    assert len(term) <= 2**bits
    assert term.vocabulary.collisions == 100 - len(term)


WEIGHTINGS = {
    CountWeighting.COUNT: lambda c: c,
    CountWeighting.BINARY: lambda _: 1.0,
    CountWeighting.LOG: lambda c: 1 + np.log(c),
}


@given(
    rows=st.lists(texts, min_size=1, max_size=5),
    analyzer=st.sampled_from(list(Analyzer)),
    lengths=st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    count_weighting=st.sampled_from(list(CountWeighting)),
    unit_length=st.booleans(),
    marks=st.booleans(),
)
def test_text_is_counted_weighted_and_brought_to_length_one(
    rows, analyzer, lengths, count_weighting, unit_length, marks
):
    options = TextOptions(analyzer, *lengths, marks=marks, count_weighting=count_weighting, unit_length=unit_length)
    term = TextTerm("body", options)
    piece = term.weighted(term.number(term.prepare({"body": Strings.of(rows)}), frozen=False))
    for row, (a, b) in zip(rows, pairwise(piece.starts), strict=True):
        counted = Counter(ngrams(units(row, str(analyzer), marks=marks), *lengths, str(analyzer)))
        values = np.array([WEIGHTINGS[count_weighting](count) for count in counted.values()])
        if unit_length and len(values):
            values = values / np.linalg.norm(values)
        assert [term.name(number) for number in piece.ids[a:b]] == [f"body:{gram}" for gram in counted]
        np.testing.assert_allclose(piece.values[a:b], values, rtol=2e-7)


def test_a_term_may_take_up_an_earlier_vocabulary():
    first = TextTerm("t", TextOptions(longest=1))
    first.number(first.prepare({"t": Strings.of(["one two"])}), frozen=False)
    again = TextTerm("t", TextOptions(longest=1), vocabulary=Vocabulary.restored(0, *first.vocabulary.stored()))
    piece = again.number(again.prepare({"t": Strings.of(["two three one"])}), frozen=True)
    assert [again.name(number) for number in piece.ids] == ["t:two", "t:one"]


def test_numbered_columns_are_called_by_their_numbers():
    assert [NumberedTerm(3).name(2), len(NumberedTerm(3))] == ["2", 3]


def test_categories_mean_the_same_however_a_format_spells_them():
    term = CategoryTerm(("c",))
    values = ["1", "1.0", " 1 ", "01", "1.5", "True", "true", "?", " NA", None, "-3.00"]
    names = [name for row in entries(term, {"c": strings(values)}) for name in row]
    missing = ["c is missing"] * 3
    assert names == ["c=1", "c=1", "c=1", "c=01", "c=1.5", "c=true", "c=true", *missing, "c=-3"]
    assert len(term) == 6


@pytest.mark.parametrize("frozen", [False, True])
def test_a_block_of_missing_categories_only_has_the_numbers_that_it_would_have_beside_others(frozen):
    apart, together = CategoryTerm(("c",)), CategoryTerm(("c",))
    blocks = [["x", None, "y"], [None] * 4, ["z"], [None] * 4, [None] * 70]
    for values in blocks:
        made = apart.number(apart.prepare({"c": strings(values)}), frozen=False)
        mixed = together.number(together.prepare({"c": strings([*values, "x"])}), frozen=False)
        np.testing.assert_array_equal(made.ids, mixed.ids[:-1])
        np.testing.assert_array_equal(made.values, mixed.values[:-1])
    assert [apart.name(i) for i in range(len(apart))] == ["c=x", "c is missing", "c=y", "c=z"]
    fresh = CategoryTerm(("c",))
    ids = fresh.number(fresh.prepare({"c": strings([None, None])}), frozen=frozen).ids
    assert ids.tolist() == ([-1, -1] if frozen else [0, 0])
