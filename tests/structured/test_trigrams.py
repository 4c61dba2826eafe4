"""Taggers of second order: decoding against brute force, training against a Python twin, files, checkpoints, and what
else taggers of first order do."""

import itertools
import json
import os

import numpy as np
import pytest

from linnet import SequenceTagger
from linnet.errors import InputError, Interrupted, ModelFileError, RecipeError
from linnet.kernels.tagging_decoder import TagScorer
from linnet.kernels.tagging_features import Numbering, features
from linnet.kernels.tagging_means import decode
from linnet.kernels.tagging_sequences import best_sequences
from linnet.kernels.tagging_state import restore, state_of, weights_of
from linnet.kernels.tagging_trainer import TagTrainer
from linnet.kernels.tagging_trigrams import MOST_TRIGRAM_TAGS, best_by_trigrams
from linnet.pipeline.services import Services
from linnet.storage import container
from linnet.structured.sentences import of_lists
from linnet.structured.tag_options import TagOptions
from linnet.structured.tagger import TagRunner
from linnet.structured.tagger_file import load, save
from linnet.structured.tagger_training import TaggedSentences, train_tagger
from linnet.structured.trainer import Checkpoint
from tests.cli.calling import call

NEVER = np.float32(-1e30)


def score_of(y, emit, between, triples):
    """The sum of the scores of tokens, of pairs and of triples of tags; the end of a sentence is one place."""
    tags = emit.shape[1]
    path = (tags, tags, *y, tags)
    return (
        sum(emit[t, tag] for t, tag in enumerate(y))
        + sum(between[a, b] for a, b in itertools.pairwise(path[1:]))
        + sum(triples[path[at : at + 3]] for at in range(len(path) - 2))
    )


def brute_force(emit, between, triples, only):
    """All sequences that are allowed with their scores, best first; of equal ones, smaller last tags first."""
    tags = emit.shape[1]
    choices = [range(tags) if known < 0 else [known] for known in only]
    found = [(score_of(y, emit, between, triples), y) for y in itertools.product(*choices)]
    return sorted(((score, y) for score, y in found if score > -1e29), key=lambda each: (-each[0], each[1][::-1]))


def problem(draw, *, whole):
    """Scores; whole numbers of few values have many ties."""
    n, tags = int(draw.integers(1, 6)), int(draw.integers(1, 5))
    shapes = ((n, tags), (tags + 1,) * 2, (tags + 1,) * 3)
    if whole:
        emit, between, triples = (draw.integers(-1, 2, shape).astype(np.float32) for shape in shapes)
    else:
        emit, between, triples = ((20 * draw.normal(size=shape)).astype(np.float32) for shape in shapes)
    if draw.random() < 0.5:
        between[draw.random(between.shape) < 0.25] = NEVER
    only = np.where(draw.random(n) < 0.2, draw.integers(0, tags, n), -1).astype(np.int32)
    return emit, between, triples, only


def decoded(emit, between, triples, only, repeat=1):
    """Tags and margins by the kernel: word t has the feature t, whose weights are emit[t]; several sentences."""
    n, tags = emit.shape
    templates = np.array([[1, 0, 0]], dtype=np.int32)
    atoms = np.arange(1, n + 1, dtype=np.uint64)[:, None].copy()
    numbering = Numbering()
    own, others = np.tile(np.arange(n, dtype=np.uint32), repeat), np.empty((n * repeat, 0), dtype=np.uint64)
    bounded, starts = np.ones(1, dtype=np.uint8), np.arange(repeat + 1, dtype=np.int64) * n
    features(atoms, own, others, starts, templates, bounded, numbering, True)
    rows = (np.arange(n + 1) * tags, np.tile(np.arange(tags, dtype=np.int32), n), emit.reshape(-1))
    scorer = TagScorer(numbering.keys(), rows, between, templates, bounded, 1, triples)
    scorer.learn(atoms, only)
    return scorer.decode(atoms, own, others, starts, True)


