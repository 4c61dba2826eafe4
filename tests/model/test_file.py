"""Models survive their files to the bit; a file that is not as it should be is refused with one clear error."""

from __future__ import annotations

import copy
import json
import random
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

import linnet
from linnet.data.features.feature_map import FeatureOptions, Features
from linnet.data.features.schema import Schema, Task
from linnet.data.features.terms import NumberedTerm
from linnet.data.features.text_options import Analyzer, CountWeighting, TextOptions
from linnet.decisions.calibration import Method
from linnet.errors import LinnetError, ModelFileError
from linnet.learners import catalogue
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Reduction
from linnet.model import file as modelfile
from linnet.model.file import load
from linnet.model.model import Model
from linnet.model.record import Record
from linnet.pipeline.train import TrainOptions, train
from linnet.storage import container
from tests.pipeline.making import TABLE, arrow, sparse, table


@pytest.fixture(scope="module")
def rows():
    return table(np.random.default_rng(8), 80, 3, weights=False)


def of_table(rows, **more):
    roles = {name: role for name, role in TABLE.roles.items() if name in rows[0]}
    return train(arrow(rows), replace(TABLE, columns=roles, **more))


LEARNERS = [entry.name for entry in catalogue.entries() if catalogue.Task.CLASSIFICATION in entry.tasks]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", [*LEARNERS, "auto"])
def test_every_learner_predicts_the_same_from_its_file(learner, classes, tmp_path):
    rng = np.random.default_rng(4)
    X, y = sparse(rng, 60, classes=classes)
    if learner in ("naive-bayes", "naive-bayes-complement", "naive-bayes-bernoulli") or learner.startswith(
        "winnow"
    ):  # which take what is there
        X = 4.0 * (X > 0)
    model = train((X / 4, y), TrainOptions(learner=learner, task=Task.CLASSIFICATION))
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert_array_equal(again.predict((X, y)), model.predict((X, y)))
    assert again.classes == model.classes
    assert again.record == model.record
    if model.has_probabilities:
        assert (again.predict_proba((X, y)) == model.predict_proba((X, y))).all()
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.parametrize("learner", ["adaptive-squared", "widrow-hoff", "least-squares", "ridge"])
def test_every_regression_predicts_the_same_from_its_file(learner, rng, tmp_path):
    X, y = sparse(rng, 60, regression=True)
    model = train((X / 4, y), TrainOptions(learner=learner, task=Task.REGRESSION))
    model.save(tmp_path / "m")
    assert_array_equal(load(tmp_path / "m").predict((X, y)), model.predict((X, y)))


@pytest.mark.parametrize("bits", [0, 4])
@pytest.mark.parametrize("learner", ["adaptive", "voted-perceptron", "logistic-regression"])
@pytest.mark.parametrize(
    "text",
    [
        TextOptions(),
        TextOptions(Analyzer.CHAR, 2, 3, lowercase=False, count_weighting=CountWeighting.COUNT),
        TextOptions(Analyzer.CHAR_WB, 1, 4, count_weighting=CountWeighting.BINARY, unit_length=False),
        TextOptions(word_length=3, marks=False),
    ],
)
def test_every_kind_of_term_predicts_the_same_from_its_file(text, learner, bits, rows, tmp_path, monkeypatch):
    crosses = (("colour", "shape"), ("colour", "size"), ("size", "size"))
    features = FeatureOptions(text, crosses, hash_bits=bits)
    monkeypatch.setattr(TrainOptions, "features", features)  # for options of text that training does not offer
    model = of_table(rows, learner=learner)
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert_array_equal(again.predict(arrow(rows)), model.predict(arrow(rows)))
    assert again.features.names() == model.features.names()
    assert again.record.collisions == model.record.collisions
    assert (bits > 0) == (model.record.collisions > 0)


