"""Parsers from files and from Python: training, files, evaluation, what is kept on output, and bad input."""

import gzip
import json
import random
from dataclasses import replace

import numpy as np
import pytest

import linnet
from linnet.data.on_error import BadRows, OnError
from linnet.errors import InputError, Interrupted, ModelFileError, RecipeError
from linnet.pipeline.services import Services
from linnet.storage import container
from linnet.structured import parser_file, parser_pipeline, trainer
from linnet.structured.attachment import Attachment, Ratio
from linnet.structured.parse_options import ParseOptions
from linnet.structured.parser import _sentences, _with_trees
from linnet.structured.parser_model import Trees
from linnet.structured.treebank import TagColumns
from tests.structured.parsing_twin import is_tree

WORDS = {
    "DET": ["the", "a", "every", "my"], "NOUN": ["dog", "cat", "tree", "bird", "house"], "ADJ": ["red", "old", "big"],
    "VERB": ["sees", "likes", "finds", "eats"], "ADV": ["often", "never"], "PUNCT": ["."],
}  # fmt: skip


def noun_phrase(rng, first, relation):
    """Words of a noun phrase from number `first` on, whose head is the last; heads of the phrase itself are None."""
    rows = [(rng.choice(WORDS["DET"]), "DET")] + [(rng.choice(WORDS["ADJ"]), "ADJ")] * rng.choice([0, 0, 1])
    rows.append((rng.choice(WORDS["NOUN"]), "NOUN"))
    head = first + len(rows) - 1
    arcs = [(head, "det" if tag == "DET" else "amod") for _, tag in rows[:-1]] + [(None, relation)]
    return rows, arcs


def sentence(rng):
    """Subject, verb, object: words with tags, and the tree."""
    words, arcs = noun_phrase(rng, 1, "nsubj")
    adverb = rng.random() < 0.3
    verb = len(words) + 1 + adverb
    if adverb:
        words, arcs = [*words, (rng.choice(WORDS["ADV"]), "ADV")], [*arcs, (verb, "advmod")]
    words, arcs = [*words, (rng.choice(WORDS["VERB"]), "VERB")], [*arcs, (0, "root")]
    more, more_arcs = noun_phrase(rng, len(words) + 1, "obj")
    words, arcs = [*words, *more, (".", "PUNCT")], [*arcs, *more_arcs, (verb, "punct")]
    return words, [(verb if head is None else head, relation) for head, relation in arcs]


def made(count, seed=0):
    rng = random.Random(seed)
    pairs = [sentence(rng) for _ in range(count)]
    return [words for words, _ in pairs], [tree for _, tree in pairs]


