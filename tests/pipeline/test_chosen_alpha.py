"""Numbers to predict: the default is ridge regression, with an alpha that the data choose."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize

import linnet
from linnet.cli.main import assembled
from linnet.cli.summary_lines import penalty_text
from linnet.evaluation.splits import held_out
from linnet.pipeline.trainers import batch_fit
from linnet.pipeline.verify import verify
from linnet.training.solvers import least_squares

ALPHAS = np.logspace(-3, 4, 15)


def wide_table(rows, seed=0, columns=150):
    """Few of the columns matter, and there is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    weights = np.random.default_rng(99).normal(size=columns) * (np.arange(columns) % 5 == 0)
    return X, X @ weights + 3 * rng.normal(size=rows)


def columns_of(X, y=None):
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    return columns if y is None else columns | {"y": y}


def texts(rows, seed):
    """Texts of frequent and rare words, some of which add to a number."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{k}" for k in range(2000)])
    worth = np.random.default_rng(99).normal(size=len(words))
    chances = 1.0 / np.arange(1, len(words) + 1)
    drawn = [rng.choice(len(words), 60, p=chances / chances.sum()) for _ in range(rows)]
    y = np.array([worth[np.unique(row)].sum() for row in drawn]) + 3 * rng.normal(size=rows)
    return [" ".join(words[row]) for row in drawn], y


def test_with_as_many_columns_as_rows_it_predicts_as_well_as_ridge_cv():
    X, y = wide_table(160)
    model = linnet.train(columns_of(X, y), "y")
    other_X, other_y = wide_table(2000, seed=1)
    theirs = make_pipeline(StandardScaler(), RidgeCV(ALPHAS)).fit(X, y)
    best = r2_score(other_y, theirs.predict(other_X))
    assert model.learner == "ridge"
    assert best > 0.3
    assert r2_score(other_y, model.predict(columns_of(other_X))) > best - 0.02
    assert model.certificate.gap < 1e-9


@pytest.mark.parametrize("rows", [300, 1200], ids=["leave-one-out", "folds"])
def test_texts_with_a_number_are_predicted_as_well_as_by_ridge_cv(rows):
    train, y = texts(rows, 0)
    test, other_y = texts(1000, 1)
    model = linnet.train({"text": train, "y": y}, "y", columns={"text": "text"})
    theirs = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True), RidgeCV(ALPHAS))
    best = r2_score(other_y, theirs.fit(train, y).predict(test))
    assert model.learner == "ridge"
    assert model.record.strength.way == "leave-one-out" or rows > 1000
    assert r2_score(other_y, model.predict({"text": test})) > best - 0.02
    assert model.certificate.gap < 1e-6


def test_ridge_of_texts_is_that_of_tf_idf_columns_and_is_verified():
    train, y = texts(150, 0)
    data = {"text": train, "y": y, "weight": np.tile([1.0, 2.0, 3.0], 50)}
    roles = {"text": "text", "weight": "weight"}
    model = linnet.train(data, "y", columns=roles, ngrams=1, alpha=0.5, holdout=0.0, tol=1e-12)
    copies = np.repeat(np.arange(150), data["weight"].astype(int))
    counts = CountVectorizer(token_pattern=r"\w+", min_df=2).fit([train[i] for i in copies])
    log_counts = counts.transform(train).astype(float)
    log_counts.data = 1 + np.log(log_counts.data)
    unit = normalize(log_counts)
    idf = TfidfTransformer(norm=None).fit(unit[copies]).idf_
    X = unit.toarray() * idf
    X /= np.sqrt((X[copies] ** 2).sum() / len(copies))
    theirs = Ridge(alpha=0.5, solver="cholesky").fit(X[copies], y[copies])
    np.testing.assert_allclose(model.predict(data), theirs.predict(X), rtol=1e-5, atol=1e-5)
    assert verify(model, data).holds
    assert not verify(model, data | {"y": y[::-1]}).holds


def test_features_too_many_for_a_closed_form_are_solved_all_the_same(monkeypatch):
    monkeypatch.setattr(least_squares, "COLUMNS_AT_MOST", 50)
    monkeypatch.setattr(least_squares, "DECOMPOSED_AT_MOST", 50)
    model = linnet.train(columns_of(*wide_table(100)), "y")
    assert (model.learner, model.record.solver) == ("ridge", "cg")
    assert model.certificate.gap < 1e-6


def test_alpha_is_recorded_printed_kept_and_verified(tmp_path, capsys):
    data = columns_of(*wide_table(120, columns=20))
    model = linnet.train(data, "y")
    alpha = model.record.recipe.penalty.l2
    said = f"l2, alpha = {alpha:g}, chosen by leave-one-out on 120 rows"
    assert penalty_text(model) == said
    model.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    assert loaded.record.strength.way == "leave-one-out"
    assert verify(loaded, data).holds
    assembled()(["inspect", str(tmp_path / "m.linnet")], standalone_mode=False)
    assert said in capsys.readouterr().out
    # with the same alpha given, the same weights; nothing is said to have been chosen
    given = linnet.train(data, "y", alpha=alpha)
    assert np.array_equal(given.linear.weights, model.linear.weights)
    assert penalty_text(given) == f"l2, alpha = {alpha:g}"


@pytest.mark.parametrize("anew", [True, False])
def test_held_out_rows_have_no_part_in_the_alpha_that_is_measured_and_only_of_few_rows_in_that_which_is_saved(
    anew, monkeypatch
):
    monkeypatch.setattr(batch_fit, "CHOSEN_ANEW", 400 if anew else 399)
    X, y = wide_table(400, columns=60)
    held = held_out(0, 400, 0.1, 3)
    y[held] += 30 * np.random.default_rng(1).normal(size=held.sum())  # noise, which asks for another alpha
    model = linnet.train(columns_of(X, y), "y", seed=3)
    rest = linnet.train(columns_of(X[~held], y[~held]), "y", holdout=0.0)
    everything = linnet.train(columns_of(X, y), "y", holdout=0.0)
    assert rest.record.recipe.penalty != everything.record.recipe.penalty
    assert model.record.recipe.penalty == (everything if anew else rest).record.recipe.penalty
    assert model.record.held_out.r2 == pytest.approx(r2_score(y[held], rest.predict(columns_of(X[held]))), rel=1e-9)


@pytest.mark.parametrize("options", [{"learner": "ridge"}, {"penalty": "l2"}, {"penalise_intercept": True}], ids=str)
def test_alpha_is_chosen_wherever_ridge_is_asked_for_without_one(options):
    model = linnet.train(columns_of(*wide_table(120, columns=20)), "y", **options)
    assert model.learner == "ridge"
    assert model.record.strength.way == "leave-one-out"


def test_without_a_penalty_least_squares_are_as_before():
    model = linnet.train(columns_of(*wide_table(120, columns=20)), "y", penalty="none")
    assert model.learner == "least-squares"
    assert penalty_text(model) == "none"


@pytest.mark.parametrize("threads", [1, 2])
def test_alpha_of_texts_does_not_depend_on_threads(threads, tmp_path):
    train, y = texts(1200, 0)
    linnet.train({"text": train, "y": y}, "y", columns={"text": "text"}, threads=threads).save(tmp_path / "m")
    linnet.train({"text": train, "y": y}, "y", columns={"text": "text"}).save(tmp_path / "n")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