def test_labels_may_be_numbers_of_any_kind(tmp_path):
    X = np.eye(4)
    for labels in ([1.0, 2.0, 1.0, 2.0], [0.5, -1.0, 0.5, -1.0], [1e300, 1.0, 1e300, 1.0], [-7.0, 2.0**60, 0.0, 3.0]):
        model = train((X, np.array(labels)), TrainOptions(learner="adaptive", task=Task.CLASSIFICATION))
        model.save(tmp_path / "m")
        assert_array_equal(load(tmp_path / "m").predict((X, labels)), model.predict((X, labels)))
        assert load(tmp_path / "m").classes == sorted(set(labels))


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def voted(rows, tmp_path_factory):
    """Content and tensors of a model that has everything a model can have."""
    path = tmp_path_factory.mktemp("voted") / "m"
    of_table(rows, learner="voted-perceptron").save(path)
    return container.read(path, "model")


@pytest.fixture(scope="module")
def hashed(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("hashed") / "m"
    of_table(rows, learner="adaptive", crosses=(("colour", "shape"),), hash_bits=5).save(path)
    return container.read(path, "model")


@pytest.fixture(scope="module")
def deciding(rows, tmp_path_factory):
    """A model with sigmoid maps and a rule."""
    path = tmp_path_factory.mktemp("deciding") / "m"
    of_table(rows, learner="svm", calibrate=Method.SIGMOID, costs=["no,yes=3"], reject=0.6).save(path)
    return container.read(path, "model")


@pytest.fixture(scope="module")
def rising(rows, tmp_path_factory):
    """A model with isotonic maps, which must rise, and a rule with a least probability."""
    path = tmp_path_factory.mktemp("rising") / "m"
    of_table(rows, learner="logistic-regression", calibrate=Method.ISOTONIC, least=0.5).save(path)
    return container.read(path, "model")


@pytest.fixture(scope="module")
def numbered(tmp_path_factory):
    path = tmp_path_factory.mktemp("numbered") / "m"
    X, y = sparse(np.random.default_rng(1), 50, regression=True)
    train((X, y), TrainOptions(learner="least-squares", task=Task.REGRESSION)).save(path)
    return container.read(path, "model")


def refused(path, content, tensors):
    container.write(path, "model", content, tensors)
    with pytest.raises(ModelFileError) as caught:
        modelfile.load(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def changed(content, path, value):
    """A copy with what lies at this path of keys replaced."""
    content = copy.deepcopy(content)
    at = content
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return content


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("task",), "clustering"),
        (("task",), "regression"),
        (("labels",), None),
        (("labels",), []),
        (("labels",), ["maybe", "no", "maybe"]),
        (("labels",), ["yes", "no", "maybe"]),
        (("labels",), ["maybe", "no", 3]),
        (("labels",), ["maybe", "no"]),
        (("labels",), [True, 2, 3]),
        (("labels",), ["a", "a\0", "b"]),
        (("labels",), [-1, 2, 2**63 + 1]),
        (("labels",), "yes"),
        (("reduction",), "tournament"),
        (("reduction",), "pairwise-or-so"),
        (("schema",), []),
        (("schema",), [["text", "text"]]),
        (("schema",), {"text": "text"}),
        (("schema", "columns", 0, 1), "poem"),
        (("schema", "columns", 0), ["size", "number"]),
        (("schema", "columns", 0, 0), 7),
        (("schema", "columns", 1, 1), "target"),
        (("schema", "columns", 1, 1), "category"),
        (("schema", "columns", 2, 1), "number"),
        (("schema", "columns", 0, 2), 7),
        (("schema", "columns", 1, 2, "kind"), "STRING"),
        (("schema", "columns", 1, 2, "kind"), "POEM"),
        (("schema", "columns", 1, 2, "spelling", "decimal"), ";"),
        (("schema", "columns", 1, 2, "spelling", "unit"), "1"),
        (("schema", "rows"), -1),
        (("schema", "rows"), True),
        (("schema", "missing"), [7]),
        (("schema", "missing"), "NA"),
        (("record", "misfits"), {"size": 0}),
        (("record", "misfits"), {"size": "two"}),
        (("terms",), []),
        (("terms",), None),
        (("terms", 0, "kind"), "picture"),
        (("terms", 0, "kind"), "number"),
        (("terms", 0, "columns"), []),
        (("terms", 0, "columns"), ["text", "size"]),
        (("terms", 0, "columns"), ["no such column"]),
        (("terms", 0, "columns"), "text"),
        (("terms", 0, "bits"), 32),
        (("terms", 0, "bits"), -1),
        (("terms", 0, "bits"), 2**62),
        (("terms", 0, "bits"), True),
        (("terms", 0, "bits"), 3),
        (("terms", 0, "options", "analyzer"), "sentence"),
        (("terms", 0, "options", "count_weighting"), "none"),
        (("terms", 0, "options", "shortest"), 0),
        (("terms", 0, "options", "shortest"), 3),
        (("terms", 0, "options", "longest"), 10**9),
        (("terms", 0, "options", "longest"), 2.0),
        (("terms", 0, "options", "word_length"), 0),
        (("terms", 0, "options", "marks"), 1),
        (("terms", 0, "options", "colour"), "red"),
        (("terms", 0, "options"), None),
        (("terms", 0), {"kind": "numbered", "columns": [], "size": 2**70 % 2**63}),
        (("terms", 0), {"kind": "numbered", "columns": [], "size": -1}),
        (("terms", 0), {"kind": "numbered", "columns": [], "size": 5}),
        (("votes",), [{}]),
        (("votes",), {}),
        (("votes", 0, "outputs"), 1),
        (("votes", 0, "outputs"), 2**40),
        (("votes", 0, "outputs"), 0),
        (("votes", 0, "intercept"), 1),
        (("record",), []),
        (("record",), None),
        (("record", "learner"), "gradient-boosting"),
        (("record", "learner"), "least-squares"),
        (("record", "learner"), 3),
        (("record", "collisions"), -1),
        (("record", "collisions"), 0.5),
        (("record", "rows"), "many"),
        (("record", "rows"), True),
        (("record", "colour"), "red"),
        (("record", "recipe", "loss"), "QUARTIC"),
        (("record", "recipe", "penalty", "l2"), -1.0),
        (("record", "recipe", "averaging"), None),
        (("record", "online", "passes"), 0),
        (("record", "online", "holdout"), 1.5),
        (("record", "online", "holdout"), []),
        (("record", "progressive", "rows"), None),
        (("record", "class_weight"), {"no": 0.0}),
        (("certificate",), {}),
        (("certificate", "kind"), "Promise"),
        (("certificate", "made"), -1),
        (("certificate", "facts"), {"radius": "inf"}),
        (("digest",), 7),
    ],
)
def test_a_wrong_description_is_refused(path, value, voted, tmp_path):
    content, tensors = voted
    refused(tmp_path / "m", changed(content, path, value), tensors)


