"""Contenders: the learners of a comparison, as users write them.

A learner of the catalogue by its name, `svm`, maybe with options of training, `svm(C=0.1)`; or a scikit-learn estimator
by its import path, `sklearn.neighbors.KNeighborsClassifier(n_neighbors=5)`, as a yardstick.  Arguments are literals:
they are parsed, never run.  A light module: nothing is imported until a comparison begins.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from linnet.data.task import Task
from linnet.errors import RecipeError, listed
from linnet.errors import option as spelt
from linnet.learners import catalogue
from linnet.pipeline.declaration import in_python
from linnet.pipeline.options import LOSSES, PENALTY, TRAINING, WINNOW, TrainOptions

# The learners that are compared where none are named: of each family one whose cost allows it on data of this kind.
OF_TABLES = (
    "logistic-regression", "svm", "discriminant-analysis", "naive-bayes-gaussian", "averaged-perceptron", "adaptive",
)  # fmt: skip
OF_TEXT = ("logistic-regression", "svm", "naive-bayes", "passive-aggressive-1", "averaged-perceptron", "adaptive")
OF_NUMBERS = ("ridge", "lasso", "elastic-net", "huber", "least-squares", "adaptive-squared")

# Options of training that belong to the comparison, not to a contender.
_NOT_OWN = ("target", "learner", "task", "holdout", "summary", "seed")
_GROUPS = (TRAINING, PENALTY, LOSSES, WINNOW)


@dataclass(frozen=True)
class Contender:
    """One learner: `name` as it is written, `learner` its row of the catalogue, or the import path of a yardstick."""

    name: str
    learner: str
    yardstick: bool
    options: dict[str, Any] = field(default_factory=dict)
    # a yardstick that Python gave as an object
    estimator: Any = None


def defaults(task: Task, *, many_a_row: bool) -> tuple[Contender, ...]:
    """The contenders where none are named; `many_a_row` where rows have words or numbered features."""
    names = OF_NUMBERS if task is Task.REGRESSION else OF_TEXT if many_a_row else OF_TABLES
    return tuple(Contender(name, name, yardstick=False) for name in names)


def parsed(given: str | Sequence[Any]) -> tuple[Contender, ...]:
    """Contenders as users write them: names with commas between them, or a list of names and estimators."""
    parts: list[Any] = []
    for each in [given] if isinstance(given, str) or hasattr(given, "fit") else list(given):
        parts += _split(each) if isinstance(each, str) else [each]
    found = tuple(_contender(each) for each in parts)
    if not found:
        raise RecipeError(f"{spelt('learners')} names no learner: name two or more, such as logistic-regression,svm")
    names = [each.name for each in found]
    for name in names:
        if names.count(name) > 1:
            raise RecipeError(f"{spelt('learners')} names {name!r} twice: name each contender once")
    return found


def _split(text: str) -> list[str]:
    """The parts between commas that are in no bracket and in no string."""
    parts, depth, quote, start = [], 0, "", 0
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [each.strip() for each in (*parts, text[start:]) if each.strip()]


def _contender(given: Any) -> Contender:
    if not isinstance(given, str):
        if not hasattr(given, "fit") or isinstance(given, type):
            raise RecipeError(f"{spelt('learners')} takes names of learners and estimators; not {given!r}")
        kind = type(given)
        return Contender(_one_line(repr(given)), f"{kind.__module__}.{kind.__qualname__}", True, estimator=given)
    head, options = _call(given)
    if "." in head:
        return Contender(given, head, yardstick=True, options=options)
    catalogue.find(head)
    known = [
        each.name for each in in_python(TrainOptions) if each.written.group in _GROUPS and each.name not in _NOT_OWN
    ]
    for name in options:
        if name not in known:
            raise RecipeError(f"{given!r}: {name!r} is not an option of a learner: there are {listed(known)}")
    TrainOptions(learner=head, **options)  # refused before anything is read
    return Contender(given, head, yardstick=False, options=options)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _call(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the keyword arguments of `name(argument=literal, ...)`, or of `name` alone."""
    head, bracket, _ = text.partition("(")
    head = head.strip()
    if not bracket:
        return head, {}
    try:
        tree = ast.parse(f"_{text[len(head) :].strip()}", mode="eval").body
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name) or tree.args:
            raise ValueError("not a call with keyword arguments")
        arguments = {each.arg: ast.literal_eval(each.value) for each in tree.keywords if each.arg is not None}
        if len(arguments) < len(tree.keywords):
            raise ValueError("** is not a keyword")
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise RecipeError(
            f"{spelt('learners')}: {text!r} is not a name with arguments: write it as {head}(name=value), where values "
            "are numbers, strings, True, False, None, or lists of these"
        ) from None
    return head, arguments


def check_yardsticks(contenders: Sequence[Contender]) -> None:
    """Refuse yardsticks that are not estimators, before anything is read."""
    for each in contenders:
        if each.yardstick:
            new_estimator(each)


def new_estimator(contender: Contender) -> Any:
    """A new scikit-learn estimator of a yardstick."""
    from sklearn.base import BaseEstimator, clone

    if contender.estimator is not None:
        return clone(contender.estimator)
    kind = _class(contender.learner)
    if not (isinstance(kind, type) and issubclass(kind, BaseEstimator) and hasattr(kind, "fit")):
        raise RecipeError(f"{contender.learner} is not a scikit-learn estimator: name a class with fit and predict")
    return _made(kind, contender)


def estimator_of(contender: Contender, task: Task) -> Any:
    """The same, of the right task."""
    from sklearn.base import is_classifier, is_regressor

    made = new_estimator(contender)
    if not (is_classifier(made) if task is Task.CLASSIFICATION else is_regressor(made)):
        raise RecipeError(f"{contender.name} is not an estimator for {task}: name another")
    return made


def _made(kind: Any, contender: Contender) -> Any:
    try:
        made = kind(**contender.options)
    except TypeError as error:
        raise RecipeError(f"{contender.name}: {_one_line(str(error))}") from None
    return made


def _class(path: str) -> Any:
    module, _, name = path.rpartition(".")
    if not all(part.isidentifier() for part in path.split(".")):
        raise RecipeError(f"{path!r} is not an import path, such as sklearn.ensemble.RandomForestClassifier")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise RecipeError(f"{path} cannot be imported: {_one_line(str(error))}") from None
