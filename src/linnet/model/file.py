"""A model as a file and back: what is in it, and everything that is checked before any of it is believed."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.conjunctions import MOST_TOGETHER, ConjunctionTerm
from linnet.data.features.features import Features
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.features.terms import (
    CategoryTerm,
    CrossTerm,
    Damping,
    NamedTerm,
    NumberedTerm,
    NumberTerm,
    Term,
    TextOptions,
    TextTerm,
)
from linnet.data.features.tokenizer import Analyzer
from linnet.decisions.calibration import Calibration, Isotonic, Map, Method, Sigmoid
from linnet.decisions.costs import Rule
from linnet.decisions.thresholds import Goal
from linnet.errors import ModelFileError, RecipeError
from linnet.kernels.vocabulary import Vocabulary
from linnet.learners import catalogue
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Reduction
from linnet.learners.voting import Votes
from linnet.storage import container
from linnet.theory.mistake_bounds import FACTS, Mistakes
from linnet.training.duality_gap import Certificate

Tensors = dict[str, NDArray[Any]]
NO_FINGERPRINTS = np.empty(0, dtype=np.uint64)
VOTE_ARRAYS = ("which", "truths", "rivals", "amounts", "survived")
ROLES = {
    "number": (Role.NUMBER,),
    "category": (Role.CATEGORY,),
    "text": (Role.TEXT,),
    "cross": (Role.NUMBER, Role.CATEGORY),
    "conjunctions": (Role.NUMBER, Role.CATEGORY),
}
# The kind of a certificate that bounds mistakes.
MISTAKES = "mistakes"
# NumPy keeps labels in places as wide as the longest: all of them together may not take more characters than this.
LABELS_AT_MOST = 1 << 26


@dataclass(frozen=True, eq=False)
class Stored:
    """What a model file holds: features, weights, which learner made them, and what was seen on the way."""

    features: Features
    linear: LinearModel
    learner: str
    summary: dict[str, Any] = field(default_factory=dict)
    collisions: int = 0
    certificate: Certificate | Mistakes | None = None
    weights_as_certified: bool = True
    calibration: Calibration | None = None
    rule: Rule | None = None


def save(stored: Stored, path: str | os.PathLike[str]) -> None:
    """Write a model; the file appears whole or not at all."""
    tensors: Tensors = {"weights": stored.linear.weights, "intercepts": stored.linear.intercepts}
    classes = stored.linear.classes
    content = {
        "task": stored.features.task,
        "learner": stored.learner,
        "labels": None if classes is None else classes.tolist(),
        "reduction": stored.linear.reduction,
        "schema": [[name, role] for name, role in stored.features.schema.roles.items()],
        "terms": [term_to_file(term, number, tensors) for number, term in enumerate(stored.features.terms)],
        "votes": [votes_to_file(votes, number, tensors) for number, votes in enumerate(stored.linear.votes)],
        "collisions": stored.collisions,
        "summary": stored.summary,
        "certificate": _certificate_to_file(stored),
    }
    # left out where there are none: such a file is what it was before there were any
    if stored.calibration is not None:
        content["calibration"] = calibration_to_file(stored.calibration, tensors)
    if stored.rule is not None:
        rejection = {"reject": stored.rule.reject, "least": stored.rule.least}
        rule: dict[str, Any] = {name: None if value is None else float(value) for name, value in rejection.items()}
        content["rule"] = rule if stored.rule.metric is None else rule | {"metric": stored.rule.metric}
        tensors["rule.costs"] = stored.rule.costs
    container.write(path, "model", content, tensors)


def load(path: str | os.PathLike[str]) -> Stored:
    """Read a model; one ModelFileError for anything that is not as it should be."""
    content, tensors = container.read(path, "model")
    try:
        return _stored(content, tensors, os.fspath(path))
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise ModelFileError(f"{os.fspath(path)}: is no model that linnet wrote: {error!r}") from None


def _stored(content: dict[str, Any], tensors: Tensors, path: str) -> Stored:
    terms = [term_from_file(each, number, tensors, path) for number, each in enumerate(_list(content["terms"]))]
    schema = _schema(content["schema"], terms, path)
    features = Features(schema, Task(content["task"]), terms)
    weights, intercepts = _float64(tensors["weights"], 2), _float64(tensors["intercepts"], 1)
    _require(weights.shape == (len(features), len(intercepts)), path, "weights and features differ in number")
    container.finite(weights, "weights", path)
    container.finite(intercepts, "intercepts", path)
    classes = None if content["labels"] is None else _labels(_list(content["labels"]), path)
    _require((classes is None) == (features.task is Task.REGRESSION), path, "labels and task do not agree")
    votes = tuple(
        votes_from_file(each, number, tensors, len(features), path)
        for number, each in enumerate(_list(content["votes"]))
    )
    linear = LinearModel(weights, intercepts, classes, Reduction(content["reduction"]), votes)
    _check_outputs(linear, path)
    collisions, summary = content["collisions"], content["summary"]
    _require(type(collisions) is int and collisions >= 0 and isinstance(summary, dict), path, "the summary is damaged")
    learner = catalogue.find(_text(content["learner"]), task=features.task).name
    certificate = _certificate_from_file(content["certificate"], path)
    as_certified = certificate is None or content["certificate"]["digest"] == _digest(linear, certificate)
    calibration = _calibration(content["calibration"], tensors, linear, path) if "calibration" in content else None
    rule = _rule(content["rule"], tensors, linear, path) if "rule" in content else None
    probable = calibration is not None or (not votes and catalogue.find(learner).recipe.has_probabilities)
    _require(rule is None or probable, path, "a rule needs probabilities, and there are none")
    return Stored(features, linear, learner, summary, collisions, certificate, as_certified, calibration, rule)


def _certificate_to_file(stored: Stored) -> dict[str, Any] | None:
    """What is proven, and of which weights; numbers that are none are left out."""
    certificate = stored.certificate
    if certificate is None:
        return None
    if isinstance(certificate, Mistakes):
        return {
            "kind": MISTAKES,
            "made": certificate.made,
            **({} if certificate.reason else {"bound": certificate.bound}),
            "facts": certificate.facts,
            "reason": certificate.reason,
            "digest": _digest(stored.linear, certificate),
        }
    values = {"primal": certificate.primal, "dual": certificate.dual}
    return {
        **{name: value for name, value in values.items() if np.isfinite(value)},
        "reason": certificate.reason,
        "digest": _digest(stored.linear, certificate),
    }


def _certificate_from_file(content: Any, path: str) -> Certificate | Mistakes | None:
    """What was proven; None where nothing was even stated."""
    if content is None:
        return None
    if content.get("kind") == MISTAKES:
        return _mistakes_from_file(content, path)
    primal, dual, reason = content.get("primal", np.nan), content.get("dual", -np.inf), _text(content["reason"])
    _text(content["digest"])
    numbers = all(type(value) in (int, float) and not np.isposinf(value) for value in (primal, dual))
    _require(numbers and (bool(reason) or bool(np.isfinite([primal, dual]).all())), path, "the certificate is damaged")
    return Certificate(float(primal), float(dual), reason)


def _mistakes_from_file(content: dict[str, Any], path: str) -> Mistakes:
    """How many mistakes there were, and can have been."""
    made, bound, facts = content["made"], content.get("bound", np.inf), content["facts"]
    reason = _text(content["reason"])
    _text(content["digest"])
    sound = (
        type(made) is int
        and made >= 0
        and type(bound) in (int, float)
        and bound >= 0
        and (bool(reason) or bool(np.isfinite(bound)))
        and isinstance(facts, dict)
        and all(type(value) in (int, float) and np.isfinite(value) for value in facts.values())
        and (bool(reason) or any(set(facts) == known for known in FACTS))
    )
    _require(sound, path, "the certificate is damaged")
    return Mistakes(made, float(bound), {name: float(value) for name, value in facts.items()}, reason)


def _digest(linear: LinearModel, certificate: Certificate | Mistakes) -> str:
    """What tells these weights, with this statement, from any others."""
    digest = hashlib.sha256(np.ascontiguousarray(linear.weights, dtype="<f8").tobytes())
    digest.update(np.ascontiguousarray(linear.intercepts, dtype="<f8").tobytes())
    if isinstance(certificate, Mistakes):
        stated = [certificate.made, certificate.bound, *(certificate.facts[name] for name in sorted(certificate.facts))]
    else:
        stated = [certificate.primal, certificate.dual]
    digest.update(np.array(stated, dtype="<f8").tobytes())
    return digest.hexdigest()


def _schema(content: Any, terms: list[Term], path: str) -> Schema:
    """The columns' roles, which must be what the terms take them for."""
    pairs = [(_text(name), Role(role)) for name, role in _list(content)]
    schema = Schema(dict(pairs))
    _require(len(schema.roles) == len(pairs), path, "the schema has a column twice")
    schema.only(Role.TARGET), schema.only(Role.WEIGHT)
    _require(bool(terms), path, "there are no terms")
    if any(isinstance(term, NumberedTerm) or not term.columns for term in terms):
        kinds = [term.kind for term in terms]
        alone = kinds in (["numbered"], ["numbered", "conjunctions"]) and not any(term.columns for term in terms)
        _require(alone and not pairs, path, "numbered columns and named ones do not go together")
    for term in terms:
        for name in term.columns:
            _require(
                schema.roles.get(name) in ROLES[term.kind], path, f"a {term.kind} is made of {name!r}, which is none"
            )
    return schema


