"""The command, linnet.train and the estimator are three doors to one house: the same learner, the same solver, the same
bits.  Every row of the catalogue goes through all three; so does a row that a test adds."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file
from sklearn.exceptions import ConvergenceWarning

import linnet
from linnet import catalogue
from linnet.data.features.text_options import CountWeighting
from linnet.data.task import Task
from linnet.learners.entry import AUTO, Entry, TextWeighting, Way
from linnet.learners.losses import Loss
from linnet.learners.recipe import Factors, Recipe, Reduction, Update
from linnet.learners.values import Range

ONE_PASS = {"max_iter": 1, "tol": None, "shuffle": False}
ESTIMATORS = {
    "logistic-regression": linnet.LogisticRegression(),
    "svm": linnet.LinearSVC(loss="hinge"),
    "svm-squared": linnet.LinearSVC(loss="squared_hinge"),
    "crammer-singer": linnet.LinearSVC(loss="hinge", multiclass="joint"),
    "batch-perceptron": linnet.Perceptron(mode="batch"),
    "least-squares": linnet.LinearRegression(),
    "ridge": linnet.Ridge(),
    "lasso": linnet.Lasso(),
    "elastic-net": linnet.ElasticNet(),
    "poisson": linnet.PoissonRegressor(alpha=1e-4),
    "gamma": linnet.GammaRegressor(alpha=1e-4),
    "huber": linnet.HuberRegressor(),
    "svr": linnet.LinearSVR(),
    "svr-squared": linnet.LinearSVR(loss="squared_epsilon_insensitive"),
    "quantile": linnet.QuantileRegressor(alpha=1e-4),
    "tweedie": linnet.TweedieRegressor(power=1.5, alpha=1e-4),
    "naive-bayes": linnet.MultinomialNB(),
    "naive-bayes-complement": linnet.ComplementNB(),
    "naive-bayes-bernoulli": linnet.BernoulliNB(),
    "naive-bayes-gaussian": linnet.SharedGaussianNB(),
    "discriminant-analysis": linnet.LinearDiscriminantAnalysis(),
    "perceptron": linnet.Perceptron(**ONE_PASS),
    "averaged-perceptron": linnet.Perceptron(averaging="average", **ONE_PASS),
    "voted-perceptron": linnet.Perceptron(averaging="vote", **ONE_PASS),
    "passive-aggressive-1": linnet.PassiveAggressive(loss="hinge", **ONE_PASS),
    "passive-aggressive-2": linnet.PassiveAggressive(loss="squared_hinge", **ONE_PASS),
    "winnow": linnet.Winnow(variant="balanced", **ONE_PASS),
    "winnow1": linnet.Winnow(variant="winnow1", **ONE_PASS),
    "winnow2": linnet.Winnow(variant="winnow2", **ONE_PASS),
}
# the SVM of very many classes has no estimator
CASES = [(entry, task) for entry in catalogue.entries() if not entry.sparse_classes for task in entry.tasks]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def estimator(entry, task):
    if entry.name in ESTIMATORS:
        return ESTIMATORS[entry.name]
    online = linnet.OnlineClassifier if task is Task.CLASSIFICATION else linnet.OnlineRegressor
    multiclass = {} if task is Task.REGRESSION else {"multiclass": str(entry.recipe.reduction)}
    return online(entry.name, **multiclass, **ONE_PASS)


def fitted_to(X, y, entry, task):
    """The estimator; a stream meets its labels one after the other, so there it takes one row at a time."""
    model = clone(estimator(entry, task))
    if entry.way is not Way.ONLINE or task is Task.REGRESSION:
        return model.fit(X, y)
    for i in range(len(y)):
        model.partial_fit(X[[i]], y[[i]])
    return model


def rows(entry, task, classes):
    """Values of 0 to 1 in every column, so that no door scales them; 0 or 1 for learners that take no other."""
    rng = np.random.default_rng(7)
    X = rng.integers(0, 5, size=(80, 6)) / 4 * (rng.random((80, 6)) < 0.6)
    X[0] = 1.0
    if entry.values is not None and entry.values.range is Range.ZERO_OR_ONE:
        X = (X > 0).astype(float)
    scores = X @ rng.normal(size=(6, classes)) + 0.3 * rng.normal(size=(80, classes))
    y = scores[:, 0] if task is Task.REGRESSION else scores.argmax(axis=1).astype(float)
    if task is Task.REGRESSION and entry.recipe.loss.targets is not None:
        y = 0.001 + np.exp(y)
    return csr_array(X), np.round(y, 3)


def fixed(entry, *, shell=False):
    """The estimator's strength of the penalty, where the pipeline chooses it from the rows."""
    name = "alpha" if entry.chooses_alpha else "C" if entry.name == "logistic-regression" else None
    if name is None:
        return [] if shell else {}
    return [f"--{name}", "1"] if shell else {name: 1.0}


