"""Many labels a row: each as it is fitted alone, beside scikit-learn's one-vs-rest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.multiclass import OneVsRestClassifier

import linnet


def drawn(rng, n=200, d=6, labels=4):
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, labels)) + rng.normal(size=(n, labels)) > 0.3).astype(int)


@pytest.mark.parametrize(
    "estimator",
    [
        None,
        linnet.LogisticRegression(C=0.1, class_weight="balanced"),
        linnet.LinearSVC(loss="hinge"),
        linnet.Perceptron(averaging="average", max_iter=5, tol=None),
        linnet.OnlineClassifier("adaptive", max_iter=3, tol=None),
        linnet.SharedGaussianNB(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_it_is_scikit_learns_one_vs_rest_of_the_same_classifier(estimator, form, rng):
    X, Y = drawn(rng)
    ours = linnet.MultiLabelClassifier(estimator).fit(form(X), Y)
    peer = OneVsRestClassifier(linnet.LogisticRegression() if estimator is None else estimator).fit(form(X), Y)
    assert_array_equal(ours.predict(form(X)), peer.predict(form(X)))
    assert_allclose(ours.coef_, np.vstack([each.coef_ for each in peer.estimators_]), atol=1e-12)
    assert ours.score(X, Y) == accuracy_score(Y, peer.predict(X))
    if hasattr(ours, "predict_proba") and estimator is None:
        assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-9)


def test_lists_of_labels_and_matrices_give_the_same_weights_for_any_threads(rng):
    X, Y = drawn(rng)
    names = np.array(["ant", "bee", "cat", "dog"])
    lists = [names[row > 0].tolist() for row in Y]
    by_matrix = linnet.MultiLabelClassifier().fit(X, csr_array(Y))
    by_list = linnet.MultiLabelClassifier(n_jobs=3).fit(X, lists)
    assert_array_equal(by_matrix.coef_, by_list.coef_)
    assert by_list.classes_.tolist() == names.tolist()
    assert by_list.predict(X) == [tuple(names[row > 0].tolist()) for row in by_matrix.predict(X)]
    assert by_list.score(X, lists) == by_matrix.score(X, Y)
    assert by_list.score(X[:2], [["unknown"], ["unknown"]]) == 0.0


def test_the_certificate_is_the_sum_over_the_labels(rng):
    X, Y = drawn(rng)
    model = linnet.MultiLabelClassifier().fit(X, Y)
    alone = [linnet.LogisticRegression().fit(X, y).certificate_ for y in Y.T]
    assert_allclose(model.certificate_.primal, sum(each.primal for each in alone), rtol=1e-9)
    assert model.certificate_.gap <= 1e-4


def test_a_label_of_all_rows_or_of_none_is_constant(rng):
    X, Y = drawn(rng)
    Y[:, 0], Y[:, 1] = 0, 1
    predicted = linnet.MultiLabelClassifier().fit(X, Y).predict(100.0 * X)
    assert not predicted[:, 0].any()
    assert predicted[:, 1].all()


def test_rows_of_weight_0_do_not_count(rng):
    X, Y = drawn(rng)
    weights = rng.integers(0, 2, size=len(X)).astype(float)
    some = weights > 0
    weighted, alone = (linnet.MultiLabelClassifier(linnet.LogisticRegression(tol=1e-10)) for _ in range(2))
    assert_allclose(weighted.fit(X, Y, weights).coef_, alone.fit(X[some], Y[some]).coef_, atol=1e-6)


def test_what_is_wrong_is_said(rng):
    X, Y = drawn(rng)
    with pytest.raises(linnet.InputError, match="indicator matrix of 0 and 1"):
        linnet.MultiLabelClassifier().fit(X, Y + 1)
    with pytest.raises(linnet.InputError, match="no row has a label"):
        linnet.MultiLabelClassifier().fit(X, [[] for _ in X])
    with pytest.raises(linnet.RecipeError, match="one of linnet's linear classifiers"):
        linnet.MultiLabelClassifier(linnet.Ridge()).fit(X, Y)
    with pytest.raises(linnet.RecipeError, match="averaging='average'"):
        linnet.MultiLabelClassifier(linnet.Perceptron(averaging="vote")).fit(X, Y)
    with pytest.warns(ConvergenceWarning, match="stopped unconverged"):
        linnet.MultiLabelClassifier(linnet.LogisticRegression(solver="lbfgs", max_iter=1, tol=1e-12)).fit(X, Y)


def test_a_file_with_several_labels_a_row_is_fitted_the_same(rng, tmp_path):
    """scikit-learn reads such a file, and so does linnet; its labels are as if they had been given."""
    from sklearn.datasets import load_svmlight_file

    X, y = drawn(rng)
    X /= np.abs(X).max()  # the pipeline scales columns with entries above 1
    named = [tuple(float(label) for label in np.flatnonzero(row)) for row in y]
    path = tmp_path / "rows.svm"
    lines = []
    for labels, row in zip(named, X, strict=True):
        entries = " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row.tolist()))
        lines.append(f"{','.join(f'{label:g}' for label in labels)} {entries}\n")
    path.write_text("".join(lines))
    read, labels = load_svmlight_file(str(path), multilabel=True)
    assert labels == named
    found = linnet.MultiLabelClassifier().fit(read, labels)
    assert_allclose(found.coef_, linnet.MultiLabelClassifier().fit(X, named).coef_, atol=1e-4)
    of_file = linnet.train(str(path), learner="logistic-regression", C=1.0, tol=1e-9)
    assert_allclose(of_file.linear.weights[1:].T, found.coef_, atol=0.02)
    assert of_file.predict(str(path)).tolist() == found.predict(read)
