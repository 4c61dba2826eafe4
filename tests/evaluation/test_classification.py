from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from linnet.errors import InputError
from linnet.evaluation.classification import ClassificationTally


def table(seed, n, k, *, unknown=False, ties=False):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.7), n)
    if ties:
        p = np.round(p * 4) / 4
        p[:, 0] += 1 - p.sum(axis=1)
        p = np.clip(p, 0, 1)
        p /= p.sum(axis=1, keepdims=True)
    y = np.where(rng.random(n) < 0.5, p.argmax(axis=1), rng.integers(-unknown, k, n))
    return y, p.argmax(axis=1), p, rng.integers(0, 4, n)


def tallied(classes, *block, **more):
    tally = ClassificationTally(classes)
    tally.add(*block, **more)
    return tally.result()


sizes = {"seed": st.integers(0, 10**6), "n": st.integers(1, 60), "k": st.integers(2, 5), "weighted": st.booleans()}


@given(**sizes)
def test_counts_agree_with_scikit_learn(seed, n, k, weighted):
    y, z, p, w = table(seed, n, k)
    w[0] = 1
    sample_weight = w if weighted else None
    result = tallied(range(k), y, z, p, weights=sample_weight)
    keep = w > 0 if weighted else np.ones(n, bool)
    kept = {"sample_weight": w[keep] if weighted else None, "zero_division": np.nan}
    assert result.rows == (w.sum() if weighted else n)
    assert result.accuracy == pytest.approx(metrics.accuracy_score(y, z, sample_weight=sample_weight))
    expected = metrics.confusion_matrix(y, z, labels=range(k), sample_weight=sample_weight)
    np.testing.assert_array_equal(result.confusion, expected)
    each = metrics.precision_recall_fscore_support(y[keep], z[keep], labels=range(k), **kept)
    ours = [[getattr(c, name) for c in result.classes] for name in ("precision", "recall", "f1", "support")]
    np.testing.assert_allclose(ours, each)
    for name in ("macro", "micro", "weighted"):
        theirs = metrics.f1_score(y[keep], z[keep], average=name, **{**kept, "zero_division": 0.0})
        assert getattr(result, f"{name}_f1") == pytest.approx(theirs)


@given(**sizes)
def test_losses_agree_with_scikit_learn(seed, n, k, weighted):
    y, z, p, w = table(seed, n, k)
    w[0] = 1
    sample_weight = w if weighted else None
    result = tallied(range(k), y, z, p, weights=sample_weight)
    log_loss = metrics.log_loss(y, p, labels=range(k), sample_weight=sample_weight)
    assert result.log_loss == pytest.approx(log_loss, rel=1e-12)
    brier = metrics.brier_score_loss(y, p, labels=range(k), sample_weight=sample_weight)
    assert result.brier == pytest.approx(brier, rel=1e-12)


@given(sizes["seed"], st.integers(2, 60), st.booleans(), st.booleans(), st.booleans())
def test_ranking_agrees_with_scikit_learn(seed, n, weighted, ties, by_score):
    y, z, p, w = table(seed, n, 2, ties=ties)
    y[:2], w[:2] = (0, 1), 1
    sample_weight = w if weighted else None
    scores = p[:, 1] * 5 - 3 if by_score else None
    result = tallied(["a", "b"], y, z, p, scores, sample_weight)
    ranked = p[:, 1] if scores is None else scores
    assert result.roc_auc == pytest.approx(metrics.roc_auc_score(y, ranked, sample_weight=sample_weight))
    theirs = metrics.average_precision_score(y, ranked, sample_weight=sample_weight)
    assert result.average_precision == pytest.approx(theirs)
    assert result.roc_auc_error == 0


@given(**sizes, cuts=st.lists(st.integers(0, 60)))
def test_every_cut_into_blocks_gives_the_same_bits(seed, n, k, weighted, cuts):
    y, z, p, w = table(seed, n, k, unknown=True)
    w = w if weighted else np.ones(n, int)
    cut = ClassificationTally(range(k))
    for index in np.split(np.arange(n), sorted(cuts)):
        cut.add(y[index], z[index], p[index], weights=w[index] if weighted else None)
    assert repr(cut.result()) == repr(tallied(range(k), y, z, p, weights=w if weighted else None))


