"""Mistakes of a tagger beside the bound of Collins (2002): margin and radius against brute force, and the bound."""

import itertools
import json

import numpy as np
import pytest

from linnet import SequenceTagger
from linnet.errors import ModelFileError
from linnet.kernels.tagging_separation import smallest_margin
from linnet.kernels.tagging_state import weights_of
from linnet.kernels.tagging_trainer import TagTrainer
from linnet.storage import container
from linnet.structured.mistakes import squared_radius, tagging_bound
from linnet.structured.tagger_file import load
from tests.cli.calling import call
from tests.structured.making import columns, sentences


def in_common(w, groups):
    """The sums of w over the tags of each group of several."""
    return np.stack([w[:, groups == g].sum(axis=1) * ((groups == g).sum() > 1) for g in np.unique(groups)], axis=1)


def vector(tokens, y, count, tags, order, only, groups):
    """The features of tags y, one long vector: of tokens whose tag is open, those of groups of tags, of pairs, and of
    triples."""
    w, pairs, triples = np.zeros((count, tags)), np.zeros((tags + 1,) * 2), np.zeros((tags + 1,) * 3)
    for ids, tag, known in zip(tokens, y, only, strict=True):
        if known < 0:
            np.add.at(w, (ids, tag), 1)
    path = (tags, tags, *y, tags)
    for at in range(len(path) - 2):
        pairs[path[at + 1 : at + 3]] += 1
        triples[path[at : at + 3]] += order - 1
    parts = (w, in_common(w, groups), pairs, triples)
    return np.concatenate([each.reshape(-1) for each in parts])


def last_weights(trainer, order, groups):
    """The weights of tags and those of groups apart: the kernel keeps their sums, and those of groups are the sums of
    those of their tags."""
    rows, entry_tags, weights, between, triples = weights_of(trainer, False)
    w = np.zeros((trainer.features, trainer.tags))
    w[np.repeat(np.arange(trainer.features), np.diff(rows)), entry_tags] = weights
    triples = np.zeros((trainer.tags + 1,) * 3) if order == 1 else triples
    sizes = np.array([(groups == g).sum() for g in np.unique(groups)])
    common = in_common(w, groups) / (1 + sizes)
    parts = (w - common[:, groups], common, np.where(between < -1e29, 0.0, between), triples)
    return np.concatenate([each.reshape(-1) for each in parts])


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("cost", [0, 5])
@pytest.mark.parametrize("order", [1, 2])
def test_margin_radius_and_mistakes_are_those_of_brute_force_and_below_the_bound(order, cost, together):
    bounded = 0
    for seed in range(25):
        draw = np.random.default_rng(seed)
        tags, count, many = int(draw.integers(2, 4)), 30, 10
        groups = np.array([0, 1, 1])[:tags] if together else np.arange(tags)
        lengths = draw.integers(1, 5, many)
        starts_of = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        tokens = [sorted(set(draw.integers(0, count, 4).tolist())) for _ in range(starts_of[-1])]
        allowed = np.ones((tags + 1,) * 2, dtype=np.uint8)
        if seed % 3 == 0:
            allowed[0, 0] = 0
        ids = np.concatenate(tokens).astype(np.uint32)
        starts = np.concatenate([[0], np.cumsum([len(each) for each in tokens])]).astype(np.int64)
        hidden = draw.normal(size=(count + tags + 1) * tags * 50)
        gold, choices = [], []
        known = np.where(draw.random(len(tokens)) < 0.15, 1, -1).astype(np.int32)
        for first, stop in itertools.pairwise(starts_of.tolist()):
            options = [range(tags) if at < 0 else [at] for at in known[first:stop]]
            every = [y for y in itertools.product(*options) if all(allowed[pair] for pair in itertools.pairwise(y))]
            vectors = [vector(tokens[first:stop], y, count, tags, order, known[first:stop], groups) for y in every]
            best = int(np.argmax([each @ hidden[: len(each)] for each in vectors]))
            gold.extend(every[best])
            choices.append((vectors, best))
        gold = np.array(gold, dtype=np.int32)
        trainer = TagTrainer(ids, starts, starts_of, gold, known, count, allowed, order, cost, groups)
        mistakes, passes, wrong = 0, 0, 1
        while wrong and passes < 300:
            wrong = trainer.train(draw.permutation(many).astype(np.int64))[0]
            mistakes, passes = mistakes + wrong, passes + 1
        w = last_weights(trainer, order, groups)
        gaps = [
            float((vectors[best] - other) @ w)
            for vectors, best in choices
            for at, other in enumerate(vectors)
            if at != best
        ]
        assert smallest_margin(trainer) == min(gaps)
        longest = max(float(((v[b] - other) ** 2).sum()) for v, b in choices for other in v)
        assert squared_radius(ids, starts, starts_of, gold, known, tags, order=order, groups=groups) >= longest
        found = tagging_bound(trainer, ids, starts, starts_of, gold, known, mistakes, cost)
        if min(gaps) <= 0:
            assert found is None
            continue
        bounded += 1
        assert found.margin == pytest.approx(min(gaps) / np.linalg.norm(w))
        assert found.allowance == 2 * cost * int(lengths.max())
        steps = (found.radius**2 + found.allowance) / found.margin**2
        assert found.mistakes == mistakes <= found.bound == pytest.approx(steps)
    assert bounded > 8  # the others are right by ties, which the first sequence wins


@pytest.mark.parametrize(("steps", "formula"), [((), "(R² + 2ρn)/γ²"), (("--margin", 0), "(R/γ)²")])
def test_training_states_the_bound_where_the_last_pass_was_without_mistakes(tmp_path, steps, formula):
    data, model = tmp_path / "data.txt", tmp_path / "m.linnet"
    data.write_text(columns(sentences(60)))
    done = call("tag", "train", data, "-o", model, "--passes", 30, *steps)
    assert done.returncode == 0, done.stderr
    record = load(model).record
    found = record.mistakes
    assert record.history.final[-1].wrong == 0
    assert found.mistakes == sum(each.wrong for each in record.history.final) <= found.bound
    assert formula in done.stdout
    shown = json.loads(call("inspect", model, "--json").stdout)["mistakes"]
    assert (shown["sentences"], shown["bound"]) == (found.mistakes, found.bound)
    content, tensors = container.read(model, "model")
    content["record"]["mistakes"]["bound"] = -1.0
    container.write(model, "model", content, tensors)
    with pytest.raises(ModelFileError):
        load(model)


def test_nothing_is_said_of_other_steps_and_of_data_that_are_not_separable():
    X, y = [["a", "b"], ["a", "b"]], [["X", "Y"], ["Y", "X"]]
    assert SequenceTagger(passes=50).fit(X, y).tagger_.record.mistakes is None
    assert SequenceTagger(passes=50).fit(X[:1], y[:1]).tagger_.record.mistakes is not None
    assert SequenceTagger(passes=50, update="passive-aggressive").fit(X[:1], y[:1]).tagger_.record.mistakes is None
    assert SequenceTagger().partial_fit(X[:1] * 9, y[:1] * 9).tagger_.record.mistakes is None
