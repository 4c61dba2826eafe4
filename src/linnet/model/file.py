"""A model as a file and back: what is in it, and everything that is checked before any of it is believed."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.column_types import STRING, ColumnType, Kind
from linnet.data.features.feature_map import Features, Term
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.features.terms import NumberedTerm
from linnet.data.label_types import LabelKind, in_label_order, kind_of
from linnet.errors import LinnetError, ModelFileError, RecipeError
from linnet.learners import catalogue
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Reduction
from linnet.model.decision_file import calibration_from_file, calibration_to_file, rule_from_file, rule_to_file
from linnet.model.file_checks import Tensors, a_list, a_text, float64_array, require
from linnet.model.model import Model
from linnet.model.moments import moments_from_file, moments_to_file
from linnet.model.record import Record
from linnet.model.term_file import term_from_file, term_to_file
from linnet.model.votes_file import votes_from_file, votes_to_file
from linnet.model.weights_file import weights_from_file, weights_to_file
from linnet.storage import container
from linnet.storage.typed_json import KIND, from_plain, to_plain
from linnet.theory.mistake_bounds import FACTS, Mistakes
from linnet.training.duality_gap import Certificate

# The roles of columns that a term may be made of.
ROLES = {
    "number": (Role.NUMBER,),
    "date": (Role.DATE,),
    "category": (Role.CATEGORY,),
    "text": (Role.TEXT,),
    "set": (Role.SET,),
    "features": (Role.FEATURES,),
    "cross": (Role.NUMBER, Role.CATEGORY),
    "conjunctions": (Role.NUMBER, Role.CATEGORY),
}
CERTIFICATES = {each.__name__: each for each in (Certificate, Mistakes)}
# Models of structures are of other kinds, with commands and classes of their own.
STRUCTURES = {"tagger": "tag", "parser": "parse"}
LOADERS = {"tagger": "SequenceTagger.load", "parser": "DependencyParser.load"}
# NumPy stores labels in cells as wide as the longest: all of them together may not take more characters than this.
LABELS_AT_MOST = 1 << 26


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model; the file appears whole or not at all, and none does that could not be read again."""
    linear = model.linear
    tensors: Tensors = {**weights_to_file(linear.weights), "intercepts": linear.intercepts}
    calibration, rule, certificate = model.calibration, model.rule, model.certificate
    content = {
        "task": model.task,
        "labels": None if linear.classes is None else linear.classes.tolist(),
        "reduction": linear.reduction,
        "schema": _schema_to_file(model.features.schema),
        "terms": [term_to_file(term, number, tensors) for number, term in enumerate(model.features.terms)],
        "votes": [votes_to_file(votes, number, tensors) for number, votes in enumerate(linear.votes)],
        "calibration": None if calibration is None else calibration_to_file(calibration, tensors),
        "rule": None if rule is None else rule_to_file(rule, tensors),
        "record": to_plain(model.record),
        "certificate": None if certificate is None else {KIND: type(certificate).__name__, **to_plain(certificate)},
        "digest": _digest(linear, certificate),
    }
    if model.moments is not None:
        moments_to_file(model.moments, model.features, tensors)
    _check_statements(content, model, os.fspath(path))
    container.write(path, "model", content, tensors)


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model; safe for files of unknown authors: one ModelFileError for anything that is wrong."""
    content, tensors = container.read(path, "model")
    if content.get("structure") in STRUCTURES:
        what, command = content["structure"], STRUCTURES[content["structure"]]
        raise ModelFileError(f"{os.fspath(path)}: is a {what}: use linnet {command} for it, or linnet.{LOADERS[what]}")
    try:
        return _model(content, tensors, os.fspath(path))
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise ModelFileError(f"{os.fspath(path)}: is not a model that linnet wrote: {error!r}") from None


def _model(content: dict[str, Any], tensors: Tensors, path: str) -> Model:
    terms = [term_from_file(each, number, tensors, path) for number, each in enumerate(a_list(content["terms"]))]
    features = Features(_schema(content["schema"], terms, path), Task(content["task"]), terms)
    linear = _linear(content, tensors, features, path)
    if linear.classes is not None:  # labels of later data stand for what they stood for in training
        sets = linear.reduction is Reduction.EACH_LABEL
        kind = LabelKind.SETS if sets else kind_of(linear.classes.tolist())
        features.schema = replace(features.schema, labels=kind)
    record = _record(content["record"], features, path)
    linear = replace(linear, link=record.recipe.loss.link)
    certificate = _certificate(content["certificate"], path)
    calibration = content["calibration"]
    model = Model(
        features,
        linear,
        record,
        certificate,
        calibration=None if calibration is None else calibration_from_file(calibration, tensors, linear, path),
        rule=None if content["rule"] is None else rule_from_file(content["rule"], tensors, linear, path),
        moments=moments_from_file(tensors, features, path),
        certificate_matches_weights=a_text(content["digest"]) == _digest(linear, certificate),
    )
    _check_rule(model, path)
    return model


def _check_rule(model: Model, path: str) -> None:
    require(model.rule is None or model.has_probabilities, path, "a rule needs probabilities, and there are none")


def _check_statements(content: dict[str, Any], model: Model, path: str) -> None:
    """Raise for what a reader would refuse in a header: better now than when the model is needed."""
    try:
        _check_rule(model, path)
        _record(content["record"], model.features, path)
        _certificate(content["certificate"], path)
    except ModelFileError as error:
        raise LinnetError(f"the model is not written, for it could not be read: {error}") from None


def _linear(content: dict[str, Any], tensors: Tensors, features: Features, path: str) -> LinearModel:
    intercepts = float64_array(tensors["intercepts"], 1)
    weights = weights_from_file(tensors, len(features), len(intercepts), path)
    container.finite(intercepts, "intercepts", path)
    classes = None if content["labels"] is None else _labels(a_list(content["labels"]), path)
    require((classes is None) == (features.task is Task.REGRESSION), path, "labels and task do not agree")
    votes = tuple(
        votes_from_file(each, number, tensors, len(features), path)
        for number, each in enumerate(a_list(content["votes"]))
    )
    linear = LinearModel(weights, intercepts, classes, Reduction(content["reduction"]), votes)
    _check_outputs(linear, path)
    return linear


def _record(content: Any, features: Features, path: str) -> Record:
    """What happened in training: every field of its type, and nothing that cannot be printed."""
    try:
        record: Record = from_plain(Record, content, "record")
        record.as_dict()
        entry = catalogue.find(record.learner, task=features.task)
        if record.solver and not entry.offers(record.solver):
            raise ValueError(f"{record.learner} has no solver {record.solver!r}")
    except (KeyError, TypeError, ValueError, OverflowError, RecipeError) as error:
        raise ModelFileError(f"{path}: is damaged: the training record cannot be read: {error}") from None
    return record


def _certificate(content: Any, path: str) -> Certificate | Mistakes | None:
    """What was proven; None where nothing was even stated."""
    if content is None:
        return None
    kind = CERTIFICATES[content[KIND]]
    plain = {name: value for name, value in content.items() if name != KIND}
    certificate: Certificate | Mistakes = from_plain(kind, plain, "certificate")
    sound = _sound_bound(certificate) if isinstance(certificate, Mistakes) else _sound_gap(certificate)
    require(sound, path, "the certificate is damaged")
    return certificate


def _sound_gap(certificate: Certificate) -> bool:
    stated = (certificate.primal, certificate.dual)
    return not np.isposinf(stated).any() and (bool(certificate.reason) or bool(np.isfinite(stated).all()))


def _sound_bound(certificate: Mistakes) -> bool:
    facts = certificate.facts
    return (
        certificate.made >= 0
        and certificate.bound >= 0
        and bool(np.isfinite(list(facts.values())).all())
        and (
            bool(certificate.reason) or (np.isfinite(certificate.bound) and any(set(facts) == known for known in FACTS))
        )
    )


def _digest(linear: LinearModel, certificate: Certificate | Mistakes | None) -> str:
    """A digest that identifies these weights with this statement."""
    digest = hashlib.sha256()
    for array in weights_to_file(linear.weights).values():
        digest.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    digest.update(np.ascontiguousarray(linear.intercepts, dtype="<f8").tobytes())
    stated: list[float] = []
    if isinstance(certificate, Mistakes):
        stated = [certificate.made, certificate.bound, *(certificate.facts[name] for name in sorted(certificate.facts))]
    elif certificate is not None:
        stated = [certificate.primal, certificate.dual]
    digest.update(np.array(stated, dtype="<f8").tobytes())
    return digest.hexdigest()


def _schema_to_file(schema: Schema) -> dict[str, Any]:
    columns = [[name, role, to_plain(schema.type_of(name))] for name, role in schema.roles.items()]
    return {"columns": columns, "rows": schema.rows, "missing": list(schema.missing)}


def _schema(content: Any, terms: list[Term], path: str) -> Schema:
    """The columns' roles and types, which must agree with the terms made of them."""
    columns = a_list(content["columns"])
    pairs = [(a_text(name), Role(role)) for name, role, _ in columns]
    types = {name: from_plain(ColumnType, kind, f"the type of {name}") for name, _, kind in columns}
    rows, missing = content["rows"], tuple(map(a_text, a_list(content["missing"])))
    require(type(rows) is int and rows >= 0, path, "the number of rows that types are from is wrong")
    schema = Schema(dict(pairs), types=types, rows=rows, missing=missing)
    require(len(schema.roles) == len(pairs), path, "the schema has a column twice")
    schema.only(Role.TARGET), schema.only(Role.WEIGHT)
    require(bool(terms), path, "there are no terms")
    if any(isinstance(term, NumberedTerm) or not term.columns for term in terms):
        kinds = [term.kind for term in terms]
        alone = kinds in (["numbered"], ["numbered", "conjunctions"]) and not any(term.columns for term in terms)
        require(alone and not pairs, path, "numbered columns and named ones do not go together")
    for term in terms:
        for name in term.columns:
            agrees = schema.roles.get(name) in ROLES[term.kind]
            require(agrees, path, f"a {term.kind} is made of {name!r}, which does not have that role")
            read_as_number = schema.roles[name] in (Role.NUMBER, Role.DATE)
            sound = not read_as_number or (types[name].kind is Kind.DATE or schema.roles[name] is Role.NUMBER)
            require(sound and (not read_as_number or types[name] != STRING), path, f"{name!r} is not of its type")
    return schema