def _labels(labels: list[Any], path: str) -> NDArray[Any]:
    kinds = {type(label) for label in labels}
    _require(kinds == {str} or (bool(kinds) and kinds <= {int, float}), path, "labels are all text, or all numbers")
    _require(all(a < b for a, b in pairwise(labels)), path, "labels are not in order")
    if kinds == {str}:
        _require(len(labels) * max(map(len, labels)) <= LABELS_AT_MOST, path, "labels are too long")
    classes = np.array(labels)
    _require(classes.dtype.kind in "iufU" and classes.tolist() == labels, path, "labels cannot be told apart")
    return classes


def _check_outputs(linear: LinearModel, path: str) -> None:
    outputs = len(linear.intercepts)
    if linear.classes is None:
        _require(outputs == 1 and not linear.votes, path, "a number is predicted by one output")
        return
    k = len(linear.classes)
    wanted = 1 if k <= 2 else k * (k - 1) // 2 if linear.reduction is Reduction.PAIRWISE else k
    _require(outputs == wanted, path, f"{k} labels need {wanted} outputs, there are {outputs}")
    voting = sum(votes.outputs for votes in linear.votes)
    _require(voting in (0, outputs), path, f"{k} labels need {wanted} outputs, there are votes for {voting}")


# -- decisions -------------------------------------------------------------------------------------------------------


