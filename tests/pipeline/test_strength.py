"""The strength of the penalty as asked for: the weights are scikit-learn's at that strength, and the model keeps it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import ElasticNet, Lasso
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.naive_bayes import MultinomialNB as TheirNB
from sklearn.svm import SVC
from sklearn.svm import LinearSVC as TheirSVC

import linnet
from linnet.cli.summary_lines import penalty_text
from linnet.pipeline.verify import verify


def table(rng, n=300, d=4, k=2):
    X = rng.normal(size=(n, d)) * np.array([1.0, 20.0, 0.1, 3.0])[:d]
    scores = X / X.std(axis=0) @ rng.normal(size=(d, k)) + rng.gumbel(size=(n, k))
    y = np.array(list("abcd"))[scores.argmax(axis=1)]
    return X, (X - X.mean(axis=0)) / X.std(axis=0), y, {f"x{j}": X[:, j] for j in range(d)} | {"y": y}


def standardised(model, X):
    """The weights of the numbers, as of columns in units of their deviation; being missing never happens here."""
    return model.linear.weights[::2].T * X.std(axis=0)


def kept(model, data, tmp_path, said):
    """Saved, loaded, verified and shown."""
    model.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    assert verify(loaded, data).holds
    assert penalty_text(loaded) == said


@pytest.mark.parametrize("solver", ["auto", "newton-cholesky", "newton-cg", "dual", "lbfgs", "gradient"])
@pytest.mark.parametrize("C", [0.01, 5.0])
def test_C_is_that_of_scikit_learn(solver, C, tmp_path, rng):
    X, scaled, y, data = table(rng)
    model = linnet.train(data, "y", C=C, holdout=0.0, solver=solver, tol=1e-10, max_iter=50_000)
    assert model.learner == "logistic-regression"
    theirs = Theirs(C=C, tol=1e-12, max_iter=10_000).fit(scaled, y)
    assert_allclose(standardised(model, X), theirs.coef_, rtol=1e-4, atol=1e-5)
    kept(model, data, tmp_path, f"l2, C = {C:g}")


@pytest.mark.parametrize(("l1_ratio", "said"), [(1.0, "l1, C = 0.1"), (0.7, "elasticnet, l1_ratio = 0.7, C = 0.1")])
def test_l1_and_elastic_nets_are_those_of_scikit_learn(l1_ratio, said, tmp_path, rng):
    X, scaled, y, data = table(rng, d=4)
    given = {"penalty": "l1"} if l1_ratio == 1.0 else {"l1_ratio": l1_ratio}
    model = linnet.train(data, "y", C=0.1, holdout=0.0, tol=1e-10, **given)
    assert (model.learner, model.record.solver) == ("logistic-regression", "coordinate-descent")
    assert model.certificate.gap <= 1e-10
    theirs = Theirs(C=0.1, l1_ratio=l1_ratio, solver="saga", tol=1e-12, max_iter=100_000).fit(scaled, y)
    assert_allclose(standardised(model, X), theirs.coef_, rtol=1e-4, atol=1e-5)
    kept(model, data, tmp_path, said)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.3])
def test_of_numbers_they_are_lasso_and_elastic_net(l1_ratio, tmp_path, rng):
    X, scaled, _, data = table(rng)
    data["y"] = scaled @ np.array([3.0, 0.0, -2.0, 0.1]) + rng.normal(size=len(X)) + 7
    given = {"penalty": "l1"} if l1_ratio == 1.0 else {"l1_ratio": l1_ratio}
    model = linnet.train(data, "y", alpha=0.2, holdout=0.0, tol=1e-10, **given)
    assert (model.learner, model.record.solver) == ("least-squares", "coordinate-descent")
    theirs = Lasso(alpha=0.2, tol=1e-12) if l1_ratio == 1.0 else ElasticNet(alpha=0.2, l1_ratio=l1_ratio, tol=1e-12)
    assert_allclose(standardised(model, X)[0], theirs.fit(scaled, data["y"]).coef_, rtol=1e-4, atol=1e-5)
    kept(model, data, tmp_path, penalty_text(model))
    assert penalty_text(model).endswith("alpha = 0.2")


def test_alpha_alone_is_ridge(tmp_path, rng):
    X, scaled, _, data = table(rng)
    data["y"] = scaled @ np.array([3.0, 0.0, -2.0, 0.1]) + rng.normal(size=len(X)) + 7
    model = linnet.train(data, "y", alpha=40.0, holdout=0.0)
    direct = np.linalg.solve(scaled.T @ scaled + 40.0 * np.eye(4), scaled.T @ (data["y"] - data["y"].mean()))
    assert model.learner == "ridge"
    assert_allclose(standardised(model, X)[0], direct, rtol=1e-8)
    kept(model, data, tmp_path, "l2, alpha = 40")


@pytest.mark.parametrize("learner", ["svm", "svm-squared"])
def test_C_of_a_support_vector_machine(learner, tmp_path, rng):
    X, scaled, y, data = table(rng)
    asked = {"learner": learner, "C": 0.05, "holdout": 0.0, "tol": 1e-10, "max_iter": 20_000}
    if learner == "svm":  # libsvm's intercept is free, liblinear's is penalised
        model = linnet.train(data, "y", **asked)
        theirs = SVC(kernel="linear", C=0.05, tol=1e-9).fit(scaled, y)
    else:
        model = linnet.train(data, "y", penalise_intercept=True, **asked)
        theirs = TheirSVC(C=0.05, tol=1e-12, max_iter=1_000_000).fit(scaled, y)
    assert_allclose(standardised(model, X), theirs.coef_, rtol=1e-4, atol=1e-5)
    kept(model, data, tmp_path, penalty_text(model))
    assert "l2, C = 0.05" in penalty_text(model)


@pytest.mark.parametrize("learner", ["logistic-regression", "svm", "svm-squared"])
@pytest.mark.parametrize("multiclass", ["joint", "reference", "one-vs-rest", "pairwise"])
@pytest.mark.parametrize("text", [False, True])
def test_every_way_to_take_classes_is_kept_and_verified(learner, multiclass, text, tmp_path, rng):
    _, _, y, data = table(rng, k=3)
    if text:
        data["words"] = [" ".join(rng.choice(["good", "bad", label, "film", "plot"], 4)) for label in y]
    if multiclass in ("joint", "reference") and learner in ("svm", "svm-squared"):
        with pytest.raises(linnet.RecipeError, match=f"multiclass='{multiclass}' is not for {learner}"):
            linnet.train(data, "y", learner=learner, multiclass=multiclass)
        return
    model = linnet.train(data, "y", learner=learner, multiclass=multiclass, C=0.5)
    assert model.linear.reduction == multiclass
    assert model.linear.weights.shape[1] == 3
    assert model.has_probabilities == (learner.startswith("logistic") and multiclass != "pairwise")
    assert np.mean(np.array(model.predict(data)) == y) > 0.6
    kept(model, data, tmp_path, f"l2, C = 0.5; classes {multiclass}")


def test_a_reference_class_is_that_of_the_estimator(rng):
    _, scaled, y, data = table(rng, k=3)
    model = linnet.train(data, "y", multiclass="reference", C=1.0, holdout=0.0, tol=1e-11)
    alike = linnet.LogisticRegression(multiclass="reference", tol=1e-11, max_iter=5000).fit(scaled, y)
    assert_allclose(model.predict_proba(data), alike.predict_proba(scaled), atol=1e-6)
    assert (model.linear.weights[:, -1] == 0).all()
    assert model.linear.intercepts[-1] == 0


def test_a_forged_strength_is_refused(rng):
    _, _, _, data = table(rng)
    model = linnet.train(data, "y", learner="logistic-regression", C=0.5)
    for wrong in ({"l2": 3.0}, {"l1": 0.1}, {"total": False}):
        recipe = replace(model.record.recipe, penalty=replace(model.record.recipe.penalty, **wrong))
        assert not verify(replace(model, record=replace(model.record, recipe=recipe)), data).holds


def test_without_a_penalty_classes_that_lie_apart_are_told_by_column(rng):
    X, _, _, data = table(rng)
    data["y"] = np.where(X[:, 2] > 0.02, "up", "down")
    model = linnet.train(data, "y", penalty="none")
    assert "completely separated by x2" in model.record.separation
    data["y"] = np.where(X[:, 2] + rng.normal(size=len(X)) / 5 > 0.02, "up", "down")
    assert not linnet.train(data, "y", penalty="none").record.separation
    assert not linnet.train(data, "y").record.separation


def test_alpha_of_online_learners_and_counts(rng):
    _, _, _, data = table(rng)
    weights = [
        np.abs(linnet.train(data, "y", learner="adaptive", penalty="l1", alpha=alpha).linear.weights).sum()
        for alpha in (1e-4, 1e-1)
    ]
    assert weights[1] < weights[0]
    counts = rng.poisson(1.0, size=(200, 3)).astype(float)
    labels = rng.choice(["a", "b"], size=200)
    model = linnet.train({"x": counts[:, 0], "z": counts[:, 1], "u": counts[:, 2], "y": labels}, "y",
                         learner="naive-bayes", alpha=30.0, holdout=0.0)  # fmt: skip
    rows = np.column_stack([counts, np.zeros((200, 3))])  # nothing is ever missing, but might be
    theirs = TheirNB(alpha=30.0).fit(rows, labels)
    assert_allclose(
        model.predict_proba({"x": counts[:, 0], "z": counts[:, 1], "u": counts[:, 2]}),
        theirs.predict_proba(rows), rtol=1e-9,
    )  # fmt: skip


def test_with_auto_what_no_learner_of_the_task_takes_is_refused(rng):
    X, _, _, data = table(rng)
    with pytest.raises(linnet.RecipeError, match="alpha is not for logistic-regression, which takes C"):
        linnet.train(data, "y", alpha=0.1)
    data["y"] = X[:, 0]
    with pytest.raises(linnet.RecipeError, match="C is not for"):
        linnet.train(data, "y", C=0.1)
    with pytest.raises(linnet.RecipeError, match="multiclass"):
        linnet.train(data, "y", multiclass="joint")


def test_pairs_that_vote_have_no_probabilities_to_decide_by_until_they_are_calibrated(rng):
    _, _, _, data = table(rng, k=3)
    how = {"learner": "logistic-regression", "multiclass": "pairwise"}
    with pytest.raises(linnet.RecipeError, match=r"that vote have no probabilities: .*--calibrate sigmoid"):
        linnet.train(data, "y", least=0.6, **how)
    with pytest.raises(linnet.RecipeError, match="classes that vote"):
        linnet.train(data, "y", **how).predict(data, reject=0.3)
    assert None in linnet.train(data, "y", least=0.6, calibrate="sigmoid", **how).predict(data)


@pytest.mark.parametrize("decision", [{"least": 0.6}, {"reject": 0.3}, {"costs": {("a", "b"): 3.0}}])
@pytest.mark.parametrize("rows", [30, 600])
def test_a_learner_that_the_data_choose_is_refused_such_decisions_too(rng, decision, rows):
    """With few rows a model was written that could not be read."""
    data = {"x": rng.normal(size=rows), "y": ["abc"[i % 3] for i in range(rows)]}
    with pytest.raises(linnet.RecipeError, match=r"that vote have no probabilities: .*--calibrate sigmoid"):
        linnet.train(data, "y", multiclass="pairwise", **decision)
