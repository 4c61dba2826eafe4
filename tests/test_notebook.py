"""What notebooks show: small, escaped, without colours of its own; and results as data frames."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

import linnet
from linnet import theory
from linnet.comparison.results import ContenderResults, DataResults, Measured, Results
from linnet.data.task import Task
from linnet.evaluation.intervals import Interval
from linnet.evaluation.paired_comparison import PairedComparison, Posterior
from linnet.notebook import card, table
from linnet.theory.mistake_bounds import Mistakes
from linnet.training.duality_gap import Certificate

EVIL = '<script>alert("1")</script>'
TAGS = {"div", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre", "p"}


class Parsed(HTMLParser):
    """The tags, attributes and text of some HTML; every tag must be closed."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.text, self._open = set(), [], "", []
        self.feed(content)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text += data


def shown(what) -> str:
    """The text of what a notebook shows, which must be small and safe, and take the colours of its page."""
    content = what._repr_html_()
    assert len(content) < 30_000
    parsed = Parsed(content)
    assert parsed.tags <= TAGS
    assert {name for name, _ in parsed.attributes} <= {"style"}
    assert not any("#" in value or "rgb" in value for _, value in parsed.attributes)
    return parsed.text


@pytest.fixture(scope="module")
def evil_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    label = np.where(X[:, 0] + rng.normal(size=400) > 0, EVIL, "b & c")
    return pd.DataFrame({EVIL: X[:, 0], "x": X[:, 1], f"target {EVIL}": label})


@pytest.fixture(scope="module")
def evil_model(evil_data):
    return linnet.train(evil_data, target=f"target {EVIL}", tune=True, verbose=False)


def test_a_model_shows_what_it_is_and_how_good(evil_model):
    text = shown(evil_model)
    held = evil_model.record.held_out
    assert f"accuracy {held.accuracy:.3f}" in text
    assert EVIL in text
    assert "duality gap" in text
    assert f"{evil_model.record.strength.name} = " in text


def test_models_of_numbers_of_streams_and_of_many_labels_are_shown_too():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    assert "R² " in shown(linnet.train(X.assign(y=X.a + 0.1), target="y", verbose=False))
    many = X.assign(y=[f"label {k % 30}" for k in range(300)])
    assert "of the first 4 of 30 labels" in shown(linnet.train(many, target="y", verbose=False))
    two = X.assign(y=np.where(X.a > 0, "p", "n"))
    assert "validation accuracy" in shown(linnet.train(two, target="y", learner="perceptron", verbose=False))


def test_an_evaluation_shows_its_metrics_and_labels(evil_model, evil_data):
    result = evil_model.evaluate(evil_data)
    text = shown(result)
    assert "roc_auc" in text
    assert EVIL in text
    frame = result.frame().set_index("metric")
    assert frame.loc["accuracy"].tolist() == [result.accuracy, *result.accuracy_interval]
    assert frame.loc["average_precision", "value"] == result.average_precision


def test_the_frame_of_labels_has_the_figures_of_scikit_learn(evil_model, evil_data):
    truth, predicted = evil_data[f"target {EVIL}"], evil_model.predict(evil_data)
    frame = evil_model.evaluate(evil_data).per_class().set_index("label")
    for name, score in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
        expected = score(truth, predicted, average=None, labels=frame.index.tolist())
        np.testing.assert_allclose(frame[name], expected)
    assert frame.support.to_dict() == truth.value_counts().to_dict()


def test_results_of_numbers_are_a_frame():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "y"])
    result = linnet.train(data, target="y", verbose=False).evaluate(data)
    assert "rmse" in shown(result)
    frame = result.frame().set_index("metric")
    assert frame.loc["rmse"].tolist() == [result.rmse, *result.rmse_interval]
    assert "residuals" not in frame.index


def test_a_path_is_a_frame(evil_model):
    found = evil_model.record.strength
    assert "chosen" in shown(found)
    frame = found.frame()
    assert frame[found.name].tolist() == list(found.tried)
    assert frame.score.tolist() == list(found.scores)
    assert frame[EVIL].tolist() == next(list(each.weights) for each in found.paths if each.feature == EVIL)


def test_certificates_and_proofs_are_shown():
    text = shown(Certificate(2.0, 1.0))
    assert all(part in text for part in ("2", "the optimum is at least", "0.5"))
    assert "because" in shown(Certificate(2.0, 1.0, "because"))
    facts = {"radius": 3.0, "margin": 1.5, "losses": 0.0, "factor": 1.0}
    assert "(R/γ)², R = 3" in shown(Mistakes(3, 4.0, facts))
    assert EVIL in shown(Mistakes(3, reason=EVIL))
    X, y = [[0.0], [1.0], [2.0], [3.0]], [EVIL, EVIL, "b", "b"]
    assert EVIL in shown(theory.separability(X, y))
    assert EVIL in shown(theory.separability(X, [EVIL, "b", EVIL, "b"]))
    assert EVIL in shown(theory.separability(X, [EVIL, "b", "c", "b"]))
    assert "support vectors" in shown(theory.max_margin(X, y))


def test_summaries_are_shown(evil_data):
    model = linnet.train(evil_data, target=f"target {EVIL}", summary=True, verbose=False)
    text = shown(model.summary)
    assert EVIL in text
    assert f"AIC {model.summary.aic:.6g}" in text


@pytest.fixture
def comparison():
    contenders = tuple(
        ContenderResults(name, False, True, {}, (Measured("accuracy", scores, np.mean(scores), Interval(0.5, 0.9)),))
        for name, scores in ((EVIL, (0.6, 0.7, 0.8, 0.9)), ("svm", (0.5, 0.6, 0.7, 0.8)))
    )
    failed = ContenderResults("winnow", False, False, {}, (), failed=f"no {EVIL}")
    posterior = Posterior(0.9, 0.08, 0.02, 0.01)
    pair = PairedComparison(EVIL, "svm", 0.1, Interval(0.05, 0.15), 0.01, 0.02, 1.5, posterior, 4, 0, 0)
    data = DataResults(
        EVIL, "y", Task.CLASSIFICATION, 40, 2, ("a", "b"), "accuracy", "stratified", 2, 2, (*contenders, failed),
        (pair,), (), None, (f"{EVIL} beats svm",),
    )  # fmt: skip
    return Results((data,), 0, 0.95)


def test_a_comparison_is_shown_and_framed(comparison):
    text = shown(comparison)
    assert f"{EVIL} beats svm" in text
    assert f"no {EVIL}" in text
    frame = comparison.frame()
    assert frame.learner.tolist() == [EVIL, "svm"]
    assert frame["mean"].tolist() == pytest.approx([0.75, 0.65])
    assert frame[["low", "high"]].to_numpy().tolist() == [[0.5, 0.9]] * 2
    folds = comparison.folds_frame()
    assert folds[folds.learner == EVIL].pivot(index="repeat", columns="fold", values="score").to_numpy().tolist() == [
        [0.6, 0.7],
        [0.8, 0.9],
    ]
    pairs = comparison.pairs_frame()
    assert pairs[["better", "equivalent", "worse"]].to_numpy().tolist() == [[0.9, 0.08, 0.02]]
    assert shown(comparison.data[0])


def test_estimators_keep_the_picture_of_scikit_learn():
    assert "sk-" in linnet.LogisticRegression()._repr_html_()


def test_long_tables_and_long_names_are_cut():
    content = Parsed(table({"name": ["x" * 500] * 500, "value": [1.5] * 500})).text
    assert "and 480 more" in content
    assert len(content) < 3000
    assert Parsed(card("a\nb", [("c", "d\x00")])).text == r"a\nbcd\x00"