COMMANDS = """
import json, sys
from linnet.cli import main as program
for arguments in json.loads(sys.stdin.read()):
    sys.argv = ["linnet", *arguments]
    try:
        program.main()
    except SystemExit as end:
        assert not end.code, (arguments, end.code)
"""


@pytest.fixture(scope="module")
def commanded(tmp_path_factory):
    """The model of the command for every row, task and number of classes, all from one process."""
    folder = tmp_path_factory.mktemp("doors")
    lines, paths = [], {}
    for number, (entry, task) in enumerate(CASES):
        for classes in (2, 3):
            data, model = str(folder / f"{number}-{classes}.svm"), str(folder / f"{number}-{classes}.linnet")
            dump_svmlight_file(*rows(entry, task, classes), data)
            learner = ["--learner", entry.name, "--task", str(task)]
            # a file does not say how many columns it has, which is where Winnow's threshold comes from
            threshold = ["--winnow-threshold", "3"] if entry.accepts("winnow_threshold") else []
            lines.append(["train", data, *learner, "--holdout", "0", *threshold, *fixed(entry, shell=True)])
            lines[-1] += ["--quiet", "-o", model]
            paths[entry.name, task, classes] = model
    subprocess.run(
        [sys.executable, "-c", COMMANDS], input=json.dumps(lines), text=True, check=True, capture_output=True
    )
    return {case: linnet.load(path) for case, path in paths.items()}


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("entry", "task"), CASES, ids=lambda each: getattr(each, "name", str(each)))
def test_three_doors_lead_to_the_same_solver_and_the_same_bits(entry, task, classes, commanded):
    X, y = rows(entry, task, classes)
    strength = fixed(entry)
    trained = linnet.train((X, y), learner=entry.name, task=str(task), holdout=0.0, **strength)
    fitted = fitted_to(X, y, entry, task)
    for model in (trained, commanded[entry.name, task, classes]):
        assert_array_equal(model.linear.weights, fitted.model_.weights)
        assert_array_equal(model.linear.intercepts, fitted.model_.intercepts)
        assert model.linear.reduction == fitted.model_.reduction or classes == 2 or task is Task.REGRESSION
        if len(entry.solvers) > 1:
            assert (model.record.solver, model.record.solver_reason) == (fitted.solver_, fitted.solver_reason_)


@pytest.mark.parametrize("solver", [solver.name for solver in catalogue.find("logistic-regression").solvers])
@pytest.mark.parametrize("tol", [None, 1e-7])
def test_a_solver_and_a_tolerance_asked_for_are_the_same_through_linnet_train_and_the_estimator(solver, tol):
    X, y = rows(catalogue.find("logistic-regression"), Task.CLASSIFICATION, 2)
    trained = linnet.train((X, y), learner="logistic-regression", C=1.0, holdout=0.0, solver=solver, tol=tol)
    fitted = linnet.LogisticRegression(solver=solver, **({} if tol is None else {"tol": tol})).fit(X, y)
    assert_array_equal(trained.linear.weights, fitted.model_.weights)
    assert trained.record.solver == fitted.solver_ == solver


