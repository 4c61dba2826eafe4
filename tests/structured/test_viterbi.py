"""Decoding against brute force: the best tags, the k best, margins, constraints; and training against a Python twin."""

import itertools

import numpy as np
import pytest

from linnet.kernels.tagging_decoder import TagScorer, best_sequences
from linnet.kernels.tagging_state import weights_of
from linnet.kernels.tagging_trainer import TagTrainer
from linnet.structured.tag_schemes import Scheme, allowed_transitions


def brute_force(emit, between, only):
    """All sequences that are allowed with their scores, best first."""
    n, tags = emit.shape
    found = []
    for y in itertools.product(range(tags), repeat=n):
        if any(want >= 0 and want != tag for want, tag in zip(only, y, strict=True)):
            continue
        path = (tags, *y, tags)
        score = sum(between[a, b] for a, b in itertools.pairwise(path)) + sum(emit[t, tag] for t, tag in enumerate(y))
        if score > -1e29:
            found.append((score, y))
    return sorted(found, key=lambda each: -each[0])


def problem(draw):
    """Tokens whose only features are themselves, so that rows of weights are their scores."""
    n, tags = int(draw.integers(1, 6)), int(draw.integers(1, 5))
    emit = draw.integers(-20, 20, (n, tags)) + draw.random((n, tags)).astype(np.float32)
    between = (draw.integers(-20, 20, (tags + 1, tags + 1)) + draw.random((tags + 1, tags + 1))).astype(np.float32)
    if draw.random() < 0.4:
        forbidden = draw.random((tags + 1, tags + 1)) < 0.25
        between[forbidden] = -1e30
    only = np.where(draw.random(n) < 0.2, draw.integers(0, tags, n), -1).astype(np.int32)
    return emit.astype(np.float32), between, only


def decoded(emit, between, only):
    """Tags and margins by the kernel: word t has the feature t, whose weights are emit[t]."""
    n, tags = emit.shape
    keys = np.arange(1, n + 1, dtype=np.uint64)
    templates = np.array([[1, 0, 0]], dtype=np.int32)
    atoms = keys[:, None].copy()
    # the hash of a feature is that of its template and atom: found by the training side
    from linnet.kernels.tagging_features import Numbering, features

    numbering = Numbering()
    own = np.arange(n, dtype=np.uint32)
    others = np.empty((n, 0), dtype=np.uint64)
    bounded = np.ones(1, dtype=np.uint8)
    features(atoms, own, others, np.array([0, n]), templates, bounded, numbering, True)
    rows = (np.arange(n + 1) * tags, np.tile(np.arange(tags, dtype=np.int32), n), emit.reshape(-1))
    scorer = TagScorer(numbering.keys(), rows, between, templates, bounded, 1)
    scorer.learn(atoms, only)
    return scorer.decode(atoms, own, others, np.array([0, n]), True)


def test_viterbi_margins_and_k_best_equal_brute_force():
    draw = np.random.default_rng(1)
    compared = 0
    for _ in range(3000):
        emit, between, only = problem(draw)
        every = brute_force(emit.astype(float), between.astype(float), only)
        if not every:  # no sequence is allowed: any tags but those that are known
            tags, _ = decoded(emit, between, only)
            assert set(tags) <= set(range(emit.shape[1]))
            assert all(known in (-1, tag) for known, tag in zip(only, tags, strict=True))
            continue
        compared += 1
        tags, margins = decoded(emit, between, only)
        assert tuple(tags) == every[0][1]
        for t, tag in enumerate(tags):
            rival = next((score for score, y in every if y[t] != tag), None)
            if rival is None:
                assert margins[t] > 1e29
            else:
                assert margins[t] == pytest.approx(every[0][0] - rival, abs=1e-3)
        k = int(draw.integers(1, 8))
        found, scores = best_sequences(emit, between, only, k)
        assert [tuple(each) for each in found] == [y for _, y in every[:k]]
        assert scores == pytest.approx([score for score, _ in every[:k]], abs=1e-4)
    assert compared > 2000


def test_iobes_transitions_are_those_of_valid_sequences():
    tags = ["B-X", "B-Y", "E-X", "E-Y", "I-X", "I-Y", "O", "S-X", "S-Y"]
    allowed = allowed_transitions(tags, Scheme.IOBES)

    def valid(sequence):
        inside = None
        for tag in sequence:
            if inside is None:
                if tag[0] in "IE":
                    return False
            elif tag[0] not in "IE" or tag[2:] != inside:
                return False
            inside = tag[2:] if tag[0] in "BI" else None
        return inside is None

    for sequence in itertools.product(range(len(tags)), repeat=3):
        path = [len(tags), *sequence, len(tags)]
        assert valid([tags[at] for at in sequence]) == all(allowed[a, b] for a, b in itertools.pairwise(path))


