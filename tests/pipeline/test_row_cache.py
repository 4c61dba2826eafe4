"""Rows kept for later passes: the same chunks however the rows came, none with many more entries than allowed."""

import numpy as np
import pytest

from linnet.data.rows import Rows
from linnet.pipeline import row_cache
from linnet.pipeline.row_cache import CachedRows, RowCache


def rows_of(lengths, first):
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    ids = (np.arange(starts[-1]) + first).astype(np.uint32)
    return CachedRows(
        Rows(ids.astype(np.float64) + 0.5, ids, starts, (len(lengths), 1 << 20)),
        np.arange(len(lengths), dtype=np.float64),
        np.empty(0),
        0,
    )


def chunks_by_hand(lengths, chunk_rows, entries):
    made = [[]]
    for length in lengths:
        if len(made[-1]) == chunk_rows or sum(made[-1]) >= entries:
            made.append([])
        made[-1].append(int(length))
    return made


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("memory", [0, 1 << 30])
def test_chunks_depend_on_the_rows_alone(seed, memory, monkeypatch):
    monkeypatch.setattr(row_cache, "CHUNK_ENTRIES", 25)
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, rng.choice([2, 6, 40]), rng.integers(1, 60))
    whole = rows_of(lengths, seed)
    cache = RowCache(memory, 7)
    cuts = np.sort(rng.integers(0, len(lengths) + 1, rng.integers(0, 6)))
    for start, stop in zip([0, *cuts], [*cuts, len(lengths)], strict=True):
        cache.append(whole.part(start, stop))
    found = list(cache)
    cache.close()
    assert [np.diff(chunk.rows.starts).tolist() for chunk in found] == chunks_by_hand(lengths, 7, 25)
    assert len(cache) == len(found)
    assert np.array_equal(np.concatenate([chunk.rows.ids for chunk in found]), whole.rows.ids)
    assert np.array_equal(np.concatenate([chunk.rows.values for chunk in found]), whole.rows.values)
    assert np.array_equal(np.concatenate([chunk.targets for chunk in found]), whole.targets)
