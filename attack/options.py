"""Command lines: options that fit the data mostly, and hostile values sometimes."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from attack import words

VALUES = [
    "", "-1", "0", "1", "2", "3", "1e9", "1e308", "nan", "inf", "-inf", "1e-308", "0.5", "999999999999999999999",
    "9223372036854775807", "x", "é", "\x1b[31m", "[/]", "a=b", "a,b=1", "a:number", "a,b", "1-1", "1-100", "100-1",
    "5-5", "0-0", "1GB", "0", "1KB", "-5MB", "1e30GB", "balanced", "auto", "l1", "l2", "elasticnet", "none", "f1",
    "f1:a", "precision@recall=0.9", "recall@precision=2", "f0:b", "accuracy", "sigmoid", "isotonic", "word", "char",
    "*", "/dev/null", "x" * 1000, "1,2,3", "=", ",", ":", "a=", "=1", "a=nan", "a=-1", "x0:category", "x1:text",
    "x0,x1", "x1,x2,x0", "x0,x0", "y:number", "x2:weight", "x2:id", "x2:ignore", "x0:target", "skip", "fail",
    "quarantine",
]  # fmt: skip
# What asks for more work than a small file would: kept within what ends in time.
HEAVY = {
    "passes": ["1", "2", "5"],
    "max_iter": ["1", "3", "20"],
    "checkpoint_every": ["1", "2", "7", "1000000"],
    "threads": ["0", "1", "2", "4"],
    "memory": ["0", "1", "1KB", "1MB", "1GB"],
    "tol": ["0", "1e-3", "1", "inf"],
}


@cache
def _declared() -> list[Any]:
    from linnet.pipeline.declaration import in_shell
    from linnet.pipeline.options import TrainOptions

    return list(in_shell(TrainOptions))


@cache
def learners() -> list[str]:
    from linnet.learners import catalogue

    return [entry.name for entry in catalogue.entries()]


def learner(random: Random) -> list[str]:
    """Most often the one that is chosen by itself."""
    return [] if random.random() < 0.4 else ["--learner", random.choice(learners())]


def sensible(random: Random) -> list[str]:
    """A few options that most data take."""
    chosen = learner(random)
    pool = [
        ["--on-error", "skip"], ["--on-error", "quarantine"], ["--holdout", "0"], ["--holdout", "0.5"],
        ["--threads", "2"], ["--memory", "0"], ["--passes", "2"], ["--hash-bits", "4"], ["--hash-bits", "18"],
        ["--ngrams", "1-3"], ["--analyzer", "char"], ["--calibrate", "sigmoid"], ["--calibrate", "isotonic"],
        ["--task", "classification"], ["--task", "regression"], ["--penalty", "l1"], ["--polynomial", "2"],
        ["--conjunctions", "2"], ["--seed", "7"], ["--json"], ["-q"], ["--no-header"], ["--header"], ["--C", "0.1"],
        ["--checkpoint-every", "3"], ["--threshold-for", "f1:a"], ["--cost", "a,b=3"], ["--max-iter", "5"],
        ["--multiclass", "one-vs-rest"], ["--multiclass", "pairwise"],
    ]  # fmt: skip
    for _ in range(random.choice([0, 0, 1, 1, 2, 4])):
        chosen += random.choice(pool)
    return chosen


def hostile(random: Random) -> list[str]:
    """Any options with any values."""
    chosen: list[str] = []
    for _ in range(random.choice([1, 2, 3, 6])):
        each = random.choice(_declared())
        flag = random.choice(each.flag.split("/"))
        if each.switch:
            chosen.append(flag)
            continue
        value = _value(random, each)
        chosen += [flag, value] if random.random() < 0.8 else [f"{flag}={value}"]
    return chosen


SOUND = ["svm", "adaptive", "perceptron", "logistic-regression", "naive-bayes", "ridge", "svm(C=0.1)",
         "sklearn.tree.DecisionTreeClassifier", "sklearn.dummy.DummyRegressor", "naive-bayes-gaussian"]  # fmt: skip
CONTENDERS = [
    "svm", "adaptive", "perceptron", "logistic-regression", "naive-bayes", "winnow", "ridge", "svm(C=0.1)",
    "svm(C=nan)", "perceptron(passes=2)", "sklearn.tree.DecisionTreeClassifier",
    "sklearn.tree.DecisionTreeRegressor(max_depth=2)",
    "sklearn.neighbors.KNeighborsClassifier(n_neighbors=1000)", "sklearn.dummy.DummyClassifier(strategy='x')",
    "sklearn.svm.SVC(kernel=__import__('os'))", "os.system", "os.path.join('a')", "a.b", "..", "svm(", "svm()()", "(",
    "[", "sklearn.", "sklearn.base.BaseEstimator", "\x1b[31m", "",
]  # fmt: skip


def comparison(random: Random) -> list[str]:
    """Options of linnet compare: few folds, as a trial is a process."""
    sound = random.random() < 0.7
    folds, repeats = (
        ("2", "1") if sound else (random.choice(["2", "3", "0", "-1", "x"]), random.choice(["1", "2", "0"]))
    )
    chosen = ["--folds", folds, "--repeats", repeats]
    if random.random() < 0.9:
        named = random.sample(SOUND, 3) if sound else random.choices(CONTENDERS, k=random.choice([1, 2, 2, 3]))
        chosen += ["--learners", ",".join(named)]
    pool = [
        ["--groups", "x0"], ["--groups", "nothing"], ["--time", "x0"], ["--time", "y"], ["--in-time"], ["--no-reasons"],
        ["--metric", "log-loss"], ["--metric", "f1:a"], ["--metric", "rmse"], ["--metric", "\x1b[31m"], ["--jobs", "3"],
        ["--rope", "nan"], ["--rope", "0"], ["--tuned"], ["-o", "r.json"], ["-o", "r.json", "--resume"], ["--resume"],
        ["-o", "-"], ["--json"], ["--data-set", "a:y=x"], ["--data-set", "="], ["--on-error", "skip"],
    ]  # fmt: skip
    for _ in range(random.choice([0, 1, 2, 3])):
        chosen += random.choice(pool)
    return chosen


def _value(random: Random, each: Any) -> str:
    if each.name in HEAVY and random.random() < 0.9:
        return random.choice(HEAVY[each.name])
    choices = getattr(each, "choices", None)
    if each.name == "learner":
        choices = learners()
    if choices and random.random() < 0.6:
        return str(random.choice(list(choices)))
    return (random.choice(VALUES) if random.random() < 0.85 else words.word(random)).replace("\0", "")
