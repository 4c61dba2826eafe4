"""Random models of all batch learners, honest and forged: what `verify` must accept, and what it must refuse.

Columns have scales from 1e-6 to 1e6 and lie up to 1e8 from 0; some are nearly sums of others, as degrees Celsius and
Fahrenheit are.  The objective is worked out a second time here, in extended precision, from its definition.
"""

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np

import linnet
from linnet.pipeline.verify import verify
from linnet.training.duality_gap import Certificate

wide = np.longdouble

# learner, options, whether more than two classes are allowed; None for numbers to predict
KINDS = [
    *[("logistic-regression", {"solver": s}, True) for s in ("newton-cg", "lbfgs")],
    *[("logistic-regression", {"solver": s}, False) for s in ("newton-cholesky", "dual")],
    ("logistic-regression", {"solver": "dual", "multiclass": "one-vs-rest"}, True),
    ("logistic-regression", {"solver": "newton-cholesky", "multiclass": "pairwise"}, True),
    ("logistic-regression", {"penalty": "l1"}, True),
    ("logistic-regression", {"penalty": "elasticnet", "l1_ratio": 0.5}, True),
    *[("svm", {"solver": s}, True) for s in ("dual", "newton")],
    *[("svm-squared", {"solver": s}, True) for s in ("dual", "newton", "lbfgs")],
    ("svm-squared", {"penalty": "l1"}, True),
    ("crammer-singer", {"solver": "dual"}, True),
    *[("ridge", {"solver": s}, None) for s in ("analytic", "cg")],
    ("least-squares", {}, None),
    ("least-squares", {"penalty": "l1"}, None),
    ("least-squares", {"penalty": "elasticnet", "l1_ratio": 0.5}, None),
]


def table(rng, classes):
    """A random table of numbers with a target: codes of so many classes, or numbers."""
    n, d = int(rng.integers(40, 300)), int(rng.integers(1, 7))
    z = rng.normal(size=(n, d))
    if d > 2 and rng.random() < 0.5:
        z[:, 2] = z[:, 0] + (0.0 if rng.random() < 0.5 else 0.1) * rng.normal(size=n)
    offsets = np.where(rng.random(d) < 0.6, rng.choice([-1, 1], d) * 10.0 ** rng.uniform(0, 8, d), 0.0)
    X = z * 10.0 ** rng.uniform(-6, 6, d) + offsets
    if d > 1 and rng.random() < 0.3:
        X[:, 1] = 1.8 * X[:, 0] + 32
    score = z @ rng.normal(size=d) + rng.normal(size=n) * 10.0 ** rng.uniform(-1, 0.5)
    if classes is None:
        return X, score * 10.0 ** rng.uniform(-3, 3) + rng.choice([0.0, 1e3, 1e8])
    y = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    y[:classes] = np.arange(classes)
    return X, y


def named(X, y):
    columns = {f"x{j}": column for j, column in enumerate(X.T)}
    return columns | {"y": y if y.dtype == float else np.array([f"class {k}" for k in y])}