def calibration_to_file(calibration: Calibration, tensors: Tensors) -> dict[str, Any]:
    """The kind of maps; their numbers go among the tensors."""
    for number, each in enumerate(calibration.maps):
        name = f"calibration{number}"
        if isinstance(each, Sigmoid):
            tensors[name] = np.array([each.slope, each.offset])
        else:
            tensors[f"{name}.scores"], tensors[f"{name}.shares"] = each.scores, each.shares
    return {"method": calibration.method, "maps": len(calibration.maps)}


def _calibration(content: dict[str, Any], tensors: Tensors, linear: LinearModel, path: str) -> Calibration:
    _require(linear.classes is not None and len(linear.classes) > 1, path, "there are no classes to calibrate")
    assert linear.classes is not None
    method, maps, k = Method(content["method"]), content["maps"], len(linear.classes)
    _require(type(maps) is int and maps == (1 if k == 2 else k), path, "maps and labels differ in number")
    read = _sigmoid if method is Method.SIGMOID else _isotonic
    return Calibration(method, tuple(read(f"calibration{number}", tensors, path) for number in range(maps)))


def _sigmoid(name: str, tensors: Tensors, path: str) -> Map:
    numbers = _float64(tensors[name], 1)
    _require(len(numbers) == 2, path, f"{name} is not a slope and an offset")
    container.finite(numbers, name, path)
    return Sigmoid(*numbers.tolist())


def _isotonic(name: str, tensors: Tensors, path: str) -> Map:
    scores, shares = (_float64(tensors[f"{name}.{part}"], 1) for part in ("scores", "shares"))
    _require(0 < len(scores) == len(shares), path, f"the corners of {name} are not pairs")
    container.finite(scores, f"{name}.scores", path)
    container.finite(shares, f"{name}.shares", path)
    rising = bool((scores[1:] > scores[:-1]).all() and (shares[1:] >= shares[:-1]).all())
    _require(rising and shares[0] >= 0 and shares[-1] <= 1, path, f"{name} does not rise within 0 and 1")
    return Isotonic(scores, shares)


def _rule(content: dict[str, Any], tensors: Tensors, linear: LinearModel, path: str) -> Rule:
    _require(linear.classes is not None, path, "there are no classes to decide between")
    assert linear.classes is not None
    costs, k = _float64(tensors["rule.costs"], 2), len(linear.classes)
    _require(costs.shape == (k, k), path, f"{k} labels have {k} by {k} costs, there are {costs.shape}")
    numbers = (content["reject"], content["least"])
    _require(all(number is None or type(number) is float for number in numbers), path, "a rejection is no number")
    metric = content.get("metric")
    try:
        if metric is not None:
            Goal.parsed(metric).among(linear.classes)
            _require(numbers == (None, None), path, "a chosen threshold and a rejection do not go together")
        return Rule(costs, *numbers, metric=metric)
    except RecipeError as error:
        raise ModelFileError(f"{path}: is damaged: {error}") from None