@pytest.mark.parametrize("scale", [0.0, -1.0, "inf", "2", True, 2, [2.0]])
def test_the_scale_of_a_logarithm_is_checked(scale, tmp_path):
    rows = {"amount": [float(i * i) for i in range(40)], "y": ["a", "b"] * 20}
    train(rows, TrainOptions(target="y", columns={"amount": "log"})).save(tmp_path / "m")
    content, tensors = container.read(tmp_path / "m", "model")
    assert content["terms"][0]["log"] > 0
    refused(tmp_path / "m", changed(content, ("terms", 0, "log"), scale), tensors)
    del content["terms"][0]["log"]
    refused(tmp_path / "m", content, tensors)


def test_every_part_of_the_description_is_needed(voted, tmp_path):
    content, tensors = voted
    for name in content:
        refused(tmp_path / "m", {key: value for key, value in content.items() if key != name}, tensors)


def test_models_without_maps_or_rule_load(deciding, tmp_path):
    content, tensors = deciding
    assert content["calibration"]
    assert content["rule"]
    plain = content | {"calibration": None, "rule": None}
    container.write(tmp_path / "m", "model", plain, tensors)
    model = load(tmp_path / "m")
    assert model.rule is None
    assert model.calibration is None
    assert not model.has_probabilities


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("rule",), {}),
        (("rule",), []),
        (("rule", "reject"), -1.0),
        (("rule", "reject"), 1),
        (("rule", "reject"), "1"),
        (("rule", "least"), 0.5),  # and a cost of rejecting
        (("calibration",), []),
        (("calibration", "method"), "isotonic"),
        (("calibration", "method"), "spline"),
        (("calibration", "maps"), 1),
        (("calibration", "maps"), 3.0),
    ],
)
def test_a_damaged_rule_or_map_is_refused(path, value, deciding, tmp_path):
    content, tensors = deciding
    refused(tmp_path / "m", changed(content, path, value), tensors)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 1e300])
