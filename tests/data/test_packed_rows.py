"""Packed rows are the rows that went in: dense to a solver, sparse where they are asked for so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.packed_rows import PackedBlock, PackedRows, PackedTable

LEVELS = 3


def columns(rng, n):
    """Integers, prices, doubles of all digits, each with gaps but the first; and codes of a category."""
    prices, doubles = np.round(rng.normal(20, 9, n), 2) + 0.0, rng.normal(size=n)
    prices[rng.random(n) < 0.2] = np.nan
    doubles[rng.random(n) < 0.2] = np.nan
    return [rng.integers(0, 90, n).astype(float), prices, doubles], rng.integers(0, LEVELS, n)


def dense_twin(numbers, codes, scaling=None):
    """The features: a number and its flag for each column, then a 1 for the category."""
    parts = []
    for values in numbers:
        gone = np.isnan(values)
        parts += [np.where(gone, 0.0, values), gone.astype(float)]
    parts += [(codes == level).astype(float) for level in range(LEVELS)]
    table = np.column_stack(parts)
    if scaling is not None:
        centres, units = scaling
        for feature, values in zip((0, 2, 4), numbers, strict=True):
            table[:, feature] = np.where(np.isnan(values), 0.0, (values - centres[feature]) / units[feature])
    return table


def packed_table(numbers, codes, cuts):
    guesses, blocks = [0, 0, 0], []
    for first, last in zip([0, *cuts], [*cuts, len(codes)], strict=True):
        parts = [values[first:last] for values in numbers]
        blocks.append(PackedBlock.of(parts, [codes[first:last]], last - first, guesses))
    return PackedTable(blocks, 6 + LEVELS, [(0, 1), (2, 3), (4, 5)], [(6, LEVELS)])


@settings(max_examples=60)
@given(st.data())
def test_parts_of_packed_rows_are_those_of_the_whole_table(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    n = data.draw(st.integers(1, 60))
    numbers, codes = columns(rng, n)
    table = packed_table(numbers, codes, sorted(data.draw(st.lists(st.integers(0, n), max_size=4))))
    scaling = (rng.normal(size=9), rng.uniform(0.5, 2.0, 9))
    for twin, given_scaling in ((dense_twin(numbers, codes), None), (dense_twin(numbers, codes, scaling), scaling)):
        rows = PackedRows(table)
        if given_scaling is not None:
            rows = rows.scaled(scaling[0][table.used], scaling[1][table.used])
        expected = twin[:, table.used]
        assert (twin[:, np.setdiff1d(np.arange(9), table.used)] == 0).all()
        a, b = sorted((data.draw(st.integers(0, n)), data.draw(st.integers(0, n))))
        which = rng.permutation(n)[: data.draw(st.integers(0, n))]
        assert rows.matrix(slice(a, b)).tobytes() == expected[a:b].tobytes()
        assert rows.matrix(which).tobytes() == expected[which].tobytes()
        assert rows.every(3).matrix().tobytes() == expected[::3].tobytes()
        assert rows.take(which).matrix(slice(1, None)).tobytes() == expected[which][1:].tobytes()
        assert rows.take(which).take(np.arange(len(which))[::2]).values.tobytes() == expected[which][::2].tobytes()


@pytest.mark.parametrize("n", [1, 7, 20_000])
def test_unpacked_rows_have_the_entries_that_sparse_rows_have(rng, n):
    numbers, codes = columns(rng, n)
    rows = PackedRows(packed_table(numbers, codes, [n // 3])).unpacked()
    twin = dense_twin(numbers, codes)
    assert rows.shape == twin.shape
    assert (np.diff(rows.starts) == 4).all()
    assert rows.matrix().toarray().tobytes() == twin.tobytes()
    ids = rows.ids.reshape(-1, 4)
    assert (np.diff(ids.astype(np.int64), axis=1) > 0).all()
    gone = np.column_stack([np.isnan(values) for values in numbers])
    assert np.array_equal(ids[:, :3], np.arange(0, 6, 2) + gone)


def test_numbers_of_few_digits_take_four_bytes_each(rng):
    n = 1000
    numbers = [np.round(rng.normal(0, 50, n), k) for k in range(5)]
    block = PackedBlock.of(numbers, [], n, [0] * 5)
    assert sum(array.nbytes for array in block.arrays) <= 4 * 5 * n + 100
    for column, values in enumerate(numbers):
        assert np.array_equal(block.number(column), values)


def test_ranges_and_missing_values_are_those_of_each_column(rng):
    numbers, codes = columns(rng, 500)
    table = packed_table(numbers, codes, [100, 300])
    assert table.missing.tolist() == [int(np.isnan(values).sum()) for values in numbers]
    least, most = table.ranges
    assert least[table.number_columns].tolist() == [np.nanmin(values) for values in numbers]
    assert most[table.number_columns].tolist() == [np.nanmax(values) for values in numbers]
    scaled = PackedRows(table).scaled(rng.normal(size=table.columns), rng.uniform(0.5, 2.0, table.columns))
    assert (scaled.largest_entries >= np.abs(scaled.matrix()).max(axis=0)).all()
    numbers_alone = scaled.largest_entries[table.number_columns]
    assert np.allclose(numbers_alone, np.abs(scaled.matrix()).max(axis=0)[table.number_columns], atol=0.3)


def test_rows_outside_the_table_are_refused(rng):
    table = packed_table(*columns(rng, 10), [5])
    with pytest.raises((ValueError, IndexError)):
        PackedRows(table).matrix(np.array([3, 11]))
