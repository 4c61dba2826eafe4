"""Sparse matrices with one thing wrong, or one thing unusual, each; and every public door that takes one.

Run as a program it brings all of them to all doors and prints, as JSON, whatever is not as it should be: a broken
matrix is refused by linnet's own error, an unusual one gives the answer of the plain one.  It is a program because
what it looks for ends the process.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import warnings

import numpy as np
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, csr_matrix, dia_array, dok_array, lil_array

import linnet
from linnet import theory

ROWS, COLUMNS = 24, 6
FAR = 10**9


def table():
    """Zeros and ones, which every learner takes: the first column is the label."""
    X = np.random.default_rng(3).integers(2, size=(ROWS, COLUMNS)).astype(np.float64)
    X[:, 0] = np.arange(ROWS) % 2
    return X


LABELS = (np.arange(ROWS) % 2).astype(np.int64)


def plain(form=csr_matrix):
    return form(table())


def with_(form=csr_matrix, **changes):
    """A plain matrix with these attributes set, as any user can."""
    X = plain(form)
    for name, change in changes.items():
        target = "_shape" if name == "shape" else name
        setattr(X, target, change(getattr(X, name)) if callable(change) else change)
    return X


def put(at, value):
    def change(array):
        array = array.copy()
        array[at] = value
        return array

    return change


class Lying:
    """Not of SciPy: its CSR is of another shape than it says."""

    shape = (ROWS, COLUMNS)
    ndim = 2
    dtype = np.dtype(np.float64)

    def tocsr(self, copy=False):  # noqa: ARG002
        return csr_matrix(np.ones((ROWS // 2, COLUMNS + 3)))


def swapped(array):
    return array.astype(array.dtype.newbyteorder("S"))


def strided(array):
    return np.repeat(array, 2)[::2]


def reversed_twice(array):
    return array[::-1].copy()[::-1]


def masked(array):
    return np.ma.MaskedArray(array, mask=np.arange(len(array)) == 3)


def read_only():
    X = plain()
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    return X


def with_slack():
    X = plain()
    X.data, X.indices = np.append(X.data, [7.0, 8.0]), np.append(X.indices, np.array([FAR, -5], dtype=np.int32))
    return X


def doubled():
    """Every entry in two halves, not sorted."""
    X = coo_array(table())
    both = coo_array((np.tile(X.data / 2, 2), (np.tile(X.row, 2), np.tile(X.col, 2))), shape=X.shape)
    starts = np.concatenate([[0], np.cumsum(np.bincount(both.row, minlength=ROWS))]).astype(np.int32)
    order = np.argsort(both.row, kind="stable")
    Y = csr_matrix((ROWS, COLUMNS))
    Y.data, Y.indices, Y.indptr = both.data[order], both.col[order].astype(np.int32)[::1], starts
    return Y


CSR = {
    "indptr of two": {"indptr": lambda a: a[:2]},
    "indptr of one": {"indptr": lambda a: a[:1]},
    "no indptr": {"indptr": lambda a: a[:0]},
    "indptr one short": {"indptr": lambda a: a[:-1]},
    "indptr too long": {"indptr": lambda a: np.append(a, a[-1])},
    "indptr begins at 1": {"indptr": put(0, 1)},
    "indptr begins below 0": {"indptr": put(0, -1)},
    "indptr falls": {"indptr": put(5, 100)},
    "indptr falls within": {"indptr": lambda a: put(5, a[4] - 1)(a)},
    "indptr beyond the entries": {"indptr": put(-1, FAR)},
    "indptr overflowed": {"indptr": put(slice(6, None), -(2**31))},
    "indptr of floats": {"indptr": lambda a: a.astype(float)},
    "indptr of objects": {"indptr": lambda a: a.astype(object)},
    "indptr of flags": {"indptr": lambda a: a.astype(bool)},
    "indptr in two dimensions": {"indptr": lambda a: a.reshape(1, -1)},
    "indptr a list": {"indptr": lambda a: a.tolist()},
    "indptr nothing": {"indptr": None},
    "indptr of no dimension": {"indptr": np.array(3)},
    "indptr wraps": {"indptr": lambda a: put(3, 2**64 - 2)(a.astype(np.uint64))},
    "id too large": {"indices": put(7, COLUMNS)},
    "ids far out": {"indices": put(slice(None), FAR)},
    "id below 0": {"indices": put(7, -1)},
    "last id far out": {"indices": put(-1, FAR)},
    "id beyond 32 bits": {"indices": lambda a: put(7, 2**32 + 1)(a.astype(np.int64))},
    "id beyond 64 bits": {"indices": lambda a: put(7, 2**64 - 1)(a.astype(np.uint64))},
    "small ids wrap": {"indices": lambda a: put(7, -3)(a.astype(np.int8))},
    "ids of floats": {"indices": lambda a: a.astype(float)},
    "ids of objects": {"indices": lambda a: a.astype(object)},
    "ids in two dimensions": {"indices": lambda a: a.reshape(1, -1)},
    "too few ids": {"indices": lambda a: a[:4]},
    "no ids": {"indices": lambda a: a[:0]},
    "ids nothing": {"indices": None},
    "ids masked": {"indices": masked},
    "too few values": {"data": lambda a: a[:4]},
    "no values": {"data": lambda a: a[:0]},
    "values in two dimensions": {"data": lambda a: a.reshape(1, -1)},
    "values nothing": {"data": None},
    "values a list": {"data": lambda a: a.tolist()},
    "values of text": {"data": lambda a: np.array(["one"] * len(a), dtype=object)},
    "values of several kinds": {"data": lambda a: put(3, None)(a.astype(object))},
    "values too large for floats": {"data": lambda a: put(3, 10**400)(a.astype(object))},
    "values complex": {"data": lambda a: a + 1j},
    "values of dates": {"data": lambda a: a.astype("M8[s]")},
    "values of records": {"data": lambda a: a.astype([("x", float)])},
    "values masked": {"data": masked},
    "value not a number": {"data": put(5, np.nan)},
    "value infinite": {"data": put(5, np.inf)},
    "more rows": {"shape": (ROWS + 5, COLUMNS)},
    "fewer rows": {"shape": (ROWS - 5, COLUMNS)},
    "fewer columns": {"shape": (ROWS, COLUMNS - 3)},
    "rows below 0": {"shape": (-ROWS, COLUMNS)},
    "many rows": {"shape": (2**40, COLUMNS)},
    "many columns": {"shape": (ROWS, 2**40)},
    "many of both": {"shape": (2**62, 2**62)},
    "one dimension": {"shape": (ROWS,)},
    "three dimensions": {"shape": (ROWS, COLUMNS, 1)},
}


def broken():
    """Name and maker of matrices that must be refused."""
    for form in (csr_matrix, csc_array):
        for name, changes in CSR.items():
            if form is csc_array and name in ("id too large", "more rows"):  # there are more rows than columns
                continue
            yield f"{form.__name__}: {name}", lambda form=form, changes=changes: with_(form, **changes)
    coo, bsr, dia = coo_array, bsr_array, dia_array
    for name, change in {
        "row far out": {"coords": lambda c: (put(3, FAR)(c[0]), c[1])},
        "row below 0": {"coords": lambda c: (put(3, -1)(c[0]), c[1])},
        "column far out": {"coords": lambda c: (c[0], put(3, FAR)(c[1]))},
        "column below 0": {"coords": lambda c: (c[0], put(3, -4)(c[1]))},
        "too few rows": {"coords": lambda c: (c[0][:3], c[1])},
        "rows of floats": {"coords": lambda c: (c[0] + 0.5, c[1])},
        "too few values": {"data": lambda a: a[:3]},
        "fewer rows": {"shape": (3, COLUMNS)},
    }.items():
        yield f"coo: {name}", lambda change=change: with_(coo, **change)
    for name, change in {
        "indptr of two": {"indptr": lambda a: a[:2]},
        "indptr beyond the blocks": {"indptr": put(-1, FAR)},
        "ids far out": {"indices": put(0, FAR)},
        "id below 0": {"indices": put(0, -1)},
        "too few blocks": {"data": lambda a: a[:1]},
        "blocks flat": {"data": lambda a: a.reshape(-1)},
        "blocks that do not fit": {"data": lambda a: np.ones((len(a), 5, 5))},
        "more rows": {"shape": (10 * ROWS, COLUMNS)},
    }.items():
        yield f"bsr: {name}", lambda change=change: with_(bsr, **change)
    for name, change in {
        "too few diagonals": {"data": lambda a: a[:1]},
        "diagonals flat": {"data": lambda a: a.reshape(-1)},
        "offsets of floats": {"offsets": lambda a: a.astype(float)},
        "offsets in two dimensions": {"offsets": lambda a: a.reshape(1, -1)},
    }.items():
        yield f"dia: {name}", lambda change=change: with_(dia, **change)
    for name, change in {
        "ids far out": {"rows": put(0, [FAR])},
        "id below 0": {"rows": lambda a: put(0, [-7] * len(a[0]))(a)},
        "fewer ids than values": {"rows": put(0, [])},
        "more values": {"data": put(0, [1.0] * 5000)},
        "ids of text": {"rows": lambda a: put(0, ["x"] * len(a[0]))(a)},
        "fewer rows": {"rows": lambda a: a[:3]},
        "a row that is not a list": {"rows": put(0, None)},
    }.items():
        yield f"lil: {name}", lambda change=change: with_(lil_array, **change)

    def dok(key):
        X = plain(dok_array)
        X._dict[key] = 1.0
        return X

    yield "dok: far out", lambda: dok((1, FAR))
    yield "dok: below 0", lambda: dok((-5, 1))
    yield "another library: of another shape", Lying
    yield "no rows", lambda: csr_matrix((0, COLUMNS))
    yield "no columns", lambda: csr_matrix((ROWS, 0))
    yield "1-D array", lambda: coo_array(np.ones(ROWS))


def unusual():
    """Name and maker of matrices that are as good as the plain one."""
    for name, changes in {
        "plain": {},
        "values of the other byte order": {"data": swapped},
        "ids of the other byte order": {"indices": swapped},
        "pointers of the other byte order": {"indptr": swapped},
        "64-bit ids": {"indices": lambda a: a.astype(np.int64), "indptr": lambda a: a.astype(np.int64)},
        "unsigned ids": {"indices": lambda a: a.astype(np.uint64), "indptr": lambda a: a.astype(np.uint64)},
        "8-bit ids": {"indices": lambda a: a.astype(np.int8)},
        "values of bytes": {"data": lambda a: a.astype(np.uint8)},
        "values of flags": {"data": lambda a: a.astype(bool)},
        "values of half precision": {"data": lambda a: a.astype(np.float16)},
        "values of single precision": {"data": lambda a: a.astype(np.float32)},
        "values of long doubles": {"data": lambda a: a.astype(np.longdouble)},
        "values of objects": {"data": lambda a: a.astype(object)},
        "masked without a mask": {"data": np.ma.MaskedArray},
        "strided": {"data": strided, "indices": strided, "indptr": strided},
        "negative strides": {"data": reversed_twice, "indices": reversed_twice, "indptr": reversed_twice},
    }.items():
        yield name, lambda changes=changes: with_(**changes)
    yield "read-only", read_only
    yield "with slack behind the last entry", with_slack
    yield "duplicates", doubled
    for form in (csr_array, csc_array, coo_array, bsr_array, dia_array, lil_array, dok_array):
        yield form.__name__, lambda form=form: plain(form)


def estimators():
    once = {"max_iter": 2, "tol": None}
    yield linnet.Perceptron(**once)
    yield linnet.Perceptron(**once, shuffle=False)
    yield linnet.Perceptron(**once, averaging="average")
    yield linnet.Perceptron(**once, averaging="vote")
    yield linnet.Perceptron(**once, mode="batch")
    yield linnet.PassiveAggressive(**once)
    yield linnet.Winnow(**once)
    yield linnet.Winnow(**once, variant="winnow1", conjunctions=2)
    yield linnet.Winnow(**once, variant="winnow2", complement=True)
    for solver in ("auto", "newton-cholesky", "newton-cg", "lbfgs", "gradient", "online"):
        yield linnet.LogisticRegression(**once, solver=solver)
    yield linnet.LogisticRegression(**once, solver="dual", multiclass="one-vs-rest")
    yield linnet.LogisticRegression(penalty=None, max_iter=3, tol=None)
    yield linnet.LinearSVC(**once)
    yield linnet.LinearSVC(**once, loss="hinge")
    yield linnet.LinearRegression()
    yield linnet.LinearRegression(solver="online", **once)
    yield linnet.Ridge()
    yield linnet.Ridge(solver="cg", **once)
    yield linnet.OnlineClassifier(**once)
    yield linnet.OnlineRegressor(**once)
    yield linnet.BernoulliNB()
    yield linnet.MultinomialNB()
    yield linnet.SharedGaussianNB()
    yield linnet.LinearDiscriminantAnalysis()
    yield linnet.Halving("disjunctions", k=2)
    yield linnet.BestThreshold(linnet.LogisticRegression(**once), cv=2)
    yield linnet.CostSensitive(linnet.LogisticRegression(**once), costs={(0, 1): 2.0, (1, 0): 1.0})
    yield linnet.Polynomial(2)


def doors():
    """Name and function of a matrix: its answer is compared with that of the plain one."""
    from sklearn.base import clone

    for estimator in estimators():
        name = repr(estimator)
        transforms = hasattr(estimator, "transform")
        fitted = clone(estimator).fit(plain(), LABELS)
        asked = "transform" if transforms else "predict"

        def fit(X, estimator=estimator, asked=asked):
            return getattr(clone(estimator).fit(X, LABELS), asked)(table())

        yield f"{name}.fit", fit
        if hasattr(estimator, "partial_fit"):

            def first(X, estimator=estimator):
                return clone(estimator).partial_fit(X, LABELS).predict(table())

            def second(X, estimator=estimator):
                return clone(estimator).partial_fit(table(), LABELS).partial_fit(X, LABELS).predict(table())

            yield f"{name}.partial_fit", first
            yield f"{name}.partial_fit again", second
        for method in ("predict", "decision_function", "predict_proba", "predict_log_proba", "transform"):
            if hasattr(fitted, method):
                yield f"{name}.{method}", getattr(fitted, method)
        if hasattr(fitted, "score"):
            yield f"{name}.score", lambda X, fitted=fitted: fitted.score(X, LABELS)
        if hasattr(fitted, "expected_costs"):
            yield f"{name}.expected_costs", fitted.expected_costs
    noisy = np.random.default_rng(4).integers(2, size=ROWS)
    inferred = linnet.LinearRegression().fit(table(), noisy), linnet.LogisticRegression().fit(table(), noisy)
    yield "LinearRegression().summary", lambda X: str(inferred[0].summary(X, noisy))
    yield "LogisticRegression().summary", lambda X: str(inferred[1].summary(X, noisy, penalised=True))
    answer, widest = theory.separability(table(), LABELS), theory.max_margin(table(), LABELS)
    plane = (np.arange(1.0, COLUMNS + 1), 0.5)
    yield "separability", lambda X: theory.separability(X, LABELS).separable
    yield "separability.check", lambda X: answer.check(X, LABELS)
    yield "max_margin", lambda X: theory.max_margin(X, LABELS).margin
    yield "max_margin.check", lambda X: widest.check(X, LABELS)
    yield "margins", lambda X: theory.margins(plane, X, LABELS)
    yield "margin", lambda X: theory.margin(plane, X, LABELS)
    for learner in ("perceptron", "logistic-regression", "naive-bayes-bernoulli"):
        model = linnet.train((plain(), LABELS), learner=learner, task="classification", holdout=0)
        yield (
            f"train {learner}",
            lambda X, learner=learner: (
                linnet.train((X, LABELS), learner=learner, task="classification", holdout=0).linear.weights
            ),
        )
        yield f"model of {learner}.predict", lambda X, model=model: model.predict((X, LABELS))
        yield f"model of {learner}.evaluate", lambda X, model=model: str(model.evaluate((X, LABELS)))


# The doors that meet every matrix in a short run; all other doors meet the matrices below.
THROUGHLY = ("Perceptron(max_iter=2, tol=None).", "Halving", "Polynomial", "margins", "train perceptron")
TELLING = (
    "csr_matrix: indptr of two", "csr_matrix: indptr beyond the entries", "csr_matrix: ids far out",
    "csr_matrix: too few values", "csr_matrix: more rows", "csc_array: ids far out", "coo: row far out",
    "values of the other byte order", "unsigned ids", "duplicates",
)  # fmt: skip


# Exact proofs refuse what float64 may round; rows without columns can be proven inseparable, and trained on.
ELSEWISE = {
    "values of long doubles": ("separability", "max_margin", "margin"),
    "no columns": ("separability", "max_margin.check", "margin", "train", "model"),
}


def trouble(use, make, expected):
    """What is wrong with the answer to one matrix; `expected` is None where there should be none."""
    try:
        got = use(make())
    except linnet.InputError as error:
        return "" if expected is None else f"was refused: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if expected is None:
        return "was accepted"
    same = got == expected if isinstance(got, str) else _close(got, expected)
    return "" if same else f"{got} is not {expected}"


def main() -> None:
    faulthandler.enable()
    warnings.simplefilter("ignore")
    everything = sys.argv[1:] == ["--all"]
    failures, count = [], 0
    for door, use in doors():
        answer = use(plain())
        for kind, expected in ((unusual, answer), (broken, None)):
            for name, make in kind():
                if door.startswith(ELSEWISE.get(name, ("never",))):
                    continue
                if everything or name in TELLING or door.startswith(THROUGHLY):
                    count += 1
                    print(f"{door} <- {name}", file=sys.stderr, flush=True)
                    wrong = trouble(use, make, expected)
                    if wrong:
                        failures.append([door, name, wrong[:300]])
    print(json.dumps({"count": count, "failures": failures}))


def _close(got, expected):
    got, expected = (each.toarray() if hasattr(each, "toarray") else np.asarray(each) for each in (got, expected))
    if got.dtype.kind in "fiub" and expected.dtype.kind in "fiub":
        return bool(np.allclose(got, expected, rtol=1e-6, atol=1e-9))
    return bool((got == expected).all())


if __name__ == "__main__":
    main()
