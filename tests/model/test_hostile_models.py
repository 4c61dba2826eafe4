"""A hostile author's model is refused, or costs no more than its size and the data's; never a traceback or a hang."""

from __future__ import annotations

import copy
import random
import signal
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from linnet import train
from linnet.cli import inspect as inspecting
from linnet.data.features.text_options import LONGEST_NGRAM
from linnet.errors import LinnetError, ModelFileError, RecipeError
from linnet.model.file import load
from linnet.pipeline.verify import PASSES_AT_MOST, verify
from linnet.storage import container

NUMBERS = (-1, 0, 1, 2**31, 2**63 - 1, 2**64 - 1, -(2**63), 1e-300, 1e308, -1.0, 0.0)
OTHERS = (None, True, "", "nan", "inf", "-inf", "x", [], {}, ["a"], {"a": 1})
MODELS = {
    "batch": {"learner": "logistic-regression", "class_weight": "balanced"},
    "calibrated": {"learner": "svm", "calibrate": "isotonic"},
    "mistakes": {"learner": "perceptron", "passes": 5},
    "passes": {"learner": "adaptive", "passes": 3, "holdout": 0.3},
    "voted": {"learner": "voted-perceptron"},
    "regression": {"target": "a"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where, rng = tmp_path_factory.mktemp("models"), np.random.default_rng(0)
    with open(where / "data.csv", "w") as file:
        file.write("y,a,b,t\n")
        for a, b in rng.normal(size=(150, 2)):
            file.write(f"{'up' if a > 0 else 'down'},{a + np.sign(a):.3f},{b:.3f},{'one two' if b > 0 else 'three'}\n")
    for name, options in MODELS.items():
        train(str(where / "data.csv"), **{"target": "y", **options}).save(where / f"{name}.linnet")
    return where


def places(node, path=()):
    """The path of everything in a JSON value; of a list, of its first two."""
    if path:
        yield path
    inside = node.items() if isinstance(node, dict) else enumerate(node[:2]) if isinstance(node, list) else ()
    for key, value in inside:
        yield from places(value, (*path, key))


def changed(content, path, value):
    content = copy.deepcopy(content)
    at = content
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return content


def rewritten(folder, name, path, value, to="hostile.linnet"):
    """The model with another value at a place of its description, and a checksum that agrees."""
    content, tensors = container.read(folder / f"{name}.linnet", "model")
    container.write(folder / to, "model", changed(content, path, value), tensors)
    return folder / to


@contextmanager
def within(seconds, what):
    def too_long(*_):
        raise AssertionError(f"{what} takes too long")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def use(path, data):
    """All that can be done with a model; errors of ours are answers."""
    model = load(path)
    inspecting.run(str(path), [], 1, None, 5, None, as_json=False)
    inspecting.run(str(path), [], 1, None, 5, None, as_json=True)
    for work in (
        lambda: inspecting.run(str(path), [data], 1, None, 5, None, as_json=False),
        lambda: model.predict(data),
        lambda: model.evaluate(data).as_dict(),
        lambda: verify(replace(model, certificate_matches_weights=True), data),
    ):
        try:
            work()
        except LinnetError:
            continue


def attacked(folder, name, times):
    """How many changes of the description were accepted."""
    content, _ = container.read(folder / f"{name}.linnet", "model")
    choose, accepted = random.Random(name), 0
    everywhere = [path for path in places(content) if path[0] in ("record", "certificate", "rule", "calibration")]
    for _ in range(times):
        path, value = choose.choice(everywhere), choose.choice(NUMBERS + OTHERS)
        with within(30, f"{path} = {value!r}"):
            try:
                use(rewritten(folder, name, path, value), str(folder / "data.csv"))
                accepted += 1
            except LinnetError:
                continue
            except Exception as error:
                raise AssertionError(f"{path} = {value!r}: {error!r}") from error
    return accepted


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", MODELS)
def test_a_changed_description_is_refused_or_used_without_a_traceback_or_a_hang(name, folder):
    assert 0 < attacked(folder, name, 20) < 20


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", MODELS)
def test_hundreds_of_changed_descriptions_are_refused_or_used_without_a_traceback_or_a_hang(name, folder):
    assert 0 < attacked(folder, name, 400) < 400


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("batch", ("record", "tol"), -1.0),
        ("batch", ("record", "tol"), "nan"),
        ("batch", ("record", "solver"), "quantum"),
        ("batch", ("record", "seed"), -1),
        ("batch", ("record", "held_out", "accuracy"), "nan"),
        ("mistakes", ("record", "passes"), 0),
        ("mistakes", ("record", "passes"), 2**31),
        ("mistakes", ("record", "online", "passes"), 0),
        ("mistakes", ("record", "recipe", "penalty", "l2"), "inf"),
    ],
)
def test_an_impossible_record_is_refused(name, path, value, folder):
    with pytest.raises(ModelFileError):
        load(rewritten(folder, name, path, value))


