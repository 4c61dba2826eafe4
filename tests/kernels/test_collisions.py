"""Names chosen so that their hashes collide cost no more than any others, and are still told apart."""

from __future__ import annotations

from functools import cache
from time import process_time

import numpy as np
import pytest

from linnet.data.features.buffers import Buffers
from linnet.data.features.terms import CategoryTerm
from linnet.data.sources.block import Strings
from linnet.kernels.name_hashes import hashed, prefix_hash
from linnet.kernels.ngrams import Counter
from linnet.kernels.vocabulary import Vocabulary

WIDTH = 8


def spelt(numbers) -> np.ndarray:
    """Each number as the bytes of WIDTH digits, one after the other."""
    digits = (np.asarray(numbers)[:, np.newaxis] // 10 ** np.arange(WIDTH - 1, -1, -1)) % 10
    return (digits + ord("0")).astype(np.uint8).reshape(-1)


def starts_of(count: int) -> np.ndarray:
    return np.arange(count + 1, dtype=np.int64) * WIDTH


def keys(numbers) -> np.ndarray:
    """The fingerprints of these names without a prefix: the fixed hash, chained to that of no bytes."""
    following = hashed(spelt(numbers), starts_of(len(numbers)))
    before = int(prefix_hash(b""))
    rotated = np.uint64(((before << 23) | (before >> 41)) % 2**64)
    h = (rotated ^ following) * np.uint64(0xD1342543DE82EF95)
    return h ^ (h >> np.uint64(32))


@cache
def candidates() -> tuple[np.ndarray, np.ndarray]:
    numbers = np.arange(2**20)
    return numbers, keys(numbers)


def of_upper_bits(count: int) -> np.ndarray:
    """Numbers whose names lie within 1/64 of a table whose buckets are upper bits of a known multiple of the key."""
    numbers, known = candidates()
    return numbers[(known * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58) == 7][:count]


def of_lower_bits(count: int) -> np.ndarray:
    """As above, of a table whose buckets are the lower bits."""
    numbers, known = candidates()
    return numbers[(known & np.uint64(63)) == 7][:count]


def seconds_to_number(numbers, bits: int) -> float:
    began = process_time()
    found = Vocabulary(bits).numbers(spelt(numbers), starts_of(len(numbers)), b"", False)
    assert bits or np.array_equal(found, np.arange(len(numbers)))
    return process_time() - began


@pytest.mark.parametrize("bits", [0, 31])
@pytest.mark.parametrize("chosen", [of_upper_bits, of_lower_bits])
def test_names_chosen_for_one_bucket_take_no_longer_than_others(chosen, bits):
    count = 16_000
    hostile = chosen(count)
    assert len(hostile) == count
    ordinary = min(seconds_to_number(np.arange(count), bits) for _ in range(3))
    assert min(seconds_to_number(hostile, bits) for _ in range(3)) < 10 * max(ordinary, 0.002)


def test_names_of_one_fingerprint_are_told_apart_in_time_linear_in_their_number():
    count = 300_000  # compared pair by pair this takes minutes
    same = np.full(count, 12345, dtype=np.uint64)
    text, names = spelt(np.arange(count)), (np.arange(count) * WIDTH).astype(np.uint32)
    lengths, others = np.full(count, WIDTH, dtype=np.uint32), np.empty(0, dtype=np.uint64)
    vocabulary = Vocabulary()
    for _ in range(2):  # new names, then known ones
        found = vocabulary.numbered(text, same, names, lengths, others, b"text:", False)
        assert np.array_equal(found, np.arange(count))
    assert np.array_equal(vocabulary.numbered(text, same, names, lengths, others, b"text:", True), np.arange(count))
    stored = vocabulary.stored()
    again = Vocabulary.restored(0, *stored)
    assert np.array_equal(again.numbered(text, same, names, lengths, others, b"text:", True), np.arange(count))
    absent = spelt(np.arange(count, 2 * count))
    assert (again.numbered(absent, same, names, lengths, others, b"text:", True) == 2**32 - 1).all()


def test_words_of_one_hash_are_counted_apart_in_time_linear_in_their_number():
    count, counter = 200_000, Counter()
    twice = np.concatenate([np.arange(count), np.arange(count)])
    for width in (WIDTH, 2 * WIDTH):  # up to eight bytes a hash stands for its word: such words get hashes of their own
        text = np.concatenate([spelt(twice).reshape(-1, WIDTH)] * (width // WIDTH), axis=1).reshape(-1)
        starts = (np.arange(2 * count + 1) * width).astype(np.uint32)
        hashes = np.full(2 * count, 99, dtype=np.uint64) if width > WIDTH else (twice << 40).astype(np.uint64)
        segments = np.array([0, count, 2 * count], dtype=np.int64)
        none = np.empty(0, dtype=np.int64)
        rows, names = counter.count(text, (starts, hashes, segments, none), (1, 1, 0, 0), b"", 0, Buffers())
        assert np.array_equal(rows[0], [0, count, 2 * count])
        assert np.array_equal(rows[1], twice)
        assert (rows[2] == 1).all()
        assert np.array_equal(names[1], starts[:count])


def test_a_block_of_chosen_categories_is_coded_like_any_other():
    numbers = of_upper_bits(5_000)
    values = [f"{number:08d}" for number in numbers]
    term = CategoryTerm(("c",))
    piece = term.number(term.prepare({"c": Strings.of(values * 2)}), frozen=False)
    assert np.array_equal(piece.ids, np.tile(np.arange(len(values)), 2))
    assert [term.name(number) for number in range(3)] == [f"c={value}" for value in values[:3]]