def test_costs_must_be_costs(value, deciding, tmp_path):
    content, tensors = deciding
    refused(tmp_path / "m", content, tensors | {"rule.costs": with_entry(tensors["rule.costs"], 1, value)})


def test_a_rule_without_probabilities_or_classes_is_refused(deciding, numbered, tmp_path):
    content, tensors = deciding
    assert "there are none" in refused(tmp_path / "m", content | {"calibration": None}, tensors)
    content, tensors = numbered
    rule = {"rule": {"reject": None, "least": None, "metric": None}}
    assert "no classes" in refused(tmp_path / "m", content | rule, tensors | {"rule.costs": np.zeros((1, 1))})
    maps = {"calibration": {"method": "sigmoid", "maps": 1}}
    assert "no classes" in refused(tmp_path / "m", content | maps, tensors | {"calibration0": np.zeros(2)})


def test_maps_must_be_finite_and_rise_within_0_and_1(deciding, rising, tmp_path):
    content, tensors = deciding
    for value in (np.nan, np.inf):
        name = "calibration1"
        assert "finite" in refused(tmp_path / "m", content, tensors | {name: with_entry(tensors[name], 0, value)})
    content, tensors = rising
    for name, at, value in [
        ("scores", 0, np.nan), ("scores", 0, 1e300), ("values", 0, -0.1), ("values", -1, 1.1), ("values", 0, 1.0),
    ]:  # fmt: skip
        name = f"calibration0.{name}"
        refused(tmp_path / "m", content, tensors | {name: with_entry(tensors[name], at, value)})


@pytest.mark.parametrize("which", ["voted", "hashed", "numbered", "deciding", "rising"])
def test_every_tensor_is_needed_in_its_own_type_and_shape(which, request, tmp_path):
    content, tensors = request.getfixturevalue(which)
    for name, array in tensors.items():
        refused(tmp_path / "m", content, {key: value for key, value in tensors.items() if key != name})
        refused(tmp_path / "m", content, tensors | {name: array[:-1]})
        refused(tmp_path / "m", content, tensors | {name: np.concatenate([array, array])})
        refused(tmp_path / "m", content, tensors | {name: array[np.newaxis]})
        for dtype in (np.float32, np.uint32, np.int64, np.uint8, np.float64):
            if array.dtype != dtype:
                refused(tmp_path / "m", content, tensors | {name: np.abs(array).astype(dtype)})


def with_entry(array, at, value):
    array = array.copy()
    array.reshape(-1)[at] = value
    return array


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_must_be_finite(value, voted, tmp_path):
    content, tensors = voted
    for name in ("weights", "intercepts", "votes0.values", "votes0.amounts", "votes0.survived"):
        message = refused(tmp_path / "m", content, tensors | {name: with_entry(tensors[name], -1, value)})
        assert "finite" in message


def test_votes_must_name_what_is_there(voted, tmp_path):
    content, tensors = voted
    rows = len(tensors["votes0.starts"]) - 1
    for name, value in [
        ("which", rows), ("which", -1), ("truths", 3), ("truths", -1), ("rivals", 3), ("rivals", -(2**60)),
        ("ids", len(tensors["weights"])), ("ids", -1), ("starts", -1), ("starts", 10**6), ("survived", -1.0),
    ]:  # fmt: skip
        for at in (0, -1):
            refused(
                tmp_path / "m", content, tensors | {f"votes0.{name}": with_entry(tensors[f"votes0.{name}"], at, value)}
            )