# -- terms ---------------------------------------------------------------------------------------------------------


def term_to_file(term: Term, number: int, tensors: Tensors, *, going_on: bool = False) -> dict[str, Any]:
    """A term as JSON, its vocabulary among the tensors; with all fingerprints if it is to go on growing."""
    content: dict[str, Any] = {"kind": term.kind, "columns": list(term.columns)}
    if isinstance(term, NumberedTerm):
        content["size"] = term.size
    if isinstance(term, TextTerm):
        content["options"] = asdict(term.options)
    if isinstance(term, ConjunctionTerm):
        content["degree"] = term.degree
    if isinstance(term, TextTerm | NamedTerm):
        keys, names, starts, seen = term.vocabulary.stored()  # type: ignore[no-untyped-call]
        content["bits"] = term.vocabulary.bits
        for name, array in (("keys", keys), ("names", names), ("starts", starts)):
            tensors[f"term{number}.{name}"] = array
        if going_on and term.vocabulary.bits:
            tensors[f"term{number}.seen"] = seen
    return content


def term_from_file(content: dict[str, Any], number: int, tensors: Tensors, path: str) -> Term:
    kind, columns = content["kind"], tuple(_text(column) for column in _list(content["columns"]))
    if kind == "numbered":
        _require(type(content["size"]) is int and content["size"] >= 0 and not columns, path, "a size is wrong")
        return NumberedTerm(content["size"])
    if kind == "conjunctions":
        degree = content["degree"]
        _require(type(degree) is int and 2 <= degree <= MOST_TOGETHER, path, "a degree is wrong")
        return ConjunctionTerm(columns, degree, vocabulary=_vocabulary(content["bits"], number, tensors, path))
    _require(bool(columns) and (kind == "cross" or len(columns) == 1), path, "a term has the wrong columns")
    if kind == "number":
        return NumberTerm(columns[0])
    vocabulary = _vocabulary(content["bits"], number, tensors, path)
    if kind == "category":
        return CategoryTerm(columns, vocabulary=vocabulary)
    if kind == "cross":
        return CrossTerm(columns, vocabulary=vocabulary)
    _require(kind == "text", path, f"a term of the kind {kind!r} is unknown")
    return TextTerm(columns[0], _text_options(content["options"], path), vocabulary=vocabulary)


def _vocabulary(bits: Any, number: int, tensors: Tensors, path: str) -> Vocabulary:
    _require(type(bits) is int and 0 <= bits <= 31, path, "the bits of a vocabulary are wrong")
    keys, names, starts = (tensors[f"term{number}.{name}"] for name in ("keys", "names", "starts"))
    seen = tensors.get(f"term{number}.seen", NO_FINGERPRINTS)
    for array, dtype in ((keys, np.uint64), (names, np.uint8), (starts, np.int64), (seen, np.uint64)):
        _require(array.dtype == dtype and array.ndim == 1, path, "a vocabulary has arrays of the wrong type")
    _require(len(starts) == len(keys) + 1, path, "a vocabulary's names and keys differ in number")
    _check_names(names, starts, path)
    if bits:
        _require(not len(keys) or int(keys.max()) >> bits == 0, path, f"a key has more than {bits} bits")
    else:  # without hashing nothing collides: there is no set of fingerprints to put them in
        _require(not len(seen), path, "an exact vocabulary has no fingerprints")
    vocabulary: Vocabulary = Vocabulary.restored(bits, keys, names, starts, seen)
    return vocabulary


def _check_names(names: NDArray[np.uint8], starts: NDArray[np.int64], path: str) -> None:
    """Names must follow each other without gaps, each valid UTF-8: all are, if together they are, cut at characters."""
    rising = starts[0] == 0 and starts[-1] == len(names) and bool((starts[1:] >= starts[:-1]).all())
    _require(bool(rising), path, f"the beginnings of names do not rise from 0 to {len(names)}")
    try:
        names.tobytes().decode()
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{path}: is damaged: a name is no valid UTF-8 (byte {error.start})") from None
    inside = starts[starts < len(names)]
    _require(bool((names[inside] & 0xC0 != 0x80).all()), path, "a name begins within a character")