@pytest.mark.parametrize("whole", [True, False])
def test_second_order_viterbi_margins_and_k_best_equal_brute_force(whole):
    draw = np.random.default_rng(whole)
    compared = ties = 0
    for _ in range(1800):
        emit, between, triples, only = problem(draw, whole=whole)
        every = brute_force(*(each.astype(float) for each in (emit, between, triples)), only)
        tags, margins = decoded(emit, between, triples, only)
        if not every:  # no sequence is allowed: any tags but those that are known
            assert all(known in (-1, tag) and 0 <= tag < emit.shape[1] for known, tag in zip(only, tags, strict=True))
            continue
        compared += 1
        ties += len(every) > 1 and every[0][0] == every[1][0]
        assert tuple(tags) == every[0][1]
        for t, tag in enumerate(tags):
            rival = next((score for score, y in every if y[t] != tag), None)
            if rival is None:
                assert margins[t] > 1e29
            else:
                assert margins[t] == pytest.approx(every[0][0] - rival, abs=1e-3)
        k = int(draw.integers(1, 8))
        found, scores = best_by_trigrams(emit, between, triples, only, k)
        assert [tuple(each) for each in found] == [y for _, y in every[:k]]
        assert scores == pytest.approx([score for score, _ in every[:k]], abs=1e-3)
    assert compared > 1200
    assert not whole or ties > 300


def test_trigrams_of_nothing_but_zeros_leave_first_order_as_it_is():
    draw = np.random.default_rng(5)
    for _ in range(300):
        emit, between, triples, only = problem(draw, whole=bool(draw.integers(2)))
        first = decoded(emit, between, None, only)
        second = decoded(emit, between, np.zeros_like(triples), only)
        if first[1].max() < 1e29 and best_sequences(emit, between, only, 1)[0].size:
            assert first[0].tolist() == second[0].tolist()
            assert first[1] == pytest.approx(second[1], abs=1e-3)


def test_long_sentences_decode_alike_whole_and_by_the_dynamic_program_of_a_twin():
    """Longer than the blocks that margins are made in; the twin keeps best scores of pairs in a dictionary."""
    draw = np.random.default_rng(8)
    for n in (64, 65, 130, 200):
        tags = 3
        emit = draw.integers(-9, 10, (n, tags)).astype(np.float32)
        between = draw.integers(-9, 10, (tags + 1,) * 2).astype(np.float32)
        triples = draw.integers(-9, 10, (tags + 1,) * 3).astype(np.float32)
        between[0, 1] = NEVER
        only = np.full(n, -1, dtype=np.int32)
        only[draw.integers(0, n, 5)] = 2

        def best(t=None, without=None, n=n, emit=emit, between=between, triples=triples, only=only, tags=tags):
            """The best score of all, or of sequences without a tag at t."""
            before = {(tags, tags): 0.0}
            for at in range(n):
                now = {}
                for (h, i), score in before.items():
                    for j in range(tags):
                        if (only[at] >= 0 and only[at] != j) or (at == t and j == without):
                            continue
                        s = score + float(emit[at, j]) + float(between[i, j]) + float(triples[h, i, j])
                        if s > now.get((i, j), -1e29):
                            now[i, j] = s
                before = now
            return max(
                (s + float(between[i, tags]) + float(triples[h, i, tags]) for (h, i), s in before.items()), default=None
            )

        codes, margins = decoded(emit, between, triples, only, repeat=2)
        assert codes[:n].tolist() == codes[n:].tolist()
        top = best()
        assert score_of(tuple(codes[:n]), *(each.astype(float) for each in (emit, between, triples))) == top
        for t in (0, 1, 2, 62, 63, n - 2, n - 1):
            rival = best(t, codes[t])
            if rival is None or rival < -1e28:
                assert margins[t] > 1e29
            else:
                assert margins[t] == top - rival


def cubes(tokens, y, features_count, tags):
    """The features of tags y: counts by feature and tag, of pairs of tags, and of triples."""
    w, between, triples = np.zeros((features_count, tags)), np.zeros((tags + 1,) * 2), np.zeros((tags + 1,) * 3)
    for ids, tag in zip(tokens, y, strict=True):
        np.add.at(w, (ids, tag), 1)
    path = (tags, tags, *y, tags)
    for at in range(len(path) - 2):
        between[path[at + 1 : at + 3]] += 1
        triples[path[at : at + 3]] += 1
    return w, between, triples


