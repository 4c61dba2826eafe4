"""Several learners on one reading: each gets the very model that it gets alone."""

import numpy as np
import pytest

from linnet.errors import RecipeError
from linnet.learners import catalogue
from linnet.learners.catalogue import Way
from linnet.pipeline import train as module
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.train import train, train_each


def table(rng, n=300):
    """Words, a category, and numbers of 0 and 1 (Winnow takes no others); a label and a number to predict."""
    words = np.array(["good", "bad", "fine", "poor", "long", "short", "plot", "film", "actor", "music"])
    texts = [" ".join(rng.choice(words, rng.integers(2, 9))) for _ in range(n)]
    flag = rng.integers(0, 2, n)
    score = np.array([text.count("good") - text.count("bad") for text in texts]) + flag + rng.normal(0, 0.5, n)
    return {
        "text": texts,
        "colour": rng.choice(["red", "blue", "green"], n).tolist(),
        "flag": flag.tolist(),
        "label": np.where(score > 0.5, "yes", "no").tolist(),
        "amount": np.exp(score + 0.25).tolist(),
    }


def saved(model, path):
    model.save(path)
    return path.read_bytes()


def options_of(task, text):
    target, other = ("label", "amount") if task == "classification" else ("amount", "label")
    columns = {"text": "text" if text else "ignore", "colour": "category", "flag": "number", other: "ignore"}
    fits_text = [entry.name for entry in catalogue.entries() if task in map(str, entry.tasks)]
    return [TrainOptions(target=target, learner=name, columns=columns, task=task) for name in [*fits_text, "auto"]]


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("text", [True, False])
def test_every_learner_on_a_shared_reading_gives_the_bytes_it_gives_alone(task, text, rng, tmp_path, monkeypatch):
    data, several = table(rng), options_of(task, text)
    if text:  # winnow1 and winnow2 take values of 0 and 1, Winnow up to 1: text is weighted for them by each learner
        assert {"winnow1", "naive-bayes", "naive-bayes-complement", "naive-bayes-bernoulli"} <= {
            o.learner for o in several
        } or task == "regression"
    opened = []
    real = module.open_data
    monkeypatch.setattr(module, "open_data", lambda *a, **k: opened.append(1) or real(*a, **k))
    shared = train_each(data, several)
    assert len(opened) == 1
    for options, model in zip(several, shared, strict=True):
        alone = train(data, options)
        assert saved(model, tmp_path / "shared") == saved(alone, tmp_path / "alone"), options.learner


def test_learners_that_share_a_reading_must_agree_on_the_features(rng):
    one = TrainOptions(target="label", columns={"amount": "ignore"})
    other = TrainOptions(target="label", columns={"amount": "ignore"}, ngrams=3)
    with pytest.raises(RecipeError, match="same options of reading and features"):
        train_each(table(rng), [one, other])


def test_rows_beyond_the_memory_allowed_are_refused(rng):
    options = TrainOptions(target="label", columns={"amount": "ignore"}, memory=1000)
    with pytest.raises(RecipeError, match="memory"):
        train_each(table(rng), [options])


@pytest.mark.parametrize("name", [entry.name for entry in catalogue.entries()])
def test_a_model_becomes_a_learner_again(name, rng, tmp_path):
    """The options in a model's record train it again, to the byte; its entry is the learner as fitted."""
    entry = catalogue.find(name)
    task = str(entry.tasks[0])
    options = next(o for o in options_of(task, text=True) if o.learner == name)
    data = table(rng)
    model = train(data, options)
    again = train(data, TrainOptions.of_record(model.record.options))
    assert saved(again, tmp_path / "again") == saved(model, tmp_path / "first")
    assert model.entry.recipe == model.record.recipe
    assert model.entry.way is entry.way
    assert (model.record.online is None) == (entry.way is not Way.ONLINE)