def test_names_must_be_text_one_after_the_other_and_all_different(voted, hashed, tmp_path):
    content, tensors = voted
    starts, names, keys = (tensors[f"term0.{part}"] for part in ("starts", "names", "keys"))
    assert "UTF-8" in refused(tmp_path / "m", content, tensors | {"term0.names": with_entry(names, 3, 0xFF)})
    within = int(np.flatnonzero(names >= 0xC0)[0]) + 1
    name = int(np.searchsorted(starts, within))
    moved = with_entry(starts, name, within)
    if (np.diff(moved) >= 0).all():
        assert "within a character" in refused(tmp_path / "m", content, tensors | {"term0.starts": moved})
    assert "do not rise" in refused(
        tmp_path / "m", content, tensors | {"term0.starts": with_entry(starts, 1, starts[3])}
    )
    refused(tmp_path / "m", content, tensors | {"term0.starts": with_entry(starts, 0, 1)})
    refused(tmp_path / "m", content, tensors | {"term0.starts": with_entry(starts, -1, len(names) + 1)})
    twice = {"term0.keys": with_entry(keys, 1, keys[0])}
    first = names[: starts[1]]
    rest = names[starts[2] :]
    twice["term0.names"] = np.concatenate([first, first, rest])
    lengths = np.diff(starts)
    lengths[1] = lengths[0]
    twice["term0.starts"] = np.concatenate([[0], np.cumsum(lengths)])
    refused(tmp_path / "m", content, tensors | twice)
    content, tensors = hashed
    refused(tmp_path / "m", content, tensors | {"term0.keys": with_entry(tensors["term0.keys"], 0, 2**20)})
    keys = tensors["term0.keys"]
    refused(tmp_path / "m", content, tensors | {"term0.keys": with_entry(keys, 0, keys[1])})


def test_an_exact_vocabulary_with_fingerprints_is_refused(voted, tmp_path):
    content, tensors = voted
    refused(tmp_path / "m", content, tensors | {"term0.label_index": np.arange(1, 9, dtype=np.uint64)})


def test_labels_that_would_take_too_much_memory_are_refused(numbered, tmp_path):
    content, tensors = numbered
    labels = sorted([f"{i:05d}" for i in range(9999)] + ["z" * 100_000])
    content = content | {"labels": labels, "task": "classification"}
    assert "too long" in refused(tmp_path / "m", content, tensors)


def test_a_pairwise_model_needs_an_output_a_pair(tmp_path):
    d = NumberedTerm(3)
    features = Features(Schema({}), Task.CLASSIFICATION, [d])
    linear = LinearModel(np.ones((3, 6)), np.zeros(6), np.arange(4), Reduction.PAIRWISE)
    record = Record("adaptive", "", catalogue.find("adaptive").recipe)
    Model(features, linear, record).save(tmp_path / "m")
    assert modelfile.load(tmp_path / "m").linear.pairwise
    content, tensors = container.read(tmp_path / "m", "model")
    assert "need 10 outputs" in refused(tmp_path / "m", content | {"labels": [0, 1, 2, 3, 4]}, tensors)


# -- mutations ---------------------------------------------------------------------------------------------------------

VALUES = [None, True, 0, -1, 1, 2, 31, 64, 2**31, 2**63 - 1, -(2**63), 0.5, 1e300, "", "text", "x" * 50, [], {}, [[]]]


def places(content, at=()):
    """The path of every value in the description."""
    if isinstance(content, dict | list):
        for key in content if isinstance(content, dict) else range(len(content)):
            yield (*at, key)
            yield from places(content[key], (*at, key))


def mutated(content, tensors, rng):
    """The same with one or two things changed."""
    for _ in range(rng.choice([1, 1, 2])):
        if rng.random() < 0.45:
            content = _mutated_content(content, rng)
        else:
            tensors = _mutated_tensors(tensors, rng)
    return content, tensors