def dense(trainer, *, averaged):
    rows, entry_tags, weights, between, triples = weights_of(trainer, averaged)
    w = np.zeros((trainer.features, trainer.tags))
    for feature in range(trainer.features):
        row = slice(rows[feature], rows[feature + 1])
        w[feature, entry_tags[row]] = weights[row]
    return w, between, triples


@pytest.mark.parametrize("C", [0.0, 0.25])
def test_steps_are_those_of_the_formula_and_averaged_weights_the_plain_mean(C):
    for seed in range(20):
        draw = np.random.default_rng(seed)
        tags, count = int(draw.integers(2, 4)), 12
        lengths = draw.integers(1, 6, count)
        sentences = np.concatenate([[0], np.cumsum(lengths)])
        tokens = [sorted(set(draw.integers(0, 12, 4).tolist())) for _ in range(sentences[-1])]
        gold = draw.integers(0, tags, sentences[-1]).astype(np.int32)
        starts = np.concatenate([[0], np.cumsum([len(each) for each in tokens])]).astype(np.int64)
        ids, only = np.concatenate(tokens).astype(np.uint32), np.full(len(tokens), -1, dtype=np.int32)
        arguments = (ids, starts, sentences, gold, only, 12, np.ones((tags + 1,) * 2, dtype=np.uint8), 2)
        trainer = TagTrainer(*arguments)
        weights = dense(trainer, averaged=False)
        sums, steps = [np.zeros_like(each) for each in weights], 0
        for s in np.concatenate([draw.permutation(count) for _ in range(4)]):
            first, stop = sentences[s], sentences[s + 1]
            emit = np.array([weights[0][each].sum(axis=0) for each in tokens[first:stop]])
            truth = gold[first:stop].tolist()
            best = brute_force(emit, weights[1], weights[2], [-1] * len(truth))
            guess = decode(trainer, np.array([s]), False).tolist()
            if C:
                assert dict(map(reversed, best))[tuple(guess)] == pytest.approx(best[0][0], abs=1e-4)
            else:
                assert tuple(guess) == best[0][1]
            trainer.train(np.array([s]), C)
            delta = [
                a - b for a, b in zip(*(cubes(tokens[first:stop], y, 12, tags) for y in (truth, guess)), strict=True)
            ]
            norm = sum((each**2).sum() for each in delta)
            margin = sum((a * b).sum() for a, b in zip(delta, weights, strict=True))
            wrong = sum(a != b for a, b in zip(truth, guess, strict=True))
            tau = 1.0 if not C else min(C, (wrong - margin) / norm) if norm else 0.0
            wanted = [a + tau * b for a, b in zip(weights, delta, strict=True)]
            weights = dense(trainer, averaged=False)
            for found, want in zip(weights, wanted, strict=True):
                assert found == pytest.approx(want, abs=1e-6 if C else 0.0, rel=0)
            sums, steps = [a + b for a, b in zip(sums, weights, strict=True)], steps + 1
        for found, total in zip(dense(trainer, averaged=True), sums, strict=True):
            assert found == pytest.approx(total / steps, abs=1e-12)
        again = TagTrainer(*arguments)
        restore(again, state_of(trainer))
        order = np.arange(count)
        assert trainer.train(order, C) == again.train(order, C)
        assert all(
            (a == b).all() for a, b in zip(dense(trainer, averaged=True), dense(again, averaged=True), strict=True)
        )


def patterns(count, seed=3):
    """Sentences whose tags depend on the two tags before, and on the words only where a sentence begins."""
    draw = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(count):
        n = int(draw.integers(4, 9))
        tags = [int(draw.integers(2)), int(draw.integers(2))]
        while len(tags) < n:
            tags.append(tags[-2] ^ tags[-1] ^ 1)
        X.append([f"first{tags[0]}", f"second{tags[1]}", *["x"] * (n - 2)])
        y.append([f"T{tag}" for tag in tags])
    return X, y