def trained(seed):
    """A random model, and its data."""
    rng = np.random.default_rng(seed)
    learner, options, many = KINDS[seed % len(KINDS)]
    classes = None if many is None else int(rng.integers(2, 5)) if many and rng.random() < 0.5 else 2
    if learner == "crammer-singer":
        classes = int(rng.integers(3, 6))
    X, y = table(rng, classes)
    options = dict(options)
    strength = float(10.0 ** rng.uniform(-2, 3))
    if classes is not None:
        options["C"] = strength
    elif learner == "ridge" or options.get("penalty"):
        options["alpha"] = 1.0 / strength
    if classes == 2:
        options.pop("multiclass", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = linnet.train(named(X, y), "y", learner=learner, **options)
    return model, X, y


LOSSES = {
    "squared": lambda z, t: (z - t) ** 2 / 2,
    "logistic": lambda z, t: np.logaddexp(wide(0), -t * z),
    "hinge": lambda z, t: np.maximum(0, 1 - t * z),
    "squared_hinge": lambda z, t: np.maximum(0, 1 - t * z) ** 2,
}


def widened(fraction):
    """In extended precision."""
    high = float(fraction)
    return wide(high) + wide(float(fraction - Fraction(high)))


def objective(model, X, y):
    """The objective of a model as saved, in extended precision; several classes are summed as they were solved."""
    n, X = len(y), X.astype(wide)
    means, units = np.array([(each.mean, each.deviation) for each in model.record.numbers.values()], dtype=wide).T
    raw, missing = model.linear.weights[::2], model.linear.weights[1::2]  # of the numbers, and of their absence
    weights, about = raw.astype(wide), float(y.mean()) if model.classes is None else 0.0
    # b + w . mean and w_missing - w mean cancel: without rounding
    exact = [[Fraction(float(m)) * Fraction(w) for w in row] for m, row in zip(means, raw, strict=True)]
    shifts = [
        Fraction(float(b)) - Fraction(about) + sum(row[k] for row in exact)
        for k, b in enumerate(model.linear.intercepts)
    ]
    absent = np.array(
        [[widened(Fraction(w) - e) for w, e in zip(ws, es, strict=True)] for ws, es in zip(missing, exact, strict=True)]
    )
    scores = (X - means) @ weights + np.array([widened(each) for each in shifts])
    recipe = model.record.recipe
    penalty, name = recipe.penalty, recipe.loss.name
    classes = 0 if model.classes is None else len(model.classes)
    if classes > 2 and model.linear.reduction.name == "JOINT":
        own = scores[np.arange(n), y][:, np.newaxis]
        if name == "logistic":
            top = scores.max(axis=1, keepdims=True)
            losses = np.log(np.exp(scores - top).sum(axis=1)) + (top - own)[:, 0]
        else:
            raised = scores + 1 - (np.arange(classes) == y[:, np.newaxis])
            losses = raised.max(axis=1) - own[:, 0]
        parts = [(losses, np.concatenate([weights * units[:, np.newaxis], absent]))]
    else:
        parts = []
        names = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
        for k, z in enumerate(scores.T):
            there = np.ones(n, dtype=bool)
            t = y.astype(wide) - about if classes == 0 else np.where(y == (1 if classes == 2 else k), 1, -1)
            if classes > 2 and model.linear.reduction.name == "PAIRWISE":
                there = (y == names[k][0]) | (y == names[k][1])
                t = np.where(y == names[k][1], 1, -1)
            parts.append((LOSSES[name](z[there], t[there]), np.append(weights[:, k] * units, absent[:, k])))
    found = wide(0)
    for losses, w in parts:
        scale = wide(len(losses)) if penalty.total else wide(1)
        found += losses.mean() + penalty.l1 / scale * np.abs(w).sum() + penalty.l2 / scale / 2 * (w * w).sum()
    return found


def intercepts(model, X):
    """The scores at the means of the columns."""
    return (X.mean(axis=0) @ model.linear.weights[::2] + model.linear.intercepts).astype(float)


def wrong(seed):
    """What is wrong with the model of this seed and its verification, as a list; and whether it has a certificate."""
    model, X, y = trained(seed)
    stated = model.certificate
    if stated.reason:
        return [], False
    rng = np.random.default_rng([seed, 1])
    n, found = len(y), []

    def holds(model, X, y):
        return verify(model, named(X, y)).holds

    exact = X.astype(wide)
    deviations = np.sqrt(((exact - exact.mean(axis=0)) ** 2).mean(axis=0))
    for column, deviation, each in zip(exact.T, deviations, model.record.numbers.values(), strict=True):
        last_digit = np.spacing(np.abs(column).max().astype(float))
        if abs(each.deviation - deviation) > 1e-12 * deviation + last_digit and deviation > last_digit:
            found.append(f"deviation {each.deviation!r}, truly {deviation!r}")
    true = objective(model, X, y)
    if abs(true - wide(stated.primal)) > 0.05 * max(stated.primal - stated.dual, 0):
        found.append(f"objective {stated.primal!r}, truly {true!r}")
    for order in (np.arange(n), rng.permutation(n), np.argsort(y, kind="stable")):
        if not holds(model, X[order], y[order]):
            found.append(f"refused: {verify(model, named(X[order], y[order])).why}")
    gap = stated.primal - stated.dual
    # where weights of 0 do as well, the columns do not matter, and the certificate is as true of other targets
    idle = replace(
        model, linear=replace(model.linear, weights=0 * model.linear.weights, intercepts=intercepts(model, X))
    )
    if objective(idle, X, y) - true > gap:
        if holds(model, X, y[rng.permutation(n)]):
            found.append("permuted targets accepted")
        kept = np.sort(rng.permutation(n)[: n - max(1, n // 10)])
        if holds(model, X[kept], y[kept]):
            found.append("fewer rows accepted")
    for part in (0.1, 1.0):
        forged = Certificate(stated.primal, stated.primal - (1.0 - part) * gap)
        if holds(replace(model, certificate=forged), X, y):
            found.append(f"a gap lowered by {part:.0%} accepted")
    change = 1e-12
    while change < 1e6:
        factors = 1.0 + change * rng.normal(size=model.linear.weights.shape)
        other = replace(model, linear=replace(model.linear, weights=model.linear.weights * factors))
        if objective(other, X, y) - true > gap:
            if holds(other, X, y):
                found.append(f"weights changed by {change:.0e} accepted")
            break
        change *= 4
    return found, True


if __name__ == "__main__":
    import sys
    from collections import Counter

    first, last = int(sys.argv[1]), int(sys.argv[2])
    bare, kinds = 0, Counter()
    for seed in range(first, last):
        found, certified = wrong(seed)
        bare += not certified
        for each in found:
            kinds[each.split(":")[0].split(" 0.")[0]] += 1
            print(seed, KINDS[seed % len(KINDS)], each, flush=True)
    print(f"{last - first} models, {bare} without a certificate; {dict(kinds)}")
