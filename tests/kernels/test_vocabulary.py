"""Names and numbers: exact, in order of appearance, whatever the blocks."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.features.buffers import Buffers
from linnet.data.features.tokenizer import Analyzer, Tokenization, tokenize
from linnet.data.sources.block import Strings
from linnet.kernels import ngrams as counting
from linnet.kernels.sparse_entries import renumbered
from linnet.kernels.vocabulary import Vocabulary
from tests.texts import fingerprint, name_hash, ngrams, texts, units, word_hash

# Two strings of one FNV-1a hash of 64 bits (known pairs, checked below).
TWINS = [("8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"), ("gMPflVXtwGDXbIhP73TX", "LtHf1prlU1bCeYZEdqWf")]
NOTHING = np.empty(0, dtype=np.int64)


def count(vocabulary, rows, analyzer="word", shortest=1, longest=2, prefix="", frozen=False, counter=None):
    """(starts, ids, counts) of some rows."""
    how = Tokenization(Analyzer(analyzer))
    found = tokenize(Strings.of(rows), how)
    own, names = (counter or counting.Counter()).count(
        found.text, (found.starts, found.hashes, found.segments, found.row_segments),
        (shortest, longest, how.gap, how.whole), prefix.encode(), vocabulary.bits, Buffers(),
    )  # fmt: skip
    return renumbered(vocabulary.numbered(found.text, *names, prefix.encode(), frozen), *own)


def numbers(vocabulary, names, frozen=False):
    strings = Strings.of(names)
    return vocabulary.numbers(strings.data, strings.starts, b"", frozen).tolist()


def as_rows(found):
    starts, ids, counts = found
    return [dict(zip(ids[a:b].tolist(), counts[a:b].tolist(), strict=True))
            for a, b in pairwise(starts)]  # fmt: skip


def grams_of(row, analyzer, shortest, longest):
    return ngrams(units(row, analyzer), shortest, longest, analyzer)


LENGTHS = st.tuples(st.integers(1, 4), st.integers(0, 3)).map(lambda pair: (pair[0], pair[0] + pair[1]))
ANALYZERS = st.sampled_from(["word", "char", "char_wb"])


@given(rows=st.lists(texts, max_size=6), analyzer=ANALYZERS, lengths=LENGTHS, prefix=st.sampled_from(["", "text:"]))
def test_numbers_follow_first_appearance_like_a_dictionary(rows, analyzer, lengths, prefix):
    vocabulary, twin = Vocabulary(), {}
    expected = []
    for row in rows:
        counted = Counter(twin.setdefault(prefix + gram, len(twin)) for gram in grams_of(row, analyzer, *lengths))
        expected.append(dict(counted))
    found = count(vocabulary, rows, analyzer, *lengths, prefix=prefix)
    assert as_rows(found) == expected
    assert [list(row) for row in as_rows(found)] == [list(row) for row in expected]
    assert vocabulary.names() == list(twin)
    assert len(vocabulary) == len(twin)
    assert vocabulary.collisions == 0


@given(
    rows=st.lists(texts, max_size=12),
    cuts=st.lists(st.integers(0, 12), max_size=5),
    analyzer=ANALYZERS,
    lengths=LENGTHS,
    bits=st.sampled_from([0, 1, 3, 20]),
)
def test_blocks_leave_no_trace(rows, cuts, analyzer, lengths, bits):
    whole, cut = Vocabulary(bits), Vocabulary(bits)
    expected = as_rows(count(whole, rows, analyzer, *lengths))
    edges = [0, *sorted(min(c, len(rows)) for c in cuts), len(rows)]
    found = []
    for a, b in pairwise(edges):
        found += as_rows(count(cut, rows[a:b], analyzer, *lengths))
    assert found == expected
    assert cut.names() == whole.names()
    assert cut.collisions == whole.collisions
    for ours, theirs in zip(cut.stored(), whole.stored(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(names=st.lists(texts, max_size=30))
def test_whole_names_are_numbered_like_a_dictionary(names):
    vocabulary, twin = Vocabulary(), {}
    assert numbers(vocabulary, names) == [twin.setdefault(name, len(twin)) for name in names]
    assert numbers(vocabulary, [*names, "never seen before"], frozen=True) == [*(twin[name] for name in names), -1]
    assert vocabulary.names() == list(twin)


@given(known=st.lists(texts, max_size=4), rows=st.lists(texts, max_size=4), lengths=LENGTHS)
def test_a_frozen_vocabulary_learns_nothing_and_leaves_out_what_is_new(known, rows, lengths):
    vocabulary = Vocabulary()
    count(vocabulary, known, "word", *lengths)
    before = vocabulary.names()
    found = as_rows(count(vocabulary, rows, "word", *lengths, frozen=True))
    place = {name: number for number, name in enumerate(before)}
    assert found == [dict(Counter(place[g] for g in grams_of(row, "word", *lengths) if g in place)) for row in rows]
    assert vocabulary.names() == before


def test_fingerprints_are_those_of_the_python_twin():
    vocabulary = Vocabulary()
    count(vocabulary, ["Ein zwei, ΔΥΟ dreİ"], prefix="t:")
    keys, *_ = vocabulary.stored()
    parts = [name.removeprefix("t:").split(" ") for name in vocabulary.names()]
    assert keys.tolist() == [fingerprint(each, "t:") for each in parts]


@pytest.mark.parametrize("bits", [1, 2, 5, 10, 31])
@pytest.mark.parametrize("way", ["grams", "names"])
def test_hashing_counts_the_names_that_fell_together_and_keeps_the_first_of_each(bits, way, rng):
    words = ["w" + str(n) for n in rng.integers(900, size=4000)]
    vocabulary = Vocabulary(bits)
    if way == "grams":
        rows = [" ".join(words[a : a + 20]) for a in range(0, 4000, 20)]
        found = [row for block in (rows[:70], rows[70:]) for row in as_rows(count(vocabulary, block))]
        met = [[gram.split(" ") for gram in grams_of(row, "word", 1, 2)] for row in rows]
    else:
        found = [{number: 1.0} for number in numbers(vocabulary, words)]
        met = [[[word]] for word in words]
    slots, names = {}, set()
    expected = []
    for row in met:
        ids = []
        for parts in row:
            name, hash_of = " ".join(parts), word_hash if way == "grams" else name_hash
            slot = fingerprint(parts, hash_of=hash_of) & (2**bits - 1)
            names.add(name)
            ids.append(slots.setdefault(slot, (len(slots), name))[0])
        expected.append(dict(Counter(ids)))
    assert found == expected
    assert vocabulary.names() == [name for _, name in slots.values()]
    assert vocabulary.collisions == len(names) - len(slots)


def test_hashing_frozen_takes_the_slot_there_is_and_counts_nothing():
    vocabulary = Vocabulary(1)
    count(vocabulary, ["one two three four five six"], longest=1)
    assert len(vocabulary) == 2
    before = vocabulary.collisions
    (row,) = as_rows(count(vocabulary, ["seven eight nine ten"], longest=1, frozen=True))
    assert sum(row.values()) == 4
    assert vocabulary.collisions == before == 4


@pytest.mark.parametrize("pair", TWINS)
def test_names_of_one_fingerprint_stay_two(pair):
    assert name_hash(pair[0]) == name_hash(pair[1])
    vocabulary = Vocabulary()
    assert numbers(vocabulary, [*pair, *pair[::-1], "other"]) == [0, 1, 1, 0, 2]
    assert vocabulary.names() == [*pair, "other"]
    keys = vocabulary.stored()[0]
    assert keys[0] == keys[1]
    again = Vocabulary.restored(0, *vocabulary.stored())
    assert numbers(again, [pair[1], pair[0]], frozen=True) == [1, 0]
    hashed = Vocabulary(31)
    assert numbers(hashed, pair) == [0, 0]


def test_ngrams_of_one_fingerprint_stay_two():
    a, b = "abcdefghijklmnop", "bu7e68hzvamempu1"
    assert word_hash(a) == word_hash(b)
    vocabulary = Vocabulary()
    starts, ids, counts = count(vocabulary, [f"{a} {b} {a} {b}"])
    assert vocabulary.names() == [a, f"{a} {b}", b, f"{b} {a}"]
    assert (starts.tolist(), ids.tolist(), counts.tolist()) == ([0, 4], [0, 1, 2, 3], [2, 2, 2, 1])


def test_growth_past_many_rehashes():
    vocabulary, twin = Vocabulary(), {}
    words = [f"name-{n * n % 99991}-{'x' * (n % 50)}" for n in range(60_000)]
    assert numbers(vocabulary, words) == [twin.setdefault(word, len(twin)) for word in words]
    assert len(vocabulary) > 16 * 1024
    assert vocabulary.names() == list(twin)
    assert numbers(vocabulary, words[::-1], frozen=True) == [twin[word] for word in words[::-1]]


def test_growth_in_the_midst_of_a_row_keeps_its_counts():
    """The table moves several times while one row is counted, every word of which comes twice."""
    words = [f"w{n}" for n in range(10_000)]
    vocabulary = Vocabulary()
    (row,) = as_rows(count(vocabulary, [" ".join(words + words[::-1])], longest=1))
    assert row == dict.fromkeys(range(10_000), 2.0)


@given(blocks=st.lists(st.lists(texts, max_size=4), max_size=5), bits=st.sampled_from([0, 3, 20]), lengths=LENGTHS)
@settings(max_examples=50)
def test_a_counter_forgets_the_block_before(blocks, bits, lengths):
    """One counter for all blocks, after one that made its table grow, gives what a new one for each gives."""
    used, one, other = counting.Counter(), Vocabulary(bits), Vocabulary(bits)
    for earlier in (bits, 0, 5):  # of texts whose names were told apart otherwise, too
        count(Vocabulary(earlier), [" ".join(f"w{n}" for n in range(2_000))], counter=used)
    for rows in blocks:
        ours = count(one, rows, "word", *lengths, counter=used)
        for mine, fresh in zip(ours, count(other, rows, "word", *lengths), strict=True):
            np.testing.assert_array_equal(mine, fresh)
    assert one.names() == other.names()
    assert one.collisions == other.collisions


@pytest.mark.slow
def test_row_stamps_may_wrap():
    """4 294 967 296 rows later, a stamp of old must not be taken for the present row's."""
    counter, vocabulary = counting.Counter(), Vocabulary()
    count(vocabulary, ["old"], counter=counter)  # stamp 1
    block = np.zeros((1 << 20) + 1, dtype=np.int64)
    none, empty = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint8)
    buffers = Buffers()
    left = 2**32 - 2  # so many rows later, the next one's stamp would be 1 again
    while left > 0:
        rows = min(left, 1 << 20)
        tokens = (np.empty(0, np.uint32), none, block[: rows + 1], NOTHING)
        (starts, *_), _ = counter.count(empty, tokens, (1, 1, 1, False), b"", 0, buffers)
        assert len(starts) == rows + 1
        left -= rows
    found = count(vocabulary, ["new old", "old old"], longest=1, counter=counter)
    assert as_rows(found) == [{1: 1.0, 0: 1.0}, {0: 2.0}]


