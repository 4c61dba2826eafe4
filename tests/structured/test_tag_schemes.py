"""Spans and their figures: against a plain implementation of conlleval's rules, token by token."""

import random

import numpy as np
import pytest

from linnet.structured.tag_evaluation import TagTally
from linnet.structured.tag_schemes import Scheme, detected_scheme, spans_of, written


def conlleval_spans(tags):
    """The spans of one sentence by the rules of conlleval.pl (startOfChunk, endOfChunk) for B, I and O."""
    found, begin = set(), None
    for at, tag in enumerate([*tags, "O"]):
        before = tags[at - 1] if at else "O"
        a, b = before[0], tag[0]
        type_before, type_now = before[2:], tag[2:]
        ends = (a, b) in {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O")} or (a != "O" and type_before != type_now)
        begins = (a, b) in {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I")} or (b != "O" and type_before != type_now)
        if ends and begin is not None:
            found.add((begin, at - 1, type_before))
            begin = None
        if begins:
            begin = at
    return found


def random_sentences(draw, letters="BI"):
    names = ["O", "O", *(f"{letter}-{kind}" for letter in letters for kind in ("X", "Y"))]
    return [[draw.choice(names) for _ in range(draw.randint(1, 9))] for _ in range(draw.randint(1, 12))]


def coded(sentences):
    names = sorted({tag for tags in sentences for tag in tags})
    codes = np.array([names.index(tag) for tags in sentences for tag in tags], dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum([len(tags) for tags in sentences])]).astype(np.int64)
    return names, codes, starts


def as_sets(spans):
    firsts, lasts, types = spans.triples()
    return {(int(a), int(b), spans.names[int(c)]) for a, b, c in zip(firsts, lasts, types, strict=True)}


def test_spans_are_those_of_conlleval():
    draw = random.Random(1)
    for _ in range(500):
        sentences = random_sentences(draw)
        names, codes, starts = coded(sentences)
        wanted = {
            (begin + int(starts[s]), end + int(starts[s]), kind)
            for s, tags in enumerate(sentences)
            for begin, end, kind in conlleval_spans(tags)
        }
        assert as_sets(spans_of(names, codes, starts)) == wanted


@pytest.mark.parametrize("scheme", [each for each in Scheme if each is not Scheme.NONE])
def test_spans_survive_being_written_in_any_scheme(scheme):
    draw = random.Random(2)
    for _ in range(300):
        names, codes, starts = coded(random_sentences(draw, "BIES"))
        spans = spans_of(names, codes, starts)
        again = written(spans, starts, scheme)
        assert again[0] == sorted(again[0])
        assert as_sets(spans_of(*again, starts)) == as_sets(spans)


def test_schemes_are_detected():
    def of(*sentences):
        return detected_scheme(*coded(sentences))

    assert of(["NN", "VB"], ["B-X"]) is Scheme.NONE
    assert of(["O", "O"]) is Scheme.NONE
    assert of(["B-X", "I-X", "O", "B-Y"]) is Scheme.IOB2
    assert of(["I-X", "B-X", "O", "I-Y"]) is Scheme.IOB1
    assert of(["B-X", "E-X", "O", "S-Y"]) is Scheme.IOBES
    assert of(["B-X", "L-X", "O", "U-Y"]) is Scheme.BILOU
    assert of(["B-X", "M-X", "E-X", "O", "S-Y"]) is Scheme.BMES


def test_figures_are_those_of_conlleval_and_do_not_depend_on_blocks():
    draw = random.Random(3)
    for _ in range(60):
        truth = random_sentences(draw)
        guess = [[draw.choice([tag, tag, "O", "B-X", "I-Y"]) for tag in tags] for tags in truth]
        whole, parts = TagTally(True), TagTally(True)
        for tally, cuts in ((whole, [len(truth)]), (parts, range(1, len(truth) + 1))):
            before = 0
            for cut in cuts:
                names, codes, starts = coded(truth[before:cut])
                found, found_codes, _ = coded(guess[before:cut])
                tally.add((names, codes), (found, found_codes), np.zeros(len(codes), dtype=bool), starts)
                before = cut
        figures = whole.as_dict()
        assert figures == parts.as_dict()
        a = {(s, *span) for s, tags in enumerate(truth) for span in conlleval_spans(tags)}
        b = {(s, *span) for s, tags in enumerate(guess) for span in conlleval_spans(tags)}
        if a and b:
            assert figures["precision"] == pytest.approx(len(a & b) / len(b))
            assert figures["recall"] == pytest.approx(len(a & b) / len(a))
            assert figures["f1"] == pytest.approx(2 * len(a & b) / (len(a) + len(b)))
        for kind, each in figures["per_type"].items():
            assert each["spans"] == sum(span[-1] == kind for span in a)
            assert each["predicted"] == sum(span[-1] == kind for span in b)
        flat = [
            (x, z) for tags, tags_found in zip(truth, guess, strict=True) for x, z in zip(tags, tags_found, strict=True)
        ]
        assert figures["accuracy"] == pytest.approx(np.mean([x == z for x, z in flat]))


def test_intervals_cover_the_truth():
    """95 % intervals of the accuracy over sentences that are alike within: about 95 % of them hold the truth."""
    draw = np.random.default_rng(4)
    held = 0
    for _ in range(400):
        tally = TagTally(False)
        lengths = draw.integers(1, 30, 150)
        rates = draw.beta(8, 2, 150)
        right = np.concatenate([draw.random(n) < p for n, p in zip(lengths, rates, strict=True)])
        starts = np.concatenate([[0], np.cumsum(lengths)])
        zeros = np.zeros(len(right), dtype=np.int32)
        tally.add(
            (["a", "b"], zeros), (["a", "b"], (~right).astype(np.int32)), np.zeros(len(right), dtype=bool), starts
        )
        low, high = tally.as_dict()["accuracy_interval"]
        held += low <= 0.8 <= high
    assert 0.91 < held / 400 < 0.99
