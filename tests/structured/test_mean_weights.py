"""The mean of the weights of several taggers, beside dense tables, and taggers that were trained in several orders."""

import numpy as np
import pytest

from linnet import SequenceTagger
from linnet.structured.mean_weights import mean_of_means
from linnet.structured.tagger_training import MOST_ORDERS, orders_for
from tests.structured.making import sentences


def packed(table, between, triples):
    rows = [np.flatnonzero(row) for row in table]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    tags = np.concatenate([*rows, np.empty(0, dtype=np.int64)]).astype(np.int32)
    return starts, tags, table[table != 0], between, triples


@pytest.mark.parametrize("seed", range(50))
def test_the_mean_is_that_of_dense_tables(seed):
    rng = np.random.default_rng(seed)
    features, tags, count = rng.integers(0, 9), rng.integers(1, 5), rng.integers(1, 5)
    tables = [rng.normal(size=(features, tags)) * rng.integers(0, 2, (features, tags)) for _ in range(count)]
    between = [rng.normal(size=(tags + 1, tags + 1)) for _ in range(count)]
    triples = [rng.normal(size=(tags + 1,) * 3) if seed % 2 else None for _ in range(count)]
    found = mean_of_means(map(packed, tables, between, triples), count)
    dense = np.zeros((features, tags))
    dense[np.repeat(np.arange(features), np.diff(found[0])), found[1]] = found[2]
    np.testing.assert_allclose(dense, sum(tables) / count, atol=1e-15)
    np.testing.assert_allclose(found[3], sum(between) / count, atol=1e-15)
    if seed % 2:
        np.testing.assert_allclose(found[4], sum(triples) / count, atol=1e-15)
    assert all(np.all(np.diff(found[1][a:b]) > 0) for a, b in zip(found[0][:-1], found[0][1:], strict=True))


def test_few_sentences_are_trained_on_in_several_orders():
    assert [orders_for(tokens) for tokens in (1, 20_000, 50_000, 120_000, 10**7)] == [MOST_ORDERS, MOST_ORDERS, 4, 1, 1]
    data = sentences(40)
    X, y = [words for words, _ in data], [tags for _, tags in data]
    several = SequenceTagger().fit(X, y).tagger_.record.history
    assert several.orders == MOST_ORDERS
    assert len(several.final) == several.passes * MOST_ORDERS
    one = SequenceTagger(passes=several.passes).fit(X, y).tagger_.record.history
    assert one.orders == 1
    assert one.final == several.final[: one.passes]