@given(rows=st.lists(texts, max_size=5), more=st.lists(texts, max_size=3), bits=st.sampled_from([0, 2, 16]))
@settings(max_examples=50)
def test_a_stored_vocabulary_goes_on_as_if_nothing_had_been(rows, more, bits):
    vocabulary = Vocabulary(bits)
    count(vocabulary, rows)
    for again in (Vocabulary.restored(bits, *vocabulary.stored()), pickle.loads(pickle.dumps(vocabulary))):
        assert again.bits == bits
        assert again.names() == vocabulary.names()
        assert again.collisions == vocabulary.collisions
        assert as_rows(count(again, rows, frozen=True)) == as_rows(count(vocabulary, rows, frozen=True))
    assert as_rows(count(again, more)) == as_rows(count(vocabulary, more))
    for ours, theirs in zip(again.stored(), vocabulary.stored(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_name_stored_twice_is_an_error():
    vocabulary = Vocabulary()
    numbers(vocabulary, ["a", "b"])
    keys, _, starts, seen = vocabulary.stored()
    with pytest.raises(ValueError, match="feature 1 has the name or key of an earlier one"):
        Vocabulary.restored(0, keys[[0, 0]], np.frombuffer(b"aa", dtype=np.uint8), starts, seen)


def test_fingerprints_beside_an_exact_vocabulary_are_an_error():
    vocabulary = Vocabulary()
    numbers(vocabulary, ["a"])
    keys, names, starts, _ = vocabulary.stored()
    with pytest.raises(ValueError, match="no fingerprints"):
        Vocabulary.restored(0, keys, names, starts, np.ones(1, dtype=np.uint64))


@pytest.mark.parametrize("bits", [-1, 32])
def test_bits_have_a_range(bits):
    with pytest.raises(ValueError, match="bits must be 0"):
        Vocabulary(bits)


@pytest.mark.parametrize("number", [-1, 1])
def test_a_number_that_names_nothing(number):
    vocabulary = Vocabulary()
    numbers(vocabulary, ["a"])
    with pytest.raises(IndexError, match="1 names"):
        vocabulary.name(number)
