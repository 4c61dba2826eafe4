"""Mutated files through every reader of sentences: what comes out is sentences that fit together, or one InputError."""

import random

import pytest

from linnet.errors import InputError
from linnet.structured.formats import SentenceFormat
from linnet.structured.sentence_files import SentenceDialect, SentenceFiles

GOOD = {
    SentenceFormat.CONLLU: (
        "# sent_id = 1\n1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_\n1\tvamos\tir\tVERB\t_\t_\t0\troot\t_\t_\n"
        "2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_\n2.1\ttal\ttal\tADJ\t_\t_\t_\t_\t_\t_\n\n"
        "1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    ),
    SentenceFormat.COLUMNS: "the DT B-NP\ndog NN I-NP\n\nran VBD O\n\n",
    SentenceFormat.SLASH: "the/DT dog/NN\n1/2/CD ./.\n",
    SentenceFormat.UNDERSCORE: "the_DT dog_NN\n_a_b_X ._.\n",
    SentenceFormat.JSONL: '{"tokens": ["a", "b\\u00e9"], "tags": ["c", "d"]}\n{"tokens": [], "tags": []}\n',
    SentenceFormat.TEXT: "one two thrée\nfour\n",
}
PIECES = (
    *(
        b"\t",
        b"\n",
        b"\r",
        b"\r\n",
        b" ",
        b"\0",
        b"\xff",
        b"\xc3",
        b"\xe2\x80\xa8",
        b"9" * 12,
        b"-",
        b".",
        b"1-1",
        b"0",
    ),
    *(b"{", b"}", b'"', b"\\", b"\\ud800", b"[", b",", b"null", b"/", b"_", b"#", b"\n\n", b"\x1f\x8b", b"BZh9", b"PK"),
)
FILES = 100_000


def mutated(draw, good):
    text = bytearray(good * draw.randint(1, 3))
    for _ in range(draw.randint(1, 8)):
        at = draw.randrange(len(text))
        what = draw.randrange(4)
        if what == 0:
            text[at] = draw.randrange(256)
        elif what == 1:
            del text[at : at + draw.randint(1, 9)]
        elif what == 2:
            text[at:at] = draw.choice(PIECES)
        else:
            text[at:at] = text[draw.randrange(len(text)) :][: draw.randint(1, 60)]
        text = text or bytearray(b"x")
    return bytes(text)


def check(found, text):
    """That the parts of some sentences fit one another, and that every bad one has a place and a reason."""
    assert (found.begins <= found.ends).all(), text
    assert found.starts[0] == 0, text
    assert found.starts[-1] == found.tokens == len(found.lines), text
    assert (found.starts[1:] >= found.starts[:-1]).all(), text
    assert int(found.ends.max(initial=0)) <= len(found.data), text
    for column in range(len(found.columns)):
        assert len(found.fields(column)) == found.tokens, text
    for bad in found.bad:
        assert bad.line >= 1, text
        assert "\n" not in bad.reason, text


def read_all(form, seed, count, path):
    """How many of some mutated files were read, and how many refused."""
    draw, good = random.Random(f"{form} {seed}"), GOOD[form].encode()
    read = refused = 0
    for _ in range(count):
        text = mutated(draw, good)
        path.write_bytes(text)
        given = form if draw.random() < 0.8 else None  # else the format is recognised
        to_predict = form is SentenceFormat.TEXT or draw.random() < 0.5
        dialect = SentenceDialect(given, heads=form is SentenceFormat.CONLLU and draw.random() < 0.5)
        try:
            files = SentenceFiles([str(path)], dialect, to_predict=to_predict)
            blocks = [files.parsed(chunk) for chunk in files.chunks()]  # without the threads of `blocks`
        except InputError:
            refused += 1
            continue
        read += 1
        for found in blocks:
            check(found, text)
    return read, refused


@pytest.mark.parametrize("form", list(GOOD))
def test_mutated_files_give_sentences_or_an_error(form, tmp_path):
    read, _ = read_all(form, 0, 300, tmp_path / "mutated")
    assert read > 50


@pytest.mark.slow
@pytest.mark.parametrize("form", list(GOOD))
def test_a_hundred_thousand_mutated_files_give_sentences_or_an_error(form, tmp_path):
    read, refused = read_all(form, 1, FILES, tmp_path / "mutated")
    assert read + refused == FILES
