"""Rows of several terms: the same entries however they are put together, and no memory kept of all rows."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linnet.data.features import layout
from linnet.data.features.layout import FeatureLayout, assembled, side_by_side
from linnet.data.features.terms import Piece

TERMS = 4


def pieces_of(rng: np.random.Generator, rows: int) -> tuple[list[Piece], list[int]]:
    """A category of five levels, then numbers."""
    codes = rng.integers(5, size=rows)
    numbers = [Piece(np.broadcast_to(np.int64(0), rows), rng.normal(size=rows)) for _ in range(TERMS - 1)]
    return [Piece(codes, np.ones(rows)), *numbers], [5, *[1] * (TERMS - 1)]


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 300])
@pytest.mark.parametrize("shared", [0, 1 << 20])
def test_entries_are_those_of_each_row_whether_ids_are_shared_or_not(rng, monkeypatch, rows, shared):
    monkeypatch.setattr(layout, "SHARED_ENTRIES", shared)
    pieces, sizes = pieces_of(rng, rows)
    places = FeatureLayout(TERMS)
    places.extend(sizes)
    made = assembled(pieces, places)
    expected = np.column_stack([places.columns(term, piece.ids) for term, piece in enumerate(pieces)])
    assert_array_equal(made.ids.reshape(rows, TERMS), expected)
    assert_array_equal(made.values.reshape(rows, TERMS), np.column_stack([piece.values for piece in pieces]))
    assert_array_equal(made.starts, np.arange(rows + 1) * TERMS)


def test_ids_of_all_rows_are_not_kept(rng):
    pieces, sizes = pieces_of(rng, 1 << 19)
    places = FeatureLayout(TERMS)
    places.extend(sizes)
    tracemalloc.start()
    assembled(pieces, places)
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1 << 20  # of 8 MB of ids and 4 of starts


@pytest.mark.parametrize("rows", [1, 7, 300])
def test_numbers_side_by_side_are_assembled_to_the_same_rows_without_a_copy(rng, rows):
    pieces, sizes = pieces_of(rng, rows)
    numbers, places = pieces[1:], FeatureLayout(TERMS - 1)
    places.extend(sizes[1:])
    beside = side_by_side(numbers)
    made, expected = assembled(beside, places), assembled(numbers, places)
    for one, other in ((made.values, expected.values), (made.ids, expected.ids), (made.starts, expected.starts)):
        assert_array_equal(one, other)
    assert np.shares_memory(made.values, beside[0].table)


def test_only_numbers_that_are_all_there_are_put_side_by_side(rng):
    pieces, _ = pieces_of(rng, 10)
    lacking = Piece(np.arange(10) % 2, np.ones(10))
    for prepared in (pieces, [*pieces[1:], lacking], pieces[1:2], ["words", "of a text"]):
        assert side_by_side(prepared) is prepared