def phi(tokens, y, features, tags):
    """The features of tags y: counts by feature and tag, and of one tag after another."""
    w, between = np.zeros((features, tags)), np.zeros((tags + 1, tags + 1))
    for ids, tag in zip(tokens, y, strict=True):
        for feature in ids:
            w[feature, tag] += 1
    for a, b in itertools.pairwise((tags, *y, tags)):
        between[a, b] += 1
    return w, between


def dense(trainer, *, averaged):
    """The weights of a trainer as arrays."""
    rows, entry_tags, weights, between, _ = weights_of(trainer, averaged)
    w = np.zeros((trainer.features, trainer.tags))
    for feature in range(trainer.features):
        row = slice(rows[feature], rows[feature + 1])
        w[feature, entry_tags[row]] = weights[row]
    return w, between


@pytest.mark.parametrize("C", [0.0, 0.25])
def test_steps_are_those_of_the_formula_and_averaged_weights_the_plain_mean_of_all_weight_vectors(C):
    for seed in range(30):
        draw = np.random.default_rng(seed)
        tags, features, count = int(draw.integers(2, 4)), 12, 12
        lengths = draw.integers(1, 5, count)
        sentences = np.concatenate([[0], np.cumsum(lengths)])
        tokens = [sorted(set(draw.integers(0, features, 4).tolist())) for _ in range(sentences[-1])]
        gold = draw.integers(0, tags, sentences[-1]).astype(np.int32)
        starts = np.concatenate([[0], np.cumsum([len(each) for each in tokens])]).astype(np.int64)
        ids, only = np.concatenate(tokens).astype(np.uint32), np.full(len(tokens), -1, dtype=np.int32)
        allowed = np.ones((tags + 1, tags + 1), dtype=np.uint8)
        trainer = TagTrainer(ids, starts, sentences, gold, only, features, allowed)
        w, between = dense(trainer, averaged=False)
        sum_w, sum_between, steps = 0.0, 0.0, 0
        for s in np.concatenate([draw.permutation(count) for _ in range(4)]):
            first, stop = sentences[s], sentences[s + 1]
            emit = np.array([w[each].sum(axis=0) for each in tokens[first:stop]])
            guess, truth = trainer.decode(np.array([s]), False).tolist(), gold[first:stop].tolist()
            best = brute_force(emit, between, [-1] * len(truth))
            assert {y: score for score, y in best}[tuple(guess)] == pytest.approx(best[0][0], abs=1e-4)
            trainer.train(np.array([s]), C)
            delta = [
                a - b
                for a, b in zip(*(phi(tokens[first:stop], y, features, tags) for y in (truth, guess)), strict=True)
            ]
            norm = sum((each**2).sum() for each in delta)
            margin = (delta[0] * w).sum() + (delta[1] * between).sum()
            wrong = sum(a != b for a, b in zip(truth, guess, strict=True))
            tau = 1.0 if not C else min(C, (wrong - margin) / norm) if norm else 0.0
            wanted = w + tau * delta[0], between + tau * delta[1]
            w, between = dense(trainer, averaged=False)
            close = 1e-6 if C else 0.0  # whole steps are exact
            assert w == pytest.approx(wanted[0], abs=close, rel=0)
            assert between == pytest.approx(wanted[1], abs=close, rel=0)
            sum_w, sum_between, steps = sum_w + w, sum_between + between, steps + 1
        mean = dense(trainer, averaged=True)
        assert mean[0] == pytest.approx(sum_w / steps, abs=1e-12)
        assert mean[1] == pytest.approx(sum_between / steps, abs=1e-12)


def test_arrays_that_do_not_fit_are_refused():
    good = {
        "ids": np.zeros(2, dtype=np.uint32), "starts": np.array([0, 1, 2]), "sentences": np.array([0, 2]),
        "gold": np.zeros(2, dtype=np.int32), "only": np.full(2, -1, dtype=np.int32),
    }  # fmt: skip
    allowed = np.ones((3, 3), dtype=np.uint8)
    TagTrainer(*good.values(), 1, allowed).train(np.array([0]))
    for name, wrong in (
        ("ids", np.ones(2, dtype=np.uint32)), ("starts", np.array([0, 1, 3])), ("sentences", np.array([0, 3])),
        ("gold", np.full(2, 2, dtype=np.int32)), ("only", np.full(2, 2, dtype=np.int32)),
        ("starts", np.array([0, 3, 2])),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="do not fit"):
            TagTrainer(*(good | {name: wrong}).values(), 1, allowed)
    with pytest.raises(ValueError, match="no such sentence"):
        TagTrainer(*good.values(), 1, allowed).train(np.array([1]))