def _labels(labels: list[Any], path: str) -> NDArray[Any]:
    kinds = {type(label) for label in labels}
    one_type = kinds in ({str}, {bool}) or (bool(kinds) and kinds <= {int, float})
    require(one_type, path, "labels are all text, all numbers, or all booleans")
    require(len(set(labels)) == len(labels), path, "labels are not distinct")
    require(in_label_order(labels) == labels, path, "labels are not in order")
    if kinds == {str}:
        require(len(labels) * max(map(len, labels)) <= LABELS_AT_MOST, path, "labels are too long")
    classes = np.array(labels)
    require(classes.dtype.kind in "biufU" and classes.tolist() == labels, path, "labels cannot be held")
    return classes


def _check_outputs(linear: LinearModel, path: str) -> None:
    outputs = len(linear.intercepts)
    if linear.classes is None:
        alone = outputs == 1 and not linear.votes and linear.reduction is not Reduction.EACH_LABEL
        require(alone, path, "a number is predicted by one output")
        return
    k = len(linear.classes)
    wanted = 1 if k <= 2 else k * (k - 1) // 2 if linear.reduction is Reduction.PAIRWISE else k
    if linear.reduction is Reduction.EACH_LABEL:
        wanted = k
    require(outputs == wanted, path, f"{k} labels need {wanted} outputs, there are {outputs}")
    voting = sum(votes.outputs for votes in linear.votes)
    require(voting in (0, outputs), path, f"{k} labels need {wanted} outputs, there are votes for {voting}")
