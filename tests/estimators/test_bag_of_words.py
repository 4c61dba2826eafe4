"""BagOfWords beside scikit-learn's vectorizers: the same columns, the same numbers."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline, make_union

import linnet
from linnet.data.features.text import TextTerm
from linnet.data.features.text_options import TextOptions
from linnet.estimators.bag_of_words import counted_ngrams
from linnet.estimators.columns import documents_of
from tests.texts import texts

CORPUS = [
    "The cat sat on the mat; the mat was flat.",
    "ΟΔΥΣΣΕΥΣ ο Λαερτιάδης, ΣΑΣ Σ",
    "İstanbul'da DIŞ ve ıssız IŞIK",
    "Straße STRASSE ẞ große Größe",
    "e\u0301te\u0301 été ÉTÉ नमस्ते दुनिया",
    "٣٤ १२ 12 １２ Ⅷ ² ½ 3rd x_y __init__",
    "漢字かな交じり文 テスト 中文 分词",
    "🦜🦜 👩‍🚀 :-) ... !!!",
    "",
    "   \t\n\u3000 ",
    "a b c the the the mat",
    "aa  bb\u00a0\u2003cc\x85dd\x1cee",
]
SETTINGS = [
    {},
    {"lowercase": False},
    {"ngram_range": (1, 3)},
    {"ngram_range": (2, 2), "min_df": 1},
    {"analyzer": "char", "ngram_range": (1, 4)},
    {"analyzer": "char", "ngram_range": (3, 3), "lowercase": False},
    {"analyzer": "char_wb", "ngram_range": (2, 5)},
    {"analyzer": "char_wb", "ngram_range": (6, 8)},
    {"min_df": 2, "ngram_range": (1, 2)},
    {"max_df": 0.15, "analyzer": "char"},
    {"min_df": 0.1, "max_df": 4, "analyzer": "char"},
    {"binary": True, "ngram_range": (1, 2)},
]
WEIGHTS = [
    {},
    {"sublinear_tf": True},
    {"use_idf": False},
    {"smooth_idf": False},
    {"norm": "l1"},
    {"norm": None},
    {"norm": None, "sublinear_tf": True, "use_idf": False},
    {"dtype": np.float32},
]


def equal(ours, theirs, rows, others=()):
    """The same names and entries, in fit and after; scikit-learn may add up the squares of a row in another order."""
    X, expected = ours.fit_transform(rows), theirs.fit_transform(rows)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.vocabulary_ == theirs.vocabulary_
    pairs = [(X, expected), (ours.transform(rows), expected)]
    if others:
        pairs.append((ours.transform(others), theirs.transform(others)))
    for a, b in pairs:
        assert isinstance(a, csr_matrix)
        assert a.shape == b.shape
        assert a.has_sorted_indices
        b.sort_indices()
        np.testing.assert_array_equal(a.indptr, b.indptr)
        np.testing.assert_array_equal(a.indices, b.indices)
        np.testing.assert_allclose(a.data, b.data, rtol=1e-14 if a.dtype == np.float64 else 1e-6)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_counts_are_those_of_count_vectorizer(setting):
    ours = linnet.BagOfWords(use_idf=False, norm=None, **setting)
    equal(ours, CountVectorizer(**setting), CORPUS, ["the new cat ΣΑΣ", "", "DIŞ"])


@pytest.mark.parametrize("weight", WEIGHTS, ids=str)
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_weights_are_those_of_tfidf_vectorizer(setting, weight):
    ours = linnet.BagOfWords(**setting, **weight)
    equal(ours, TfidfVectorizer(**setting, **weight), CORPUS, ["the new cat ΣΑΣ", "", "DIŞ"])
    if ours.use_idf:
        np.testing.assert_array_equal(ours.idf_, TfidfVectorizer(**setting, **weight).fit(CORPUS).idf_)


@given(
    rows=st.lists(texts, min_size=1, max_size=8),
    others=st.lists(texts, max_size=3),
    analyzer=st.sampled_from(["word", "char", "char_wb"]),
    lengths=st.tuples(st.integers(1, 3), st.integers(0, 2)),
    lowercase=st.booleans(),
    weight=st.sampled_from(WEIGHTS[:-1]),
)
@settings(max_examples=150)
def test_any_text_becomes_what_scikit_learn_makes_of_it(rows, others, analyzer, lengths, lowercase, weight):
    setting = {"analyzer": analyzer, "ngram_range": (lengths[0], sum(lengths)), "lowercase": lowercase, **weight}
    try:
        TfidfVectorizer(**setting).fit(rows)
    except ValueError:
        with pytest.raises(linnet.InputError, match="empty vocabulary"):
            linnet.BagOfWords(**setting).fit(rows)
        return
    equal(linnet.BagOfWords(**setting), TfidfVectorizer(**setting), rows, others)


def test_words_of_any_length_and_marks_are_those_of_a_pattern():
    ours = linnet.BagOfWords(word_length=1, marks=True, ngram_range=(1, 2))
    equal(ours, TfidfVectorizer(token_pattern=r"(?u)\w+|[^\w\s]", ngram_range=(1, 2)), CORPUS)


@pytest.mark.parametrize("size", [1, 7, 50])
def test_pieces_of_the_texts_leave_no_trace(size):
    rows, options = documents_of(CORPUS * 3), TextOptions(shortest=1, longest=2)
    whole, cut = TextTerm("text", options), TextTerm("text", options)
    expected = counted_ngrams(whole, rows, frozen=False)
    found = counted_ngrams(cut, rows, frozen=False, piece_bytes=size)
    assert len(expected[1]) > 100
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert [cut.name(number) for number in range(len(cut))] == [whole.name(number) for number in range(len(whole))]


def test_the_most_frequent_are_kept():
    rows = ["cc cc cc dd dd", "bb bb dd dd aa", "ee"]
    for most, binary in [(1, False), (3, False), (1, True), (9, False)]:
        setting = {"max_features": most, "binary": binary}
        equal(linnet.BagOfWords(**setting), TfidfVectorizer(**setting), rows)
    of_equals = linnet.BagOfWords(max_features=2).fit(["zz yy xx ww"])
    assert of_equals.get_feature_names_out().tolist() == ["ww", "xx"]


def test_hashing_with_bits_enough_loses_nothing():
    exact = linnet.BagOfWords(ngram_range=(1, 2))
    hashed = linnet.BagOfWords(ngram_range=(1, 2), hash_bits=30)
    X, expected = hashed.fit_transform(CORPUS), exact.fit_transform(CORPUS)
    column = [hashed.vocabulary_[name] for name in exact.get_feature_names_out()]
    for a, b in ((X, expected), (hashed.transform(CORPUS[::2]), exact.transform(CORPUS[::2]))):
        np.testing.assert_allclose(a[:, column].toarray(), b.toarray(), rtol=1e-14)
    assert hashed.collisions_ == exact.collisions_ == 0
    theirs = HashingVectorizer(ngram_range=(1, 2), n_features=2**30, alternate_sign=False).transform(CORPUS)
    assert len(np.unique(theirs.indices)) == len(hashed.vocabulary_)


@pytest.mark.parametrize("bits", [1, 3, 5, 8])
def test_collisions_are_the_names_that_found_no_column_of_their_own(bits):
    exact = linnet.BagOfWords(ngram_range=(1, 2), use_idf=False, norm=None).fit(CORPUS)
    hashed = linnet.BagOfWords(ngram_range=(1, 2), use_idf=False, norm=None, hash_bits=bits).fit(CORPUS)
    names = hashed.get_feature_names_out()
    assert len(names) <= 2**bits
    assert hashed.collisions_ == len(exact.vocabulary_) - len(names)
    assert set(names) <= set(exact.vocabulary_)
    np.testing.assert_array_equal(hashed.transform(CORPUS).sum(axis=1), exact.transform(CORPUS).sum(axis=1))


@given(rows=st.lists(texts, min_size=2, max_size=6), data=st.data(), binary=st.booleans())
@settings(max_examples=40)
def test_the_log_count_ratio_is_that_of_wang_and_manning(rows, data, binary):
    y = np.array(data.draw(st.lists(st.sampled_from(["no", "yes"]), min_size=len(rows), max_size=len(rows))))
    assume(len(set(y)) == 2)
    setting = {"analyzer": "char", "binary": binary}
    try:
        F = CountVectorizer(**setting).fit_transform(rows).toarray()
    except ValueError:
        assume(False)
    p, q = 0.5 + F[y == "yes"].sum(axis=0), 0.5 + F[y == "no"].sum(axis=0)
    r = np.log((p / p.sum()) / (q / q.sum()))
    bag = linnet.BagOfWords(**setting, use_idf=False, norm=None, log_count_ratio=True, smoothing=0.5)
    np.testing.assert_allclose(bag.fit_transform(rows, y).toarray(), F * r, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(bag.ratio_, r, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(bag.transform(rows[:1]).toarray(), F[:1] * r, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "kind",
    [list, tuple, np.array, lambda rows: np.array(rows, dtype=object), pd.Series, pl.Series, iter,
     lambda rows: pd.Series(rows, dtype=object), lambda rows: pd.Series(rows, dtype="category"),
     lambda rows: pl.Series(rows, dtype=pl.Categorical), lambda rows: pd.Series(rows)[::-1][::-1],
     lambda rows: [row.encode() for row in rows]],
)  # fmt: skip
def test_texts_may_come_in_any_container(kind):
    rows = CORPUS[:7] * 2
    expected = linnet.BagOfWords().fit_transform(rows)
    assert (linnet.BagOfWords().fit_transform(kind(rows)) != expected).nnz == 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("one text", "single string"),
        (["a", None], "row 1 is not text but None"),
        (["a", float("nan")], "row 1 is not text but nan"),
        ([None, None], "row 0 is not text"),
        ([1, 2], "row 0 is not text but 1"),
        (["a", 1], "row 1 is not text but 1"),
        (np.array([["a", "b"]]), "one column of texts"),
        (pd.DataFrame({"a": ["x"]}), "one column of texts"),
        (pd.Series(["a", None]), "row 1 is not text"),
        ([], "empty vocabulary"),
        (["", "a b c"], "empty vocabulary"),
        (["fine", "half \ud800"], "surrogate"),
    ],
)
def test_what_is_no_text_is_named(rows, message):
    with pytest.raises(linnet.InputError, match=message):
        linnet.BagOfWords().fit(rows)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"analyzer": "words"}, "analyzer='words' is not known; there are 'word', 'char', 'char_wb'"),
        ({"ngram_range": (2, 1)}, "shortest n-grams are longer"),
        ({"ngram_range": (0, 1)}, "ngram_range"),
        ({"word_length": 0}, "word_length"),
        ({"min_df": 0}, "min_df"),
        ({"min_df": 1.5}, "min_df"),
        ({"max_df": True}, "max_df"),
        ({"max_features": 0}, "max_features"),
        ({"norm": "l3"}, "norm='l3'"),
        ({"hash_bits": 32}, "hash_bits"),
        ({"smoothing": 0.0}, "smoothing must be positive"),
        ({"dtype": int}, "dtype"),
    ],
)
def test_wrong_parameters_are_answered_with_what_there_is(setting, message):
    with pytest.raises(linnet.RecipeError, match=message):
        linnet.BagOfWords(**setting).fit(["some text"])


def test_no_texts_give_no_rows():
    assert linnet.BagOfWords().fit(["aa bb"]).transform([]).shape == (0, 2)


def test_pruning_everything_is_an_error():
    with pytest.raises(linnet.InputError, match="no terms remain"):
        linnet.BagOfWords(min_df=2).fit(["aa bb", "cc dd"])


@pytest.mark.parametrize(
    ("y", "message"),
    [(None, "requires y"), (["a", "b", "c"], "OneVsRestClassifier"), (["a", "b"], "3 rows, but y has 2")],
)
def test_the_log_count_ratio_asks_for_two_classes(y, message):
    with pytest.raises(linnet.InputError, match=message):
        linnet.BagOfWords(log_count_ratio=True).fit(["aa", "bb", "cc"], y)


@pytest.mark.parametrize("bits", [0, 6])
def test_a_fitted_bag_survives_pickling_and_cloning(bits):
    bag = linnet.BagOfWords(ngram_range=(1, 2), min_df=2, hash_bits=bits).fit(CORPUS * 2)
    again = pickle.loads(pickle.dumps(bag))
    assert (again.transform(CORPUS) != bag.transform(CORPUS)).nnz == 0
    assert again.vocabulary_ == bag.vocabulary_
    assert again.collisions_ == bag.collisions_
    assert not hasattr(clone(bag), "collisions_")
    assert clone(bag).get_params() == bag.get_params()


def test_a_fitted_bag_may_serve_many_threads_at_once():
    rows = [" ".join(f"w{n * k % 997}" for n in range(400)) for k in range(1, 120)]
    bag = linnet.BagOfWords(ngram_range=(1, 2)).fit(rows)
    expected = bag.transform(rows)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(bag.transform, [rows] * 24):
            assert (found != expected).nnz == 0


REVIEWS = ["good film", "a very good plot", "good good fun", "bad film", "a very bad plot", "bad bad bore"] * 5
VERDICTS = (["up"] * 3 + ["down"] * 3) * 5


@pytest.mark.parametrize("setting", [{}, {"log_count_ratio": True, "norm": None}, {"hash_bits": 8}], ids=str)
def test_texts_to_labels_in_a_pipeline(setting):
    pipeline = make_pipeline(linnet.BagOfWords(**setting), linnet.LogisticRegression())
    assert cross_val_score(pipeline, REVIEWS, VERDICTS, cv=3).tolist() == [1, 1, 1]
    assert OneVsRestClassifier(pipeline).fit(REVIEWS, VERDICTS).score(REVIEWS, VERDICTS) == 1


def test_words_and_characters_and_columns_side_by_side():
    both = make_union(linnet.BagOfWords(), linnet.BagOfWords(analyzer="char_wb", ngram_range=(3, 3)))
    assert both.fit_transform(REVIEWS).shape[1] == len(both.get_feature_names_out())
    frame = pd.DataFrame({"text": REVIEWS, "colour": ["red", "blue"] * 15})
    mixed = make_column_transformer((linnet.BagOfWords(), "text"), (linnet.OneHot(), ["colour"]))
    model = make_pipeline(mixed, linnet.LogisticRegression()).fit(frame, VERDICTS)
    assert model.score(frame, VERDICTS) == 1
    assert "onehot__colour=blue" in mixed.fit(frame).get_feature_names_out()
