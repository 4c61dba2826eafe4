"""Files in any encoding are read as if they were UTF-8, and the first rows of all files decide which it is."""

from __future__ import annotations

import gzip
import io
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.sources.block import Position
from linnet.data.sources.encodings import encoding_named, marked_encoding
from linnet.data.sources.formats import Dialect, Format
from linnet.data.sources.opening import open_source
from linnet.data.sources.sampling import ROWS
from linnet.data.sources.source import described
from linnet.errors import RecipeError
from linnet.pipeline.options import TrainOptions
from tests.data.sources.tools import bad, blocks, opened, rows, values, written

TEXTS = {
    "csv": 'name,städte,y\nJürgen,"Köln, Düren",ja\nAndré,Zürich “am See”,nein\nBob,Rome,ja\n',
    "semicolons": "größe;preis;y\n1,5;10 €;a\n2,5;12 €;b\n",
    "tsv": "größe\ty\nhéllo wörld\ta\nça va\tb\n",
    "jsonl": '{"größe": 1.5, "t": "café"}\n{"größe": 2, "t": "naïve"}\n',
    "labelled text": "ja\tschöne Grüße\nnein\tnicht schön\nja\tgrün\nnein\tmüde\n",
    "labels": "__label__ja schöne Grüße\n__label__nein nicht schön\n",
}
ENCODINGS = ["utf-8-sig", "windows-1252", "utf-16", "utf-16-le", "utf-16-be"]


@pytest.mark.parametrize("size", [1, 7, None])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", TEXTS)
def test_a_file_in_any_encoding_is_read_like_one_of_utf8(kind, encoding, size, tmp_path):
    expected = opened(written(tmp_path, TEXTS[kind].encode()), size=size)
    wanted, form = rows(expected), expected.format
    source = opened(written(tmp_path, TEXTS[kind].encode(encoding)), size=size)
    assert (source.format, rows(source)) == (form, wanted)
    assert opened(written(tmp_path, TEXTS[kind].encode(encoding)), encoding=encoding).format == form
    starts = [chunk.at for chunk in source.chunks(Position())]
    for start in starts:  # every position can be reopened
        assert rows(source, start) == wanted[len(wanted) - len(rows(source, start)) :]
    compressed = written(tmp_path, TEXTS[kind].encode(encoding), how="gz")
    assert [value for *_, value in rows(opened(compressed, size=size))] == [value for *_, value in wanted]


def test_what_was_detected_is_described(tmp_path):
    cases = {
        ("windows-1252", None): "csv, encoding windows-1252, detected",
        ("utf-16", None): "csv, encoding utf-16-le, detected",
        ("utf-8", None): "csv",
        ("latin-1", "latin1"): "csv, encoding latin-1, given",
    }
    for (written_in, named), wanted in cases.items():
        paths = written(tmp_path, "a,größe\n1,x\n2,y\n".encode(written_in), suffix=".csv")
        encoding = None if named is None else encoding_named(named)
        assert described(open_source(paths, Dialect(encoding=encoding))) == wanted


def test_standard_input_is_decoded_too(monkeypatch):
    text = TEXTS["csv"]
    for encoding in ENCODINGS:
        for packed in (bytes, gzip.compress):
            stdin = type("Input", (), {"buffer": io.BytesIO(packed(text.encode(encoding)))})
            monkeypatch.setattr(sys, "stdin", stdin)
            assert [row["name"] for row in values(open_source(["-"]))] == ["Jürgen", "André", "Bob"]


