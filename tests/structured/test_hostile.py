"""What foreign files and odd sentences once broke: dictionaries without a sequence, forged states, lost files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from linnet import DependencyParser, InputError, ModelFileError, SequenceTagger
from linnet.data.on_error import BadRows, OnError
from linnet.storage import container
from linnet.structured.history import History, Pass
from linnet.structured.parser import _with_trees
from linnet.structured.parser_decoders import decoder_named
from linnet.structured.parser_training import ParserProblem
from linnet.structured.projectivity import lifted, lowered
from linnet.structured.tagger_file import load
from linnet.structured.tree_drawing import MOST_CELLS, drawn
from linnet.structured.treebank import TagColumns, treebank
from tests.cli.calling import call

SENTENCES = [
    [("She", "PRON"), ("sleeps", "VERB")],
    [("Birds", "NOUN"), ("sing", "VERB"), ("well", "ADV")],
] * 6
TREES = [[(2, "nsubj"), (0, "root")], [(2, "nsubj"), (0, "root"), (2, "advmod")]] * 6


def city_tagger() -> SequenceTagger:
    """The dictionary gives York the tag I-LOC, which no sentence may begin with."""
    X = [["in", "New", "York", "now"], ["to", "Big", "Town", "and"], ["x", "y", "z", "w"]] * 7
    y = [["O", "B-LOC", "I-LOC", "O"], ["O", "B-LOC", "I-LOC", "O"], ["O"] * 4] * 7
    return SequenceTagger(passes=3, dictionary=2).fit(X, y)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 17, 60])
def test_words_of_a_dictionary_that_allow_no_sequence_get_tags_all_the_same(n):
    tagger = city_tagger()
    for _ in range(3):
        tags = tagger.predict([["York"] * n])[0]
        assert len(tags) == n
        assert set(tags) <= {"O", "B-LOC", "I-LOC"}


@pytest.mark.parametrize(("name", "beam"), [("transition", 1), ("transition", 3), ("eisner", 1)])
def test_states_of_huge_weights_are_refused_and_scores_that_are_no_numbers_harmless(name, beam, rng):
    given = _with_trees(SENTENCES, TREES)
    bank = treebank(given, BadRows(OnError.FAIL), TagColumns.of(given))
    problem, order = ParserProblem(decoder_named(name, beam), bank, 0), np.arange(len(SENTENCES))
    learner = problem.learner(order)
    learner.train(order)
    state = learner.state()
    for value in (np.nan, np.inf, 3.4e38):
        with pytest.raises(ValueError, match="too large"):
            problem.learner(order).restore(state | {"w": np.full_like(state["w"], value)})
    for _ in range(20):
        w = rng.choice([-1e30, 1e30], size=len(state["w"])).astype(np.float32)
        learner = problem.learner(order)
        learner.restore(state | {"w": w})
        learner.train(order)
        assert learner.weights.rows()[2].max(initial=0) < learner.weights.classes


def test_a_forged_tagger_is_refused(tmp_path):
    path = tmp_path / "t.linnet"
    X, y = [["a", "dog", "runs"], ["the", "cat", "sat"]] * 5, [["DET", "NOUN", "VERB"]] * 10
    SequenceTagger(passes=3).fit(X, y).save(path)
    content, tensors = container.read(path, "model")
    record = content["record"]

    def refused(**changed):
        container.write(path, "model", content | changed, tensors)
        with pytest.raises(ModelFileError):
            load(path)

    refused(columns=["word"] * 200_000)
    refused(record=record | {"metric": "[/foo]"})
    refused(record=record | {"history": record["history"] | {"passes": 10**15}})
    refused(record=record | {"history": record["history"] | {"passes": -5}})
    refused(tags=["a\tb", *content["tags"][1:]])
    for name in ("weights", "between"):
        container.write(path, "model", content, tensors | {name: np.full_like(tensors[name], 3e38)})
        with pytest.raises(ModelFileError, match="too large"):
            load(path)


def test_a_history_that_no_training_has_is_refused():
    sound = History(0, 30, 3, [Pass(1, 27, 2, 90, 0.9)], [Pass(0, 30, 0, 100)], 1)
    sound.check()
    for wrong in ({"passes": 0}, {"passes": 2}, {"passes": 10**15, "search": []}, {"examples": -1}):
        with pytest.raises(ValueError, match=r"wrong|tried"):
            replace(sound, **wrong).check()
    assert replace(sound, final=[], search=[]).lines()


def test_lifted_trees_of_hundreds_of_words_and_lowering_of_thousands_end():
    n = 150
    heads = [0, *(1 + (i * 37) % i for i in range(1, n))]
    projective, labels = lifted(heads, ["r"] * n)
    assert sorted(set(projective))[0] == 0
    assert len(labels) == n
    star = [0] + [1] * 20_000
    assert lowered(star, [("r", None)] + [("a", "b")] * 20_000) == star


def test_deep_trees_are_listed_without_branches():
    n = MOST_CELLS // 1000 + 1
    lines = drawn(["w"] * n, list(range(n)), ["r"] * n)
    assert lines == [("", "w", "r")] * n


def test_long_sentences_of_a_chart_are_refused_with_their_number():
    parser = DependencyParser(decoder="eisner", passes=1).fit(SENTENCES, TREES)
    with pytest.raises(InputError, match="sentence 2: 2,001 words, 2,000 at most"):
        parser.predict([[("a", "X")], [("a", "X")] * 2001])


def test_a_wide_beam_takes_shorter_sentences():
    parser = DependencyParser(passes=1).fit(SENTENCES, TREES)
    long = [("a", "X")] * 4000
    assert len(parser.predict([long])[0]) == 4000
    with pytest.raises(InputError, match="sentence 1: 4,000 words, 3,906 at most"):
        parser.predict([long], beam=1024)


def test_no_input_is_lost_to_a_checkpoint_or_a_prediction(tmp_path):
    rows = "".join(
        "".join(
            f"{i}\t{w}\t_\t{t}\t_\t_\t{h}\t{r}\t_\t_\n" for i, ((w, t), (h, r)) in enumerate(zip(*each, strict=True), 1)
        )
        + "\n"
        for each in zip(SENTENCES, TREES, strict=True)
    )
    data = tmp_path / "m.linnet.checkpoint"
    data.write_text(rows)
    for command in ("parse", "tag"):
        ended = call(command, "train", str(data), "-o", str(tmp_path / "m.linnet"), "--passes", "1")
        assert ended.returncode != 0
        assert data.read_text() == rows
    treebank_file, model = tmp_path / "zz1.conllu", tmp_path / "p.linnet"
    treebank_file.write_text(rows)
    assert call("parse", "train", str(treebank_file), "-o", str(model), "--passes", "1").returncode == 0
    ended = call("parse", "predict", str(model), str(tmp_path / "zz*.conllu"), "-o", str(treebank_file))
    assert ended.returncode != 0
    assert treebank_file.read_text() == rows


def test_deeply_nested_json_is_an_error_of_the_file(tmp_path):
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 100_000 + "\n")
    ended = call("tag", "train", str(path), "-o", str(tmp_path / "m.linnet"))
    assert ended.returncode == 3
    assert "internal" not in ended.stderr