def test_the_estimators_stop_where_their_rows_do():
    for name, model in ESTIMATORS.items():
        entry = catalogue.find(name)
        if entry.way is Way.BATCH:
            assert model.tol == entry.tol
            assert model.max_iter in (None, entry.max_iter)
        elif entry.way is Way.ONLINE:
            default = type(model)()
            assert (default.tol, default.max_iter) == (entry.tol, entry.max_iter)


@pytest.mark.parametrize("solver", [AUTO, "newton"])
def test_no_default_on_a_narrow_table_ends_without_a_proof(solver):
    rng = np.random.default_rng(3)
    table = {f"x{j}": rng.normal(size=300) * 10.0**j for j in range(5)}
    table["y"] = np.where(table["x0"] + rng.normal(size=300) > 0, "a", "b")
    model = linnet.train(table, "y", learner="svm" if solver == "newton" else AUTO, solver=solver)
    assert model.certificate.gap <= 1e-4
    assert model.record.converged


FOURTH = Entry(
    "winnow-gentle",
    Recipe(Loss.PERCEPTRON, Update.MULTIPLICATIVE, reduction=Reduction.ONE_VS_REST, factors=Factors(1.1, 1 / 1.1)),
    Way.ONLINE,
    (Task.CLASSIFICATION,),
    "Winnow2 with short steps.",
    "as winnow2, with α = 1.1",
    "Littlestone 1988, Learning quickly when irrelevant attributes abound",
    multiclass=(Reduction.ONE_VS_REST, Reduction.PAIRWISE),
    tol=0.0,
    max_iter=1000,
    text=TextWeighting.BINARY,
)


def test_a_row_that_is_added_is_trained_by_every_door_with_its_own_text_weighting(monkeypatch, tmp_path):
    monkeypatch.setitem(catalogue.ROWS, FOURTH.name, FOURTH)
    X, y = rows(FOURTH, Task.CLASSIFICATION, 2)
    fitted = fitted_to(X, y, FOURTH, Task.CLASSIFICATION)
    assert_array_equal(linnet.train((X, y), learner=FOURTH.name).linear.weights, fitted.model_.weights)
    texts = ["good good film", "bad film film", "good fun", "bad bad bad"] * 10
    data = {"text": texts, "y": ["+", "-", "+", "-"] * 10}
    lines = [json.dumps({"text": text, "y": label}) for text, label in zip(*data.values(), strict=True)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines) + "\n")
    code = (
        "from linnet.learners import catalogue; from tests.test_three_doors import FOURTH; "
        "catalogue.ROWS[FOURTH.name] = FOURTH; from linnet.cli import main as program; program.main()"
    )
    command = ["train", "t.jsonl", "--target", "y", "--learner", FOURTH.name, "--quiet", "-o", "m.linnet"]
    subprocess.run(
        [sys.executable, "-c", code, *command], cwd=tmp_path, check=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, os.getcwd()])},
    )  # fmt: skip
    for model in (linnet.load(tmp_path / "m.linnet"), linnet.train(data, "y", learner=FOURTH.name)):
        options = model.features.terms[0].options  # a word is there or not, however often
        assert (options.count_weighting, options.unit_length) == (CountWeighting.BINARY, False)


def test_unconverged_fits_warn_in_every_door_that_can():
    X, y = rows(catalogue.find("logistic-regression"), Task.CLASSIFICATION, 2)
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        linnet.LogisticRegression(max_iter=1, tol=1e-12, solver="lbfgs").fit(X, y)
    model = linnet.train((X, y), learner="logistic-regression", solver="lbfgs", max_iter=1, tol=1e-12)
    assert model.record.converged is False