def _text_options(content: dict[str, Any], path: str) -> TextOptions:
    options = TextOptions(
        **{**content, "analyzer": Analyzer(content["analyzer"]), "damping": Damping(content["damping"])}
    )
    numbers = (options.shortest, options.longest, options.word_length)
    flags = (options.lowercase, options.marks, options.unit_length)
    sound = all(type(n) is int for n in numbers) and all(type(flag) is bool for flag in flags)
    _require(sound and 1 <= options.shortest <= options.longest <= 100, path, "the options for text are wrong")
    _require(1 <= options.word_length <= 1000, path, "the options for text are wrong")
    return options


# -- hypotheses that vote --------------------------------------------------------------------------------------------


def votes_to_file(votes: Votes, number: int, tensors: Tensors) -> dict[str, Any]:
    matrix_to_file(votes.mistaken, f"votes{number}", tensors)
    for name in VOTE_ARRAYS:
        tensors[f"votes{number}.{name}"] = getattr(votes, name)
    return {"outputs": votes.outputs, "intercept": votes.intercept}


def votes_from_file(content: dict[str, Any], number: int, tensors: Tensors, columns: int, path: str) -> Votes:
    mistaken = matrix_from_file(f"votes{number}", columns, tensors, path)
    which, truths, rivals, amounts, survived = (tensors[f"votes{number}.{name}"] for name in VOTE_ARRAYS)
    outputs, intercept = content["outputs"], content["intercept"]
    _require(type(outputs) is int and outputs >= 1 and type(intercept) is bool, path, "a vote is damaged")
    steps = len(which)
    for array in (which, truths, rivals):
        _require(array.dtype == np.int64 and array.shape == (steps,), path, "a vote has arrays of the wrong type")
    known = [(which, mistaken.shape[0])] + ([(truths, outputs), (rivals, outputs)] if outputs > 1 else [])
    for array, size in known:
        inside = not steps or 0 <= int(array.min()) <= int(array.max()) < size
        _require(inside, path, "a vote names a row or class that is not there")
    for name, array, length in (("amounts", amounts, steps), ("survived", survived, steps + 1)):
        _require(len(_float64(array, 1)) == length, path, "a vote has arrays of the wrong length")
        container.finite(array, name, path)
    _require(bool((survived >= 0).all()), path, "a hypothesis survived fewer than no rows")
    return Votes(mistaken, which, truths, rivals, amounts, survived, outputs, intercept)


def matrix_to_file(matrix: Any, name: str, tensors: Tensors) -> None:
    """A sparse matrix (or an empty dense one) among the tensors."""
    from scipy.sparse import csr_array

    rows = csr_array(matrix)
    tensors[f"{name}.values"] = np.asarray(rows.data, dtype=np.float64)
    tensors[f"{name}.ids"] = np.asarray(rows.indices, dtype=np.int32)
    tensors[f"{name}.starts"] = np.asarray(rows.indptr, dtype=np.int64)


def matrix_from_file(name: str, columns: int, tensors: Tensors, path: str) -> Any:
    """The matrix, once its pointers rise and its ids lie within so many columns."""
    from scipy.sparse import csr_array

    values, ids, starts = (tensors[f"{name}.{part}"] for part in ("values", "ids", "starts"))
    for array, dtype in ((values, np.float64), (ids, np.int32), (starts, np.int64)):
        _require(array.dtype == dtype and array.ndim == 1, path, f"{name} has arrays of the wrong type")
    rising = len(starts) > 0 and starts[0] == 0 and bool((starts[1:] >= starts[:-1]).all())
    _require(rising and starts[-1] == len(ids) == len(values), path, f"the rows of {name} do not follow each other")
    _require(not len(ids) or 0 <= int(ids.min()) <= int(ids.max()) < columns, path, f"{name} names unknown features")
    container.finite(values, f"{name}.values", path)
    return csr_array((values.copy(), ids.copy(), starts.copy()), shape=(len(starts) - 1, columns))


# -- checks ----------------------------------------------------------------------------------------------------------


def _require(holds: bool, path: str, otherwise: str) -> None:
    if not holds:
        raise ModelFileError(f"{path}: is damaged: {otherwise}")


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list is expected")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    return value


def _float64(array: NDArray[Any], dimensions: int) -> NDArray[np.float64]:
    if array.dtype != np.float64 or array.ndim != dimensions:
        raise TypeError("an array has the wrong type")
    return np.ascontiguousarray(array)