@pytest.mark.parametrize(
    ("content", "encoding", "line", "column", "said"),
    [
        (b"a,b\n1,\xe9\n2,x\x81\n3,y\n", None, 3, 4, "byte 0x81 is not windows-1252: is that the encoding"),
        (b"a,b\n1,\xe9\n2,x\n", "utf-8", 2, 3, "byte 0xe9 is not UTF-8"),
        ("a,b\n1,é\n2,xZ\n".encode("utf-16-le").replace(b"Z\0", b"\0\xd8"), None, 3, 4, "is not utf-16-le"),
        ("a,b\n1,é\n2,x".encode("utf-16-be") + b"\0", None, 3, 4, "byte 0x00 is not utf-16-be"),
        (b"a,b\n1,\x83A\n2,x\xff\n3,y\n", "shift_jis", 3, 4, "byte 0xff is not shift_jis"),
    ],
)
@pytest.mark.parametrize("size", [1, None])
def test_a_byte_that_does_not_fit_is_a_bad_row_with_its_place(content, encoding, line, column, said, size, tmp_path):
    source = opened(written(tmp_path, content, suffix=".csv"), size=size, encoding=encoding)
    ((_, at, byte, reason),) = bad(source)
    assert (at, byte) == (line, column)
    assert said in reason
    assert "encoding" in reason


def test_what_follows_the_sample_in_another_encoding_is_an_error_with_its_line(tmp_path):
    text = b"t,y\n" + b"abc,1\n" * ROWS + b"caf\xe9,0\n" + b"x,1\n"
    source = opened(written(tmp_path, text, suffix=".csv"))
    ((_, line, column, reason),) = bad(source)
    assert (line, column) == (ROWS + 2, 4)
    assert "byte 0xe9 is not UTF-8, as the first rows are: name the encoding, for example encoding=" in reason
    source = opened(written(tmp_path, text, suffix=".csv"), encoding="windows-1252")
    assert values(source)[ROWS] == {"t": "café", "y": 0.0}


texts = st.text(st.sampled_from("ab é ü ß “€\u0416"), min_size=1, max_size=5)


@settings(max_examples=60)
@given(
    st.lists(texts, min_size=1, max_size=30),
    st.lists(st.integers(0, 30), max_size=4),
    st.sampled_from(["utf-8", "windows-1252"]),
    st.integers(1, 40),
)
def test_how_rows_are_split_does_not_decide_the_encoding(tmp_path_factory, lines, cuts, encoding, size):
    tmp_path = tmp_path_factory.mktemp("split")
    raw = [f"{line}|{i}".encode(encoding, "replace") for i, line in enumerate(lines)]
    header = "näme|i".encode(encoding)
    whole = written(tmp_path, b"\n".join([header, *raw]))
    expected = [value for *_, value in rows(opened(whole, Format.CSV, separator="|"))]
    edges = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    parts = [header + b"\n" + b"\n".join(raw[a:b]) for a, b in pairwise(edges)]
    source = opened(written(tmp_path, *parts), Format.CSV, separator="|", size=size)
    assert [value for *_, value in rows(source)] == expected
    assert not [row for block in blocks(source) for row in block.bad]


def test_utf8_with_a_few_wrong_bytes_is_still_utf8(tmp_path):
    text = "t,y\n" + "café,1\n" * 20
    source = opened(written(tmp_path, text.encode() + b"caf\xe9,0\n", suffix=".csv"))
    assert [line for _, line, *_ in bad(source)] == [22]
    assert len(values(source)) == 20


def test_marks_and_zeros_show_an_encoding():
    assert marked_encoding(b"\xef\xbb\xbfa") == "utf-8"
    assert marked_encoding("\ufeffa".encode("utf-32-le")) == "utf-32-le"
    assert marked_encoding("a,b\n你好,1\n".encode("utf-16-be")) == "utf-16-be"
    assert marked_encoding(b"plain") is None
    assert marked_encoding(b"one\0zero in some text, as damaged files have it") is None
    assert marked_encoding(b"") is None


def test_encodings_go_by_all_their_names():
    assert encoding_named("UTF8") == encoding_named("utf-8-sig") == "utf-8"
    assert encoding_named("CP1252") == encoding_named("windows-1252") == "windows-1252"
    assert encoding_named("ISO-8859-1") == encoding_named("latin1") == "latin-1"
    for name in ("punycode", "idna", "rot13", "base64", "unicode_escape", "nonsense", "\0", "zip"):
        assert encoding_named(name) is None
        with pytest.raises(RecipeError, match="encoding is the name of an encoding"):
            TrainOptions(encoding=name)