def test_verify_does_not_make_more_passes_than_can_have_been(folder):
    data = str(folder / "data.csv")
    honest = load(folder / "mistakes.linnet")
    assert verify(honest, data).holds
    asked = replace(honest.record.online, passes=2**31)
    for record in (replace(honest.record, online=asked), replace(honest.record, online=asked, passes=2**31)):
        hostile = replace(honest, record=record)
        with within(30, "verify"):
            if record.passes > PASSES_AT_MOST:
                with pytest.raises(RecipeError, match="passes"):
                    verify(hostile, data)
            else:
                verify(hostile, data)


def test_verify_solves_a_statement_that_is_far_off_only_once(folder, monkeypatch):
    asked = []

    def solved(*given):
        asked.append(given[-1].tol)
        return -np.inf

    monkeypatch.setattr("linnet.pipeline.verify.bound_again", solved)
    model = load(folder / "batch.linnet")
    stated = replace(model.certificate, dual=model.certificate.primal - 1e-300)
    assert not verify(replace(model, certificate=stated), str(folder / "data.csv")).holds
    assert asked in ([], [model.record.tol])  # not at all, where the weights prove as much as they are asked to


def test_the_lengths_of_ngrams_in_a_model_are_those_that_training_takes(folder):
    texts = [("one two three", 1), ("two three four", 0)] * 30
    with open(folder / "texts.tsv", "w") as file:
        file.writelines(f"{label}\t{text}\n" for text, label in texts)
    train(str(folder / "texts.tsv"), learner="perceptron", ngrams=(1, LONGEST_NGRAM)).save(folder / "texts.linnet")
    content, _ = container.read(folder / "texts.linnet", "model")
    (at,) = [number for number, term in enumerate(content["terms"]) if term["kind"] == "text"]
    assert len(load(folder / "texts.linnet").features)
    with pytest.raises(ModelFileError, match="options for text"):
        load(rewritten(folder, "texts", ("terms", at, "options", "longest"), LONGEST_NGRAM + 1))


def test_a_vocabulary_whose_keys_are_all_equal_loads_in_time_linear_in_its_size(folder):
    count = 200_000
    with open(folder / "words.csv", "w") as file:
        file.write("y,c\n")
        file.writelines(f"{'up' if number % 2 else 'down'},w{number}\n" for number in range(count))
    model = train(str(folder / "words.csv"), target="y", columns={"c": "category"}, learner="perceptron")
    model.save(folder / "words.linnet")
    content, tensors = container.read(folder / "words.linnet", "model")
    (keys,) = [name for name in tensors if name.endswith(".keys")]
    container.write(folder / "equal.linnet", "model", content, {**tensors, keys: np.full_like(tensors[keys], 7)})
    with within(60, "loading"):  # pair by pair it takes minutes
        assert load(folder / "equal.linnet").features.names() == model.features.names()