@given(sizes["seed"], sizes["n"], sizes["k"])
def test_a_weight_is_as_many_copies_to_the_bit(seed, n, k):
    y, z, p, w = table(seed, n, k, unknown=True)
    copies = np.repeat(np.arange(n), w)
    weighted = tallied(range(k), y, z, p, weights=w)
    assert repr(weighted) == repr(tallied(range(k), y[copies], z[copies], p[copies]))


def test_long_blocks_of_any_layout_give_the_same_bits(rng):
    """The vectorised logarithm must not treat the end of an array, or one in other strides, differently."""
    y, z, p, _ = table(1, 5000, 7)
    whole = tallied(range(7), y, z, np.asfortranarray(p))
    rows = ClassificationTally(range(7))
    for block in np.array_split(rng.permutation(5000), 1237):
        rows.add(y[block], z[block], p[block])
    assert repr(rows.result()) == repr(whole)


def test_scores_too_many_to_keep_give_an_auc_within_its_stated_error(rng):
    y = rng.integers(0, 2, 20_000)
    scores = rng.normal(size=20_000) + y
    tally = ClassificationTally(["a", "b"], distinct_scores=500)
    tally.add(y, (scores > 0.5).astype(int), scores=scores)
    result = tally.result()
    off = abs(result.roc_auc - metrics.roc_auc_score(y, scores))
    assert 0 < off <= result.roc_auc_error < 0.01


def test_unknown_labels_are_wrong_in_everything_but_the_ranking():
    y, z = np.array([0, 1, -1, -1]), np.array([0, 1, 1, 1])
    p = np.array([[0.8, 0.2], [0.4, 0.6], [0.3, 0.7], [0.0, 1.0]])
    result = tallied(["no", "yes"], y, z, p)
    assert (result.rows, result.unknown_labels, result.accuracy) == (4, 2, 0.5)
    np.testing.assert_array_equal(result.confusion, [[1, 0], [0, 1]])
    np.testing.assert_array_equal(result.unknown_confusion, [0, 2])
    assert [c.precision for c in result.classes] == [1, 1 / 3]
    assert [c.recall for c in result.classes] == [1, 1]
    assert result.baseline_accuracy == 0.25
    # Scikit-learn with the unknown labels for a third class, given probability 0.
    third = np.where(y < 0, 2, y)
    widened = np.column_stack([p, np.zeros(4)])
    assert result.log_loss == pytest.approx(metrics.log_loss(third, widened, labels=[0, 1, 2]))
    assert result.brier == pytest.approx(metrics.brier_score_loss(third, widened, labels=[0, 1, 2]) / 2)
    assert result.weighted_f1 == pytest.approx(metrics.f1_score(third, z, average="weighted"))
    assert result.micro_f1 == metrics.f1_score(third, z, average="micro")
    assert result.macro_f1 == pytest.approx(metrics.f1_score(third, z, labels=[0, 1], average="macro"))
    assert result.roc_auc == 1


def test_certainty_is_clipped_as_by_scikit_learn():
    p = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    result = tallied([0, 1], [0, 1, 1], [0, 1, 0], p)
    assert result.log_loss == pytest.approx(metrics.log_loss([0, 1, 1], p))
    assert result.log_loss == pytest.approx(-math.log(np.finfo(float).eps) / 3)
    assert result.brier == pytest.approx(1 / 3)


def test_nothing_added_gives_no_figures():
    tally = ClassificationTally(["a", "b"])
    tally.add([], [], np.empty((0, 2)))
    plain = tally.result().as_dict()
    assert (plain["rows"], plain["confusion"]) == (0, [[0, 0], [0, 0]])
    assert plain["accuracy"] is plain["log_loss"] is plain["roc_auc"] is plain["macro_f1"] is None
    assert plain["accuracy_interval"] == [None, None]


def test_one_class_in_the_truth_leaves_ranking_undefined():
    plain = tallied(["a", "b"], [1, 1, 1], [1, 1, 1], scores=[0.1, 0.2, 0.3]).as_dict()
    assert plain["accuracy"] == plain["macro_f1"] == plain["baseline_accuracy"] == 1
    assert plain["roc_auc"] is plain["average_precision"] is plain["roc_auc_error"] is None
    assert plain["classes"][0] == {"label": "a", "precision": None, "recall": None, "f1": None, "support": 0}