def _mutated_content(content, rng):
    path = rng.choice(list(places(content)))
    content = json.loads(json.dumps(content))
    at = content
    try:
        for key in path[:-1]:
            at = at[key]
        kind = rng.random()
        if kind < 0.2:
            del at[path[-1]]
        elif kind < 0.4 and isinstance(at, list):
            at.insert(path[-1], rng.choice([*VALUES, at[path[-1]]]))
        elif kind < 0.6:
            other = rng.choice(list(places(content)))
            value = content
            for key in other:
                value = value[key]
            at[path[-1]] = json.loads(json.dumps(value))
        else:
            at[path[-1]] = rng.choice(VALUES)
    except (KeyError, IndexError, TypeError):
        pass
    return content


def _mutated_tensors(tensors, rng):
    name = rng.choice(sorted(tensors))
    array, kind = tensors[name], rng.random()
    if kind < 0.1:
        return {key: value for key, value in tensors.items() if key != name}
    if kind < 0.2:
        return tensors | {name: tensors[rng.choice(sorted(tensors))]}
    if kind < 0.3:
        return tensors | {name: array[: rng.randrange(len(array) + 1)]}
    if kind < 0.4:
        with np.errstate(all="ignore"):
            return tensors | {name: array.astype(rng.choice([np.float32, np.float64, np.int64, np.int32, np.uint8]))}
    if kind < 0.45:
        return tensors | {name: array.reshape(rng.choice([(-1, 1), (1, -1), (-1,)]))}
    array = array.copy()
    if array.size:
        raw = array.reshape(-1).view(np.uint8)
        for _ in range(rng.choice([1, 1, 8])):
            raw[rng.randrange(len(raw))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    return tensors | {name: array}


def survives(content, tensors, rows, path):
    """Load a changed model; if it is accepted it must also predict without falling over."""
    path.unlink(missing_ok=True)  # to rename over a file takes longer than all the rest
    container.write(path, "model", content, tensors)
    try:
        model = load(path)
    except ModelFileError:
        return False
    with suppress(LinnetError, pa.ArrowInvalid):  # an honest complaint, such as another column than the data have
        model.predict((np.eye(4), np.zeros(4)) if model.features.is_numbered else rows)
        model.outputs()
    return True


def mutations(count, seed, models, rows, path):
    rng = random.Random(seed)
    accepted = 0
    for number in range(count):
        content, tensors = mutated(*models[number % len(models)], rng)
        accepted += survives(content, tensors, rows, path)
    return accepted


def test_mutated_models_are_refused_or_work(voted, hashed, numbered, deciding, rising, rows, tmp_path):
    accepted = mutations(500, 1, [voted, hashed, numbered, deciding, rising], arrow(rows[:5]), tmp_path / "m")
    assert accepted < 300


@pytest.mark.slow
def test_a_hundred_thousand_mutated_models_are_refused_or_work(voted, hashed, numbered, rows, tmp_path, monkeypatch):
    monkeypatch.setattr("os.fsync", lambda _: None)  # what is tested is reading
    mutations(100_000, 2, [voted, hashed, numbered], arrow(rows[:3]), tmp_path / "m")


def test_a_model_that_could_not_be_read_is_not_written(rng, tmp_path):
    rows = {"x": rng.normal(size=90).tolist(), "y": ["abc"[i % 3] for i in range(90)]}
    model = linnet.train(rows, "y", multiclass="pairwise")
    rule = linnet.train(rows, "y", costs={("a", "b"): 3.0}).rule
    path = tmp_path / "m.linnet"
    with pytest.raises(LinnetError, match=r"not written, .*: a rule needs probabilities"):
        modelfile.save(replace(model, rule=rule), path)
    with pytest.raises(LinnetError, match=r"not written, .*: the certificate is damaged"):
        modelfile.save(replace(model, certificate=replace(model.certificate, primal=float("inf"))), path)
    assert not path.exists()