def test_second_order_learns_what_first_order_cannot():
    X, y = patterns(200)
    held, truth = patterns(50, seed=4)
    first, second = (
        SequenceTagger(order=order, passes=10, templates=["word"]).fit(X, y).score(held, truth) for order in (1, 2)
    )
    assert second == 1.0
    assert first < 0.9


@pytest.fixture
def tagger():
    return SequenceTagger(order=2, passes=3, templates=["word", "word@-1"]).fit(*patterns(60))


def test_a_saved_tagger_predicts_the_same_and_a_damaged_one_is_refused(tagger, tmp_path):
    path = tmp_path / "two.linnet"
    tagger.save(path)
    again = SequenceTagger.load(path)
    X, _ = patterns(30, seed=9)
    assert again.order == again.tagger_.order == 2
    assert again.predict(X) == tagger.predict(X)
    assert again.margins(X) == tagger.margins(X)
    content, tensors = container.read(path, "model")
    for wrong in (
        tensors["triples"][:, :, :-1], tensors["triples"].astype(np.float64), tensors["triples"].reshape(-1),
        np.full_like(tensors["triples"], np.nan), np.full_like(tensors["triples"], np.inf),
    ):  # fmt: skip
        container.write(path, "model", content, {**tensors, "triples": np.ascontiguousarray(wrong)})
        with pytest.raises(ModelFileError):
            load(path)


def test_the_best_of_k_are_those_of_predict_and_rise_no_more(tagger):
    X, _ = patterns(20, seed=11)
    for sentence, best in zip(tagger.predict(X), tagger.best(X, 4), strict=True):
        scores = [score for score, _ in best]
        assert best[0][1] == sentence
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(tags) for _, tags in best}) == len(best)


def test_spans_are_valid_and_listed_words_keep_their_tag():
    draw = np.random.default_rng(2)
    words = ["a", "b", "c", "d"]
    X = [[words[at] for at in draw.integers(0, 4, draw.integers(1, 9))] for _ in range(80)]
    names = {"a": "O", "b": "B-X", "c": "I-X", "d": "B-Y"}
    y = [[names[word] for word in sentence] for sentence in X]
    y = [
        ["B-X" if tag == "I-X" and (not t or tags[t - 1][1:] != "-X") else tag for t, tag in enumerate(tags)]
        for tags in y
    ]
    tagger = SequenceTagger(order=2, passes=3, dictionary=5, templates=["suffix1@-1", "word"]).fit(X, y)
    assert tagger.scheme_ == "iob2"
    for sentence, tags in zip(X, tagger.predict(X), strict=True):
        for t, tag in enumerate(tags):
            assert tag[0] != "I" or tags[t - 1][1:] == tag[1:]
            assert sentence[t] != "a" or tag == "O"


def test_partial_fit_in_parts_is_that_of_the_whole_and_new_tags_are_added():
    X, y = patterns(60)
    whole = SequenceTagger(order=2, templates=["word"]).partial_fit(X, y, classes=["T0", "T1"])
    parts = SequenceTagger(order=2, templates=["word"])
    for first in range(0, 60, 25):
        parts.partial_fit(X[first : first + 25], y[first : first + 25], classes=["T0", "T1"])
    assert parts.tagger_.triples.tobytes() == whole.tagger_.triples.tobytes()
    assert parts.tagger_.weights.tobytes() == whole.tagger_.weights.tobytes()
    before = parts.tagger_.triples.copy()
    parts.partial_fit([["new", "x"]], [["T9", "T0"]])
    assert parts.tagger_.tags == ("T0", "T1", "T9")
    moved = parts.tagger_.triples[np.ix_([0, 1, 3], [0, 1, 3], [0, 1, 3])]
    last = state_of(parts._growing.learner.kernel)["trigrams"][np.ix_([0, 1, 3], [0, 1, 3], [0, 1, 3])]
    unmoved = np.zeros((3, 3, 3), dtype=bool)
    unmoved[0, 1, :2] = unmoved[1, 0, :2] = True
    assert moved[unmoved] == pytest.approx(before[unmoved] * 60 / 61 + last[unmoved] / 61, abs=1e-6)


