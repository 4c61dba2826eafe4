from __future__ import annotations

import numpy as np

from linnet.data.features import text
from linnet.data.features.buffers import MOST_BYTES, Buffers, Pool
from linnet.data.sources.block import Strings


def test_an_array_asked_for_again_is_the_same_memory_unless_it_must_be_larger():
    buffers = Buffers()
    first = buffers.array("a", 100, np.uint32)
    assert np.shares_memory(first, buffers.array("a", 40, np.uint32))
    assert not np.shares_memory(first, buffers.array("b", 40, np.uint32))
    assert not np.shares_memory(first, buffers.array("a", 1000, np.uint32))
    assert buffers.nbytes >= 4 * 1040


def test_a_pool_keeps_a_few_small_things():
    pool = Pool(list, 2)
    things = [pool.take() for _ in range(4)]
    assert len({id(each) for each in things}) == 4
    for each in things[:3]:
        pool.give_back(each, 8)
    assert len(pool) == 2
    assert pool.take() is things[1]
    pool.give_back(things[3], MOST_BYTES + 1)
    assert len(pool) == 1


def test_what_a_huge_text_took_is_not_kept(monkeypatch):
    monkeypatch.setattr(text, "RESULTS", Pool(Buffers, 3))
    monkeypatch.setattr(text, "WORKSPACES", Pool(text.Workspace, 3))
    term = text.TextTerm("t")
    for words, kept in ((1_000, 1), (8_000_000, 0), (10, 1)):
        counted = term.prepare({"t": Strings.of(["word " * words])})
        del counted
        assert (len(text.RESULTS), len(text.WORKSPACES)) == (kept, kept)
