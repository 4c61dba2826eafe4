"""Sets and named features become the entries that plain Python makes of them, however rows are cut into blocks."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linnet.data.features.entries import FeaturesTerm, SetTerm
from linnet.data.sources.block import Strings
from linnet.data.sources.sets import set_text

elements = st.text(st.sampled_from("abé 1.0,\x1f"), max_size=4)
sets = st.lists(st.none() | st.lists(elements | st.none(), max_size=5), max_size=12)


def column(values):
    strings = Strings.of([value or "" for value in values])
    missing = np.array([value is None for value in values], dtype=bool)
    return Strings(strings.data, strings.starts, missing if missing.any() else None)


def rows_of(term, values, cuts, frozen=False):
    """Each row as its features by name, in order."""
    found = []
    for first, last in zip([0, *cuts], [*cuts, len(values)], strict=True):
        if first < last:
            piece = term.number(term.prepare({term.columns[0]: column(values[first:last])}), frozen=frozen)
            pairs = list(zip(piece.ids.tolist(), piece.values.tolist(), strict=True))
            found += [pairs[a:b] for a, b in zip(piece.starts[:-1].tolist(), piece.starts[1:].tolist(), strict=True)]
    return [[(term.name(number), value) for number, value in row] for row in found]


def expected_set(row):
    if row is None:
        return ["c is missing"]
    spelt = [each.replace("\x1f", " ").strip() for each in row if each is not None]
    spelt = ["1" if each in ("1.0", "1.00") else each for each in spelt if each]
    return [f"c={each}" for each in dict.fromkeys(spelt)]


@given(sets, st.lists(st.integers(0, 12), max_size=3))
def test_a_set_has_each_element_once(values, cuts):
    texts = [None if row is None else set_text(row) for row in values]
    cuts = sorted(cut for cut in cuts if cut <= len(values))
    term = SetTerm(("c",))
    got = rows_of(term, texts, cuts)
    assert [[name for name, _ in row] for row in got] == [expected_set(row) for row in values]
    assert all(value == 1 for row in got for _, value in row)
    whole = SetTerm(("c",))
    rows_of(whole, texts, [])
    assert [whole.name(i) for i in range(len(whole))] == [term.name(i) for i in range(len(term))]
    assert rows_of(term, ["\x1fnew\x1fb"], [], frozen=True) == [
        [("c=b", 1.0)] if "c=b" in map(term.name, range(len(term))) else []
    ]


names = st.sampled_from(["a", "b", "é", "x^y"])
features = st.lists(
    st.tuples(st.sampled_from(["", "n", "m"]), names, st.sampled_from(["", ":0.5", ":-2", ":3"])), max_size=6
)


@given(st.lists(features, max_size=10), st.lists(st.integers(0, 10), max_size=3))
def test_features_are_summed_by_name(values, cuts):
    texts = ["|" + "".join(f"|{space} {name}{value}" for space, name, value in row) for row in values]
    expected = []
    for row in values:
        sums = {}
        for space, name, value in row:
            full = f"{space}^{name}" if space else name
            sums[full] = sums.get(full, 0.0) + (float(value[1:]) if value else 1.0)
        expected.append(list(sums.items()))
    assert rows_of(FeaturesTerm(("f",)), texts, sorted(cut for cut in cuts if cut <= len(values))) == expected
