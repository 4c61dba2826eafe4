"""Decoding against brute force: the best tags, the k best, margins, constraints; and training against a Python twin."""

import itertools

import numpy as np
import pytest

from linnet.kernels.tagging_decoder import TagScorer
from linnet.kernels.tagging_means import decode
from linnet.kernels.tagging_sequences import best_sequences, best_tags
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


def numpy_viterbi(emit, between, only):
    """The best tags and their score, in float32; of equal ones the smallest tag, from the end of the sentence on."""
    n, tags = emit.shape
    emit = np.where((only[:, None] < 0) | (only[:, None] == np.arange(tags)), emit, np.float32(-np.inf))
    rows = [between[tags, :tags] + emit[0]]
    for t in range(1, n):
        rows.append((rows[-1][:, None] + between[:tags, :tags]).max(axis=0) + emit[t])
    found, after = [], tags
    for row in reversed(rows):
        found.append(int(np.argmax(row + between[:tags, after])))
        after = found[-1]
    return found[::-1], (rows[-1] + between[:tags, tags]).max()


@pytest.mark.parametrize("kind", ["whole", "real", "wide", "wide and whole", "forbidden"])
def test_pruning_finds_the_tags_and_the_score_of_the_full_table_to_the_bit(kind):
    """Whole numbers of few values have many ties; wide scores of tokens leave few tags, narrow ones leave all."""
    draw = np.random.default_rng(7)
    for _ in range(500):
        n, tags = int(draw.integers(1, 12)), int(draw.integers(1, 40))
        emit, between = draw.normal(size=(n, tags)), draw.normal(size=(tags + 1, tags + 1))
        if kind == "whole":
            emit, between = np.round(2 * emit), np.round(between)
        elif kind.startswith("wide"):
            emit = 10 * emit
            between[draw.random(between.shape) < 0.8] = 0.0
            if kind == "wide and whole":
                emit, between = np.round(emit / 4), np.round(between)
        elif kind == "forbidden":
            between[draw.random(between.shape) < 0.3] = -1e30
        only = np.where(draw.random(n) < 0.15, draw.integers(0, tags, n), -1).astype(np.int32)
        scores = emit.astype(np.float32), between.astype(np.float32), only
        expected, expected_top = numpy_viterbi(*scores)
        for pruned in (True, False):
            found, top = best_tags(*scores, pruned)
            if expected_top > -1e29:
                assert top == expected_top
                assert found.tolist() == expected


def test_pruning_stays_within_the_tags_where_scores_are_no_numbers():
    for value in (np.nan, np.inf, -np.inf, 3e38, -3e38):
        emit, between = np.full((6, 30), value, dtype=np.float32), np.full((31, 31), -value, dtype=np.float32)
        found, _ = best_tags(emit, between, np.full(6, -1, dtype=np.int32), True)
        assert all(0 <= tag < 30 for tag in found)


def test_pruning_equals_brute_force():
    draw = np.random.default_rng(3)
    compared = 0
    for _ in range(1500):
        emit, between, only = problem(draw)
        every = brute_force(emit.astype(float), between.astype(float), only)
        if every:
            compared += 1
            found, top = best_tags(emit, between, only, True)
            assert tuple(found) == every[0][1]
            assert top == pytest.approx(every[0][0], abs=1e-3)
    assert compared > 1000


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
            guess, truth = decode(trainer, np.array([s]), False).tolist(), gold[first:stop].tolist()
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


def test_training_with_many_tags_decodes_by_the_weights_of_every_step():
    """Many tags are pruned by bounds that follow the steps: sentences at once, and one by one beside the full table."""
    draw = np.random.default_rng(11)
    tags, features, count = 45, 60, 80
    sentences = np.concatenate([[0], np.cumsum(draw.integers(1, 9, count))])
    tokens = sentences[-1]
    ids = draw.integers(0, features, (tokens, 3)).astype(np.uint32)
    gold = (ids[:, 0] % tags).astype(np.int32)
    only = np.where(draw.random(tokens) < 0.05, gold, -1).astype(np.int32)
    arrays = ids.reshape(-1), np.arange(tokens + 1) * 3, sentences, gold, only, features
    at_once, one_by_one = (TagTrainer(*arrays, np.ones((tags + 1, tags + 1), dtype=np.uint8)) for _ in range(2))
    order = np.concatenate([draw.permutation(count) for _ in range(6)])
    wrong = 0
    for s in order:
        first, stop = sentences[s], sentences[s + 1]
        w, between = dense(one_by_one, averaged=False)
        emit = np.where(only[first:stop, None] < 0, w[ids[first:stop]].sum(axis=1), 0).astype(np.float32)
        found, _ = best_tags(emit, between.astype(np.float32), only[first:stop], False)
        assert decode(one_by_one, np.array([s]), False).tolist() == found.tolist()
        wrong += int((found != gold[first:stop]).sum())
        one_by_one.train(np.array([s]))
    assert at_once.train(order)[1] == wrong
    for a, b in zip(dense(at_once, averaged=True), dense(one_by_one, averaged=True), strict=True):
        assert a.tobytes() == b.tobytes()


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