def conllu_text(sentences, trees):
    parts = []
    for number, (words, tree) in enumerate(zip(sentences, trees, strict=True)):
        parts.append(f"# sent_id = {number}\n")
        for token, ((word, tag), (head, relation)) in enumerate(zip(words, tree, strict=True), start=1):
            parts.append(f"{token}\t{word}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n")
        parts.append("\n")
    return "".join(parts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("trees")
    path.joinpath("train.conllu").write_text(conllu_text(*made(150)))
    path.joinpath("test.conllu").write_text(conllu_text(*made(40, seed=1)))
    return path


def trained(folder, *, services=None, checkpoint=None, **options):
    chosen, rejected = ParseOptions(**options), BadRows(OnError.FAIL)
    columns, bank = parser_pipeline.read_treebank(
        [str(folder / "train.conllu")], chosen, rejected, services or Services()
    )
    return parser_pipeline.fit(bank, columns, chosen, 0, services, checkpoint)


@pytest.fixture(scope="module")
def model(folder):
    return trained(folder, passes=4)


def text_of(model, path, threads=1, policy=OnError.FAIL):
    files = parser_pipeline.conllu([str(path)], None, heads=False)
    rejected = BadRows(policy)
    return b"".join(each.text for each in parser_pipeline.parsed_text(model, files, rejected, threads)), rejected


@pytest.mark.parametrize(
    "options",
    [
        {}, {"beam": 4}, {"beam": 4, "update": "early"}, {"decoder": "eisner"}, {"update": "passive-aggressive"},
        {"beam": 4, "update": "passive-aggressive"}, {"decoder": "eisner", "update": "passive-aggressive"},
    ],
)  # fmt: skip
def test_a_small_language_is_learnt_by_every_decoder(folder, options):
    parser = trained(folder, passes=5, **options)
    files = parser_pipeline.conllu([str(folder / "test.conllu")], None, heads=True)
    found = parser_pipeline.evaluated(parser, files, BadRows(OnError.FAIL), 1).as_dict()
    assert found["las"] > 0.97
    assert found["uas_interval"][0] <= found["uas"] <= found["uas_interval"][1]


def test_passes_are_chosen_by_held_out_sentences(folder):
    history = trained(folder).record.history
    assert history.held_out_examples == 15
    assert history.passes == len(history.final) <= len(history.search)
    assert history.held_out_score == max(each.held_out for each in history.search)


@pytest.mark.parametrize(
    "options",
    [{}, {"beam": 3}, {"decoder": "eisner"}, {"update": "passive-aggressive"},
     {"beam": 3, "update": "passive-aggressive"}],
)  # fmt: skip
def test_the_same_bytes_on_every_run_and_after_stop_and_resume(folder, tmp_path, options, monkeypatch):
    monkeypatch.setattr(trainer, "BLOCK", 40)
    parser_file.save(trained(folder, **options), tmp_path / "one.linnet")
    asked = 0

    def stopped():
        nonlocal asked
        asked += 1
        return asked % 4 == 0

    checkpoint = str(tmp_path / "run.checkpoint")
    stops = 0
    while True:
        try:
            resumed = trained(folder, services=Services(stopped=stopped), checkpoint=checkpoint, resume=True, **options)
            break
        except Interrupted:
            stops += 1
    assert stops > 1
    parser_file.save(resumed, tmp_path / "two.linnet")
    assert (tmp_path / "one.linnet").read_bytes() == (tmp_path / "two.linnet").read_bytes()


def test_a_checkpoint_of_other_trees_is_refused(folder, tmp_path):
    checkpoint = str(tmp_path / "run.checkpoint")
    with pytest.raises(Interrupted):
        trained(folder, services=Services(stopped=lambda: True), checkpoint=checkpoint)
    with pytest.raises(InputError, match="have changed"):
        trained(folder, checkpoint=checkpoint, resume=True, seed=1)


def test_a_saved_parser_parses_as_before(folder, model, tmp_path):
    parser_file.save(model, tmp_path / "m.linnet")
    loaded = parser_file.load(tmp_path / "m.linnet")
    assert text_of(loaded, folder / "test.conllu")[0] == text_of(model, folder / "test.conllu")[0]
    assert loaded.record == model.record
    parser_file.save(loaded, tmp_path / "again.linnet")
    assert (tmp_path / "again.linnet").read_bytes() == (tmp_path / "m.linnet").read_bytes()


def test_everything_but_heads_and_relations_is_kept(model, tmp_path):
    text = (
        "# newdoc\n# sent_id = é\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tx=1\n1\tthe\tl\tDET\t_\t_\t_\t_\t_\tA\n"
        "2\tdog\t_\tNOUN\t_\t_\t_\t_\t4:x\t_\n2.1\tnever\t_\t_\t_\t_\t_\t_\t_\t_\n3\tsees\t_\tVERB\t_\t_\t9\told\t_\t_\n"
        "4\tthe\t_\tDET\t_\t_\t_\t_\t_\t_\n5\tcat\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n\n# the end, and no blank line\n"
        "1\tdog\t_\tNOUN\t_\t_\t_\t_\t_\t_"
    )
    path = tmp_path / "new.conllu"
    path.write_text(text)
    found = text_of(model, path)[0].decode()
    fields, before = ([line.split("\t") for line in each.split("\n")] for each in (found, text))
    assert len(fields) == len(before)
    for now, then in zip(fields, before, strict=True):
        words = len(then) == 10 and then[0].isdigit()
        kept = slice(0, 6) if words else slice(None)
        assert now[kept] == then[kept]
        assert now[8:] == then[8:]
    heads = [int(each[6]) for each in fields if each[0].isdigit()]
    assert is_tree(heads[:5])
    assert heads[5] == 0
    assert [each[7] for each in fields if each[0].isdigit()][:3] == ["det", "nsubj", "root"]


def test_output_does_not_depend_on_threads_or_compression(folder, model, tmp_path):
    packed = tmp_path / "test.conllu.gz"
    packed.write_bytes(gzip.compress((folder / "test.conllu").read_bytes() * 300))
    one, many = text_of(model, packed)[0], text_of(model, packed, threads=3)[0]
    assert one == many
    assert one == text_of(model, folder / "test.conllu")[0] * 300


X = "\t_\tX\t_\t_\t"
BAD = {
    "cycle": (f"1\ta{X}2\tdep\t_\t_\n2\tb{X}1\tdep\t_\t_\n3\tc{X}0\troot\t_\t_\n", 1, "circle"),
    "two roots": (f"1\ta{X}0\troot\t_\t_\n2\tb{X}0\troot\t_\t_\n", 2, "second word with the head 0"),
    "no root": (f"1\ta{X}2\tdep\t_\t_\n2\tb{X}1\tdep\t_\t_\n", 1, "no word has the head 0"),
    "no heads": (f"1\ta{X}_\t_\t_\t_\n", 1, "no head"),
    "out of range": (f"1\ta{X}0\troot\t_\t_\n2\tb{X}7\tdep\t_\t_\n", 2, "head is 7"),
    "own head": (f"1\ta{X}1\tdep\t_\t_\n2\tb{X}0\troot\t_\t_\n", 1, "head is 1"),
    "columns": ("1\ta\t_\tX\n", 1, "4 columns where 10"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(BAD))
def test_sentences_without_a_tree_are_named_by_file_and_line_or_skipped(name, folder, model, tmp_path):
    text, line, reason = BAD[name]
    good = (folder / "test.conllu").read_text()
    lines_before = good.count("\n")
    path = tmp_path / "bad.conllu"
    path.write_text(good + "# a comment\n" + text + "\n" + good)
    with pytest.raises(InputError, match=f"bad.conllu:{lines_before + 1 + line}: .*{reason}"):
        parser_pipeline.read_treebank([str(path)], ParseOptions(), BadRows(OnError.FAIL), Services())
    rejected = BadRows(OnError.SKIP)
    _, bank = parser_pipeline.read_treebank([str(path)], ParseOptions(on_error="skip"), rejected, Services())
    assert (len(bank), rejected.count) == (80, 1)
    files = parser_pipeline.conllu([str(path)], None, heads=True)
    assert parser_pipeline.evaluated(model, files, BadRows(OnError.SKIP), 1).sentences == 80
    # to predict, heads do not matter; and what cannot be read stays in the output as it is
    out, _ = text_of(model, path, policy=OnError.SKIP)
    if name == "columns":
        assert text.encode() in out
    assert out.count(b"\n") == path.read_bytes().count(b"\n")


def test_a_file_without_trees_or_relations_says_so(tmp_path):
    path = tmp_path / "plain.conllu"
    path.write_text("1\ta\t_\tX\t_\t_\t0\t_\t_\t_\n\n")
    with pytest.raises(InputError, match=r"plain.conllu:1: no word has a relation"):
        parser_pipeline.read_treebank([str(path)], ParseOptions(), BadRows(OnError.FAIL), Services())


def test_fine_tags_are_xpos_where_there_are_some_else_upos_with_features():
    def columns(xpos, feats):
        text = [("w", f"U{i % 3}", xpos(i), feats(i)) for i in range(40)]
        return TagColumns.of(_sentences([text])).fine

    assert columns(lambda i: f"X{i % 7}", lambda _: "_") == ("xpos",)
    assert columns(lambda _: "_", lambda i: f"Case={i % 5}") == ("upos", "feats")
    assert columns(lambda _: "_", lambda _: "_") == ("upos", "feats")


def test_trees_that_cross_are_lifted_counted_and_lowered_again():
    words = [("A", "DET"), ("hearing", "NOUN"), ("is", "AUX"), ("scheduled", "VERB"), ("on", "ADP"), ("it", "PRON")]
    tree = [(2, "det"), (4, "nsubj"), (4, "aux"), (0, "root"), (6, "case"), (2, "nmod")]
    parser = linnet.DependencyParser(passes=10).fit([words] * 3, [tree] * 3)
    assert parser.predict([words]) == [tree]
    assert (parser.model_.record.non_projective, parser.model_.record.lifted_arcs) == (3, 3)


# -- evaluation ------------------------------------------------------------------------------------------------------


def test_scores_are_those_of_the_official_definition():
    """UAS and LAS by hand: universal relations count, subtypes do not; punctuation is left out by its gold relation."""
    words = [["a", "b", "c", "d"], ["e", "f"]]
    gold = [[(2, "nsubj:pass"), (0, "root"), (2, "obj"), (2, "punct")], [(0, "root"), (1, "punct")]]
    found = [[(2, "nsubj"), (0, "root"), (2, "obl"), (1, "punct")], [(2, "root"), (0, "punct")]]
    given = _with_trees(words, gold)
    names = tuple(sorted({relation for tree in found for _, relation in tree}))
    heads = np.array([head for tree in found for head, _ in tree], dtype=np.int32)
    relation = np.array([names.index(name) for tree in found for _, name in tree], dtype=np.int32)
    scores = Attachment()
    scores.add(given, Trees(heads, relation, names))
    plain = scores.as_dict()
    assert (plain["uas"], plain["las"], plain["las_full"]) == (3 / 6, 2 / 6, 1 / 6)
    assert (plain["uas_without_punctuation"], plain["las_without_punctuation"]) == (3 / 4, 2 / 4)
    assert plain["exact_trees"] == 0


def test_intervals_over_sentences_are_the_delta_method_and_do_not_depend_on_blocks():
    rng = np.random.default_rng(0)
    words = rng.integers(1, 30, size=200)
    right = rng.binomial(words, 0.8)
    whole, parts = Ratio(), Ratio()
    whole.add(right, words)
    for at in range(0, 200, 7):
        parts.add(right[at : at + 7], words[at : at + 7])
    p = right.sum() / words.sum()
    residuals = right - p * words
    error = np.sqrt((residuals**2).sum() * 200 / 199) / words.sum()
    low, high = whole.interval()
    assert parts == whole
    assert (high - low) / 2 == pytest.approx(1.97196 * error, rel=1e-4)
    assert (low + high) / 2 == pytest.approx(p)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(2000):
        words = rng.integers(1, 30, size=100)
        skill = rng.beta(8, 2, size=100)  # words of one sentence are alike
        ratio = Ratio()
        ratio.add(rng.binomial(words, skill), words)
        low, high = ratio.interval()
        held += low <= 0.8 <= high
    assert 0.925 <= held / 2000 <= 0.965


# -- model files -----------------------------------------------------------------------------------------------------


def test_files_that_are_not_parsers_are_refused_and_parsers_by_other_commands(model, tmp_path):
    path = tmp_path / "m.linnet"
    parser_file.save(model, path)
    with pytest.raises(ModelFileError, match="is a parser: use linnet parse"):
        linnet.load(path)
    content, tensors = container.read(path, "model")
    container.write(path, "model", content | {"structure": "tagger"}, tensors)
    with pytest.raises(ModelFileError, match="not a parser"):
        parser_file.load(path)


CHANGES = [
    {"decoder": "magic"}, {"beam": 0}, {"beam": 10**6}, {"beam": "2"}, {"templates": []}, {"templates": [["S9w"]]},
    {"templates": [["S0w"] * 6]}, {"templates": [[]]}, {"templates": [["S0w"]] * 600}, {"labels": []},
    {"labels": [["a", None]]},     {"labels": [["a\nb", None], ["b", None]]}, {"labels": 3},
    {"columns": {"coarse": ["nothing"]}}, {"columns": {"coarse": []}},     {"record": {}}, {"record": None},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_damaged_content_is_one_clear_error(model, tmp_path, change):
    path = tmp_path / "m.linnet"
    parser_file.save(model, path)
    content, tensors = container.read(path, "model")
    container.write(path, "model", content | change, tensors)
    with pytest.raises(ModelFileError, match=r"m\.linnet"):
        parser_file.load(path)


def test_hostile_tensors_are_refused_or_harmless(model, folder, tmp_path):
    path = tmp_path / "m.linnet"
    rng = np.random.default_rng(3)
    parser_file.save(model, path)
    content, tensors = container.read(path, "model")
    refused = 0
    for number in range(300):
        changed = dict(tensors)
        name = list(tensors)[number % len(tensors)]
        array = tensors[name].copy()
        flat = array.reshape(-1)
        kind = number % 7
        if kind == 0:
            array = array[:-1]
        elif kind == 1 and flat.dtype.kind == "f":
            flat[rng.integers(len(flat))] = rng.choice([np.nan, np.inf, 3e38])
        else:
            flat[rng.integers(len(flat))] = rng.integers(0, 1 << 31)
        changed[name] = array
        container.write(path, "model", content, changed)
        try:
            loaded = parser_file.load(path)
        except ModelFileError:
            refused += 1
            continue
        trees = text_of(loaded, folder / "test.conllu")[0].decode()
        for block in trees.strip().split("\n\n"):
            assert is_tree([int(line.split("\t")[6]) for line in block.split("\n") if not line.startswith("#")])
    assert refused > 150


# -- Python ----------------------------------------------------------------------------------------------------------


def test_dependency_parser_in_python(tmp_path):
    sentences, trees = made(120)
    parser = linnet.DependencyParser(passes=4).fit(sentences, trees)
    new, wanted = made(30, seed=2)
    assert parser.score(new, wanted) > 0.97
    parser.save(tmp_path / "p.linnet")
    assert linnet.DependencyParser.load(tmp_path / "p.linnet").predict(new) == parser.predict(new)
    assert parser.predict([[]]) == [[]]
    assert all(is_tree([head for head, _ in tree]) for tree in parser.predict(new, beam=3))
    words_only = linnet.DependencyParser(passes=2).fit([["a", "b"]], [[(2, "x"), (0, "root")]])
    assert words_only.predict([["a", "b"]]) == [[(2, "x"), (0, "root")]]


def test_dependency_parser_fits_a_file_as_it_fits_lists(folder):
    of_file = linnet.DependencyParser(passes=3).fit(folder / "train.conllu")
    of_lists = linnet.DependencyParser(passes=3).fit(*made(150))
    new, _ = made(30, seed=3)
    assert of_file.predict(new) == of_lists.predict(new)


@pytest.mark.parametrize(
    ("sentences", "trees", "message"),
    [
        ([["a"]], None, "a tree for each"), ([["a"]], [], "a tree for each"),
        ([["a"]], [[(0, "r"), (1, "x")]], "sentence 1"),
        ([[3]], [[(0, "r")]], "a word is a string"), ([["a", "b"]], [[(2, "x"), (1, "y")]], "no word has the head 0"),
        ([["a"]], [[(5, "x")]], "the head is 5"), ([["a"]], [[(2**50, "x")]], "the head is 1125"),
        ([["a"]], [[("0", "x")]], "whole"),
        ([["a\nb"]], [[(0, "r")]], "line end"), ([["a"]], [[(0, "r\t")]], "has a tab"), ([["a"]], [[(0, "")]], "empty"),
         ([[("a", "b", "c", "d", "e")]], [[(0, "r")]], "a word is a string"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_explained(sentences, trees, message):
    with pytest.raises(InputError, match=message):
        linnet.DependencyParser().fit(sentences, trees)


def test_options_that_do_not_combine():
    with pytest.raises(RecipeError, match="eisner searches all trees"):
        ParseOptions(decoder="eisner", beam=2)
    with pytest.raises(RecipeError, match="not fitted"):
        linnet.DependencyParser().predict([["a"]])


def test_a_record_is_read_back_as_it_was(model, tmp_path):
    parser_file.save(model, tmp_path / "m.linnet")
    content, _ = container.read(tmp_path / "m.linnet", "model")
    assert json.loads(json.dumps(content["record"]))["sentences"] == 150
    assert replace(model.record) == parser_file.load(tmp_path / "m.linnet").record
