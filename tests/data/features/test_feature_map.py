"""All terms of a model together: rows, names, the layout of features in rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from linnet.data.features.feature_map import MOST_NUMBERED, FeatureOptions, Features
from linnet.data.features.layout import FeatureLayout, TermOrder, assembled
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.features.text import TextOptions
from linnet.data.rows import Rows
from linnet.data.sources.block import Block, Numbers, Position, Strings
from linnet.errors import InputError, RecipeError

ROLES = {"size": Role.NUMBER, "y": Role.TARGET, "colour": Role.CATEGORY, "body": Role.TEXT, "mass": Role.NUMBER}
SCHEMA = Schema(ROLES)
OPTIONS = FeatureOptions(TextOptions(longest=1, unit_length=False), crosses=(("colour", "size"),), polynomial=2)

ROWS = st.lists(
    st.tuples(
        st.sampled_from([None, 0.0, 1.5, -2.0]),
        st.sampled_from([None, "", "red", "blue"]),
        st.text("ab .", max_size=6),
        st.sampled_from([None, 3.0, 4.0]),
    ),
    min_size=1,
    max_size=10,
)


def block(rows, **more):
    size, colour, body, mass = zip(*rows, strict=True)
    missing = np.array([value is None for value in colour])
    coloured = Strings.of([value or "" for value in colour])
    columns = {
        "size": Numbers(np.array(size, dtype=np.float64)),
        "colour": Strings(coloured.data, coloured.starts, missing if missing.any() else None),
        "body": Strings.of(list(body)),
        "mass": Numbers(np.array(mass, dtype=np.float64)),
    }
    return Block("data.csv", len(rows), Position(), columns={**columns, **more})


def numbered(features, blocks, layout=None, *, frozen=False):
    """Entries block by block; the layout grows with the features."""
    pieces = []
    for each in blocks:
        found = features.weighted(features.number(each, features.prepare(each), frozen=frozen))
        if layout is not None:
            layout.extend(features.sizes)
        pieces.append(found)
    return pieces


def by_name(rows, names):
    """Each row as a dictionary; no name may come twice."""
    found = []
    for a, b in pairwise(rows.starts):
        held = [(names[number], value) for number, value in zip(rows.ids[a:b], rows.values[a:b].tolist(), strict=True)]
        assert len(dict(held)) == len(held)
        found.append(dict(held))
    return found


def names_by_column(features, layout):
    names = [""] * layout.size
    for i, term in enumerate(features.terms):
        for number, column in enumerate(layout.columns(i, np.arange(len(term))).tolist()):
            names[column] = term.name(number)
    return names


def expected_row(size, colour, body, mass):
    """The same by hand."""

    def one(name, value):
        return (f"{name} is missing", 1.0) if value is None else (name, value)

    def of(parts):
        return {"×".join(name for name, _ in parts): float(np.prod([value for _, value in parts]))}

    tone = ("colour is missing", 1.0) if not colour else (f"colour={colour}", 1.0)
    words = [word for dotted in body.replace(".", " . ").split() for word in [dotted]]
    row = {**of([one("size", size)]), **of([tone])}
    for word in words:
        row[f"body:{word}"] = float(np.float32(1 + np.log(words.count(word))))
    row |= of([one("mass", mass)])
    row |= of([tone, one("size", size)])
    for a, b in [(("size", size), ("size", size)), (("size", size), ("mass", mass)), (("mass", mass), ("mass", mass))]:
        row |= of([one(*a), one(*b)])
    return row


@given(rows=ROWS, cut=st.integers(0, 9))
@settings(max_examples=80)
def test_rows_hold_every_term_and_the_layout_only_permutes_them(rows, cut):
    blocks = [block(part) for part in (rows[:cut], rows[cut:]) if part]
    arriving = Features.of(SCHEMA, Task.CLASSIFICATION, OPTIONS)
    arrival = FeatureLayout(len(arriving.terms))
    pieces = numbered(arriving, blocks, arrival)
    in_turn = TermOrder.of(arriving.sizes)
    assert sorted(np.concatenate(arrival.by_term).tolist()) == list(range(len(arriving)))
    assert names_by_column(arriving, in_turn) == arriving.names()
    expected = [expected_row(*row) for row in rows]
    for layout in (arrival, in_turn):
        names = names_by_column(arriving, layout)
        found = [row for piece in pieces for row in by_name(assembled(piece, layout), names)]
        assert found == expected
    whole = Features.of(SCHEMA, Task.CLASSIFICATION, OPTIONS)
    numbered(whole, [block(rows)])
    assert whole.names() == arriving.names()
    again = [row for each in blocks for row in by_name(arriving.rows(each), arriving.names())]
    assert again == expected


def test_names_are_counted_term_after_term():
    features = Features.of(SCHEMA, Task.CLASSIFICATION, OPTIONS)
    numbered(features, [block([(1.0, "red", "a b", 2.0), (None, None, "b", 3.0)])])
    assert [features.name(number) for number in range(len(features))] == features.names()
    assert features.names()[:6] == ["size", "size is missing", "colour=red", "colour is missing", "body:a", "body:b"]
    with pytest.raises(IndexError):
        features.name(len(features))
    assert list(features.number_features()) == [(0, 1), (6, 7)]
    assert np.flatnonzero(features.text_features()).tolist() == [4, 5]
    read = {name: how.is_number for name, how in features.columns_needed().items()}
    assert read == {"size": True, "colour": False, "body": False, "mass": True}
    assert features.collisions == 0


def test_what_a_finished_model_does_not_know_is_left_out():
    features = Features.of(SCHEMA, Task.CLASSIFICATION, OPTIONS)
    numbered(features, [block([(1.0, "red", "a", 2.0)])])
    size = len(features)
    rows = features.rows(block([(3.0, "green", "b", 4.0), (3.0, "red", "a b", 4.0)]))
    unknown, known = by_name(rows, features.names())
    assert unknown == {"size": 3, "mass": 4, "size×size": 9, "size×mass": 12, "mass×mass": 16}
    assert known == {**unknown, "colour=red": 1, "body:a": 1, "colour=red×size": 3}
    assert len(features) == size


@pytest.mark.parametrize("values", ["one", "two"])
def test_a_single_term_is_taken_as_it_is(values):
    features = Features.of(Schema({"t": Role.TEXT}), Task.CLASSIFICATION, FeatureOptions(TextOptions(longest=1)))
    each = Block("t.csv", 2, Position(), columns={"t": Strings.of([values, ""])})
    layout = FeatureLayout(1)
    (pieces,) = numbered(features, [each], layout)
    rows = assembled(pieces, layout)
    assert rows.shape == (2, 1)
    assert rows.ids.dtype == np.uint32
    assert by_name(rows, features.names()) == [{f"t:{values}": 1.0}, {}]


def test_values_are_single_precision_only_where_all_terms_are():
    text = Features.of(Schema({"t": Role.TEXT, "s": Role.TEXT}), Task.CLASSIFICATION, FeatureOptions())
    strings = Strings.of(["one"])
    (pieces,) = numbered(text, [Block("t.csv", 1, Position(), columns={"t": strings, "s": strings})])
    assert assembled(pieces, TermOrder.of(text.sizes)).values.dtype == np.float32


def test_hashed_terms_tell_their_collisions():
    schema = Schema({"c": Role.CATEGORY, "t": Role.TEXT})
    features = Features.of(schema, Task.CLASSIFICATION, FeatureOptions(TextOptions(longest=1), hash_bits=2))
    names = [f"w{n}" for n in range(50)]
    columns = {"c": Strings.of(names), "t": Strings.of(names)}
    numbered(features, [Block("t.csv", 50, Position(), columns=columns)])
    assert features.collisions == 100 - len(features)
    assert len(features) <= 8


def test_an_infinite_number_is_named_by_its_line():
    features = Features.of(SCHEMA, Task.CLASSIFICATION, OPTIONS)
    bad = block([(1.0, "a", "a", 1.0), (np.inf, "a", "a", 1.0)])
    with pytest.raises(InputError, match=r"data.csv: row 2: size is infinite"):
        features.prepare(bad)


def test_a_product_past_the_range_of_numbers_is_named_by_its_line():
    features = Features.of(SCHEMA, Task.CLASSIFICATION, OPTIONS)
    with pytest.raises(InputError, match=r"data.csv: row 2: the product of mass, mass is infinite"):
        features.prepare(block([(1.0, "a", "a", 1.0), (1.0, "a", "a", 1e200)]))


@pytest.mark.parametrize(
    ("cross", "message"),
    [
        (("colour", "nothing"), "names 'nothing', which is not a column"),
        (("body", "size"), "a column with the role text"),
    ],
)
def test_only_numbers_and_categories_can_be_crossed(cross, message):
    with pytest.raises(RecipeError, match=message):
        Features.of(SCHEMA, Task.CLASSIFICATION, FeatureOptions(crosses=(cross,)))


def test_polynomials_are_all_products_of_numbers_up_to_the_degree():
    features = Features.of(SCHEMA, Task.CLASSIFICATION, FeatureOptions(polynomial=3))
    assert [term.columns for term in features.terms if term.kind == "cross"] == [
        ("size", "size"), ("size", "mass"), ("mass", "mass"),
        ("size", "size", "size"), ("size", "size", "mass"), ("size", "mass", "mass"), ("mass", "mass", "mass"),
    ]  # fmt: skip


# -- the columns of svmlight files ---------------------------------------------------------------------------------


def sparse_block(X):
    return Block("data.svm", X.shape[0], Position(), sparse=Rows.of(csr_array(X)))


@given(seed=st.integers(0, 1000), known=st.integers(1, 6))
@settings(max_examples=50)
def test_numbered_columns_a_model_never_saw_are_left_out(seed, known):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 6)) * (rng.random((8, 6)) < 0.4)
    features = Features.numbered(Task.CLASSIFICATION, known)
    assert features.is_numbered
    rows = features.rows(sparse_block(X))
    np.testing.assert_array_equal(rows.matrix().toarray(), X[:, :known].astype(rows.values.dtype))


def test_numbered_columns_grow_with_the_rows():
    features = Features.numbered(Task.REGRESSION)
    for X, size in [(np.eye(3), 3), (np.ones((1, 2)), 3), (np.ones((2, 5)), 5)]:
        each = sparse_block(X)
        (piece,) = features.number(each, features.prepare(each), frozen=False)
        assert features.sizes == [size]
        rows = assembled(features.weighted([piece]), TermOrder.of(features.sizes))
        np.testing.assert_array_equal(rows.matrix().toarray()[:, : X.shape[1]], X)


def test_a_column_number_too_large_is_named_by_its_line():
    rows = Rows(np.ones(1), np.array([MOST_NUMBERED], np.uint32), np.array([0, 1]), (1, MOST_NUMBERED + 1))
    features = Features.numbered(Task.REGRESSION)
    each = Block("data.svm", 1, Position(), sparse=rows, lines=np.array([17]))
    with pytest.raises(InputError, match=f"data.svm:17: the id {MOST_NUMBERED} is larger than"):
        features.number(each, [], frozen=False)


def test_the_extent_of_an_svmlight_file_is_told_by_its_ids():
    assert Features.numbered(Task.CLASSIFICATION, 14).extent == "ids up to 13"
    assert Features.numbered(Task.CLASSIFICATION).extent == "0 features"
    table = Features.of(Schema({"n": Role.NUMBER}), Task.CLASSIFICATION, FeatureOptions())
    assert table.extent == "2 features"