@pytest.mark.parametrize(("margin", "C"), [(0, 0.0), (7, 0.0), (0, 0.25)])
@pytest.mark.parametrize("groups", [[0, 1, 1, 1], [2, 0, 2, 0], [0, 1, 2, 3]])
def test_steps_with_a_margin_and_weights_in_common_are_those_of_a_twin_that_keeps_them_apart(groups, margin, C):
    """The twin has weights of tags and weights of groups; a group of one tag has none in common."""
    tags, features, count = 4, 10, 10
    shared = [group if groups.count(group) > 1 else -1 for group in groups]
    for seed in range(12):
        draw = np.random.default_rng(seed)
        sentences = np.concatenate([[0], np.cumsum(draw.integers(1, 5, count))])
        tokens = [sorted(set(draw.integers(0, features, 4).tolist())) for _ in range(sentences[-1])]
        gold = draw.integers(0, tags, sentences[-1]).astype(np.int32)
        starts = np.concatenate([[0], np.cumsum([len(each) for each in tokens])]).astype(np.int64)
        ids, only = np.concatenate(tokens).astype(np.uint32), np.full(len(tokens), -1, dtype=np.int32)
        allowed = np.ones((tags + 1, tags + 1), dtype=np.uint8)
        trainer = TagTrainer(ids, starts, sentences, gold, only, features, allowed, 1, margin, groups)
        own, common, between = np.zeros((features, tags)), np.zeros((features, 3)), np.zeros((tags + 1, tags + 1))

        def summed(own, common):
            return own + np.stack([common[:, g] if g >= 0 else 0 * common[:, 0] for g in shared], axis=1)

        sums, steps = 0.0, 0
        for s in np.concatenate([draw.permutation(count) for _ in range(4)]):
            first, stop = sentences[s], sentences[s + 1]
            truth = gold[first:stop]
            emit = np.array([summed(own, common)[each].sum(axis=0) for each in tokens[first:stop]])
            emit[np.arange(stop - first), truth] -= margin
            if C:  # real numbers: of nearly equal ones either is right
                guess = decode(trainer, np.array([s]), False).tolist()
            else:
                guess, _ = numpy_viterbi(emit.astype(np.float32), between.astype(np.float32), only[first:stop])
            wrong = trainer.train(np.array([s]), C)[1]
            assert wrong == int((truth != guess).sum())
            d_own, d_common, d_between = np.zeros_like(own), np.zeros_like(common), 0.0
            for y, sign in ((truth.tolist(), 1), (guess, -1)):
                counts, pairs = phi(tokens[first:stop], y, features, tags)
                d_own, d_between = d_own + sign * counts, d_between + sign * pairs
                for tag, group in enumerate(shared):
                    if group >= 0:
                        d_common[:, group] += sign * counts[:, tag]
            norm = sum((each**2).sum() for each in (d_own, d_common, d_between))
            gap = (d_own * own).sum() + (d_common * common).sum() + (d_between * between).sum()
            tau = 1.0 if not C else min(C, (wrong - gap) / norm) if norm else 0.0
            own, common, between = own + tau * d_own, common + tau * d_common, between + tau * d_between
            found = dense(trainer, averaged=False)
            assert found[0] == pytest.approx(summed(own, common), abs=1e-5 if C else 0.0, rel=0)
            assert found[1] == pytest.approx(between, abs=1e-5 if C else 0.0, rel=0)
            sums, steps = sums + summed(own, common), steps + 1
        assert dense(trainer, averaged=True)[0] == pytest.approx(sums / steps, abs=1e-4 if C else 1e-12)