def test_a_model_of_one_class():
    result = tallied(["a"], [0, 0, -1], [0, 0, 0], np.ones((3, 1)))
    assert (result.accuracy, result.unknown_labels) == (2 / 3, 1)


def test_all_wrong():
    result = tallied(["a", "b"], [0, 1] * 10, [1, 0] * 10)
    assert result.accuracy == result.macro_f1 == result.accuracy_interval.low == 0
    assert 0 < result.accuracy_interval.high < 0.2
    assert result.baseline_accuracy == 0.5


def test_the_macro_f1_interval_covers_95_percent(rng):
    """Three classes of unlike size, the true F1 being that of the table of probabilities."""
    cells = np.array([[0.40, 0.06, 0.04], [0.05, 0.2, 0.05], [0.04, 0.04, 0.12]])
    truth = (2 * cells.diagonal() / (cells.sum(axis=0) + cells.sum(axis=1))).mean()
    held = []
    for counts in rng.multinomial(300, cells.ravel(), 1500):
        low, high = tallied(range(3), np.repeat([0, 1, 2], 3), [0, 1, 2] * 3, weights=counts).macro_f1_interval
        held.append(low <= truth <= high)
    assert 0.93 < np.mean(held) < 0.97


def test_the_log_loss_interval_covers_95_percent(rng):
    """Where the probabilities are right, p uniform in (0, 1), the expected loss is the mean entropy, 1/2."""
    held = []
    for _ in range(1000):
        p = rng.random(200)
        y = (rng.random(200) < p).astype(int)
        low, high = tallied([0, 1], y, (p > 0.5).astype(int), np.column_stack([1 - p, p])).log_loss_interval
        held.append(low <= 0.5 <= high)
    assert 0.93 < np.mean(held) < 0.97


def test_results_are_json():
    y, z, p, _ = table(3, 30, 2, unknown=True)
    for classes in (np.array(["a", "b"]), np.array([1.5, 2.5]), np.array([False, True]), np.array([3, 4], np.int32)):
        text = json.dumps(tallied(classes, y, z, p).as_dict(), allow_nan=False)
        assert [c["label"] for c in json.loads(text)["classes"]] == classes.tolist()


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (([0, 2], [0, 1]), "true classes must be class numbers from -1 to 1: row 3 has 2"),
        (([0, math.nan], [0, 1]), "row 3 has nan"),
        (([0, 1], [0, -1]), "predicted classes must be class numbers from 0 to 1: row 3 has -1"),
        (([0], [0, 1]), "1 true classes, but 2 predicted"),
        (([0, 1], [0, 1], [[0.5, 0.5]]), "shape"),
        (([0, 1], [0, 1], [[0.5, 0.5], [0.5, 0.6]]), "row 3 are not between 0 and 1 or do not add up"),
        (([0, 1], [0, 1], [[0.5, 0.5], [0.5, math.nan]]), "probabilities must be finite: see row 3"),
        (([0, 1], [0, 1], None, None, [1, 2e12]), "row 3 has the weight 2000000000000.0: pass weights from 0 to 1.1e"),
        (([0, 1], [0, 1], None, None, [1, math.nan]), "weights must be finite: see row 3"),
        (([0, 1], [0, 1], None, None, [1, -1]), "row 3 has the weight -1"),
        (([0, 1], [0, 1], None, [0.1, 0.2]), "with every block or with none"),
    ],
)
def test_a_wrong_block_is_named_and_leaves_the_tally_as_it_was(block, message):
    tally = ClassificationTally(["a", "b"])
    tally.add([0, 1], [0, 1])
    before = repr(tally.result())
    with pytest.raises(InputError, match=message):
        tally.add(*block)
    assert repr(tally.result()) == before


def test_scores_are_for_two_classes():
    with pytest.raises(InputError, match="there are 3"):
        tallied(range(3), [0], [0], scores=[1.0])
    with pytest.raises(InputError, match="at least one label"):
        ClassificationTally([])