def test_a_stopped_run_resumes_to_the_same_bytes(tmp_path):
    X, y = patterns(700)
    lengths = [len(each) for each in X]
    fields = [list(itertools.chain.from_iterable(each)) for each in (X, y)]
    tagged = TaggedSentences.of(of_lists(("word", "tag"), fields, lengths), "word", "tag", TagOptions().scheme)
    options = TagOptions(order=2, passes=3)

    def stopping(after):
        asked = itertools.count()
        return Services(stopped=lambda: next(asked) >= after)

    save(train_tagger(tagged, options), tmp_path / "whole.linnet")
    path, runs = str(tmp_path / "checkpoint"), 0
    while True:
        runs += 1
        try:
            found = train_tagger(tagged, options, services=stopping(2), checkpoint=Checkpoint(path, None, True))
            break
        except Interrupted:
            assert runs < 20
    assert runs > 2
    save(found, tmp_path / "resumed.linnet")
    assert (tmp_path / "resumed.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()
    first = TagOptions(passes=3)
    with pytest.raises(ModelFileError):
        train_tagger(tagged, first, checkpoint=Checkpoint(path, None, True))


def test_too_many_tags_other_orders_and_too_long_lists_are_refused(tagger, monkeypatch):
    X, y = [["x"]] * (MOST_TRIGRAM_TAGS + 1), [[f"T{n}"] for n in range(MOST_TRIGRAM_TAGS + 1)]
    with pytest.raises(InputError, match="128 at most"):
        SequenceTagger(order=2, passes=1).fit(X, y)
    SequenceTagger(order=2, passes=1, templates=["word"]).fit(X[1:], y[1:])
    with pytest.raises(RecipeError, match="order"):
        SequenceTagger(order=3).fit(X, y)
    monkeypatch.setattr("linnet.structured.tagger.MOST_BEGINNINGS", 100)
    with pytest.raises(InputError, match="too long for its 30 best"):
        tagger.best([["x"] * 5], 30)


def test_the_command_line_trains_predicts_and_inspects(tmp_path):
    data, model = tmp_path / "data.txt", tmp_path / "two.linnet"
    X, y = patterns(40)
    data.write_text(
        "\n".join("".join(f"{w} {t}\n" for w, t in zip(*each, strict=True)) for each in zip(X, y, strict=True))
    )
    made = call("tag", "train", data, "-o", model, "--order", 2, "--passes", 4, "--json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["order"] == 2
    shown = call("inspect", model, "--json")
    trigrams = json.loads(shown.stdout)["top_trigrams"]
    tagger = load(os.fspath(model))
    names = [*tagger.tags, "(outside)"]
    assert trigrams[0]["weight"] == pytest.approx(float(tagger.triples.max()))
    assert all(
        each["weight"] == pytest.approx(float(tagger.triples[tuple(names.index(tag) for tag in each["tags"])]))
        for each in trigrams
    )
    assert "top trigrams of tags" in call("inspect", model).stdout
    for more in (["--margins"], ["--best", 2]):
        assert call("tag", "predict", model, data, *more).returncode == 0, more
    assert "--order" in call("tag", "train", data, "-o", model, "--order", 3).stderr


def test_the_reasons_of_a_tag_are_the_differences_of_whole_sequences(tmp_path, tagger):
    """What inspect says of a token and its rival, summed, is the score of the sequence less that with the rival."""
    from linnet.structured.tag_explanation import explained

    X, _ = patterns(10, seed=21)
    tagger.save(tmp_path / "m")
    made = load(tmp_path / "m")
    for number, words in enumerate(X):
        sentences = of_lists(("word",), [words], [len(words)])
        emit = TagRunner(made).scores(sentences, "word").astype(float)
        codes = TagRunner(made).decoded(sentences, "word")[0].tolist()
        for t, each in enumerate(explained(made, sentences, "word", 0, 1000)):
            if each.rival is None:
                continue
            other = [*codes[:t], made.tags.index(each.rival), *codes[t + 1 :]]
            gap = score_of(tuple(codes), emit, made.between, made.triples) - score_of(
                tuple(other), emit, made.between, made.triples
            )
            assert sum(value for _, value in each.reasons) == pytest.approx(gap, abs=1e-4), number
