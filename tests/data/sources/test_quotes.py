"""A stray quote swallows no rows: it is literal, reported with its line, whatever the size of chunks."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.sources import syntax
from linnet.data.sources.formats import Format, StrayQuotes
from linnet.errors import InputError, RecipeError
from linnet.pipeline.options import TrainOptions
from tests.data.sources.tools import bad, blocks, opened, rows, values, written

SIZES = [1, 5, 17, 100, 4096, None]


def table(count, stray, *, separator=","):
    """Rows of three fields, of which some begin with a quote that they do not end with."""
    lines = ["id,text,y".replace(",", separator)]
    for i in range(count):
        text = f'"word {i}' if i in stray else f"word {i}"
        lines.append(separator.join([str(i), text, str(i % 2)]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("stray", [{499}, {0}, {100, 300}, {100, 101}, {7, 8, 9}, {5, 480}])
def test_no_row_is_swallowed(stray, separator, size, tmp_path):
    content = table(500, stray, separator=separator).encode()
    source = opened(written(tmp_path, content, suffix=".csv"), Format.CSV, size=size)
    found = values(source)
    assert [row["id"] for row in found] == list(range(500))
    assert [row["text"] for row in found] == [f'"word {i}' if i in stray else f"word {i}" for i in range(500)]
    assert not bad(source)
    notes = [note for block in blocks(source) for note in block.notes]
    assert sum(note.rows for note in notes) == len(stray)
    assert notes[0].first.endswith(f":{min(stray) + 2}")


def test_stray_quotes_can_be_errors(tmp_path):
    source = opened(written(tmp_path, table(50, {7}).encode(), suffix=".csv"), stray_quotes=StrayQuotes.ERROR)
    ((_, line, column, reason),) = bad(source)
    assert (line, column) == (9, 3)
    assert "within 10,000 lines" in reason
    assert len(values(source)) == 49


def test_quotes_of_inches_and_ditto_marks_close_nothing_far_away(tmp_path):
    lines = ["id,size,y", *(f'{i},{i}",1' if i % 7 == 0 else f"{i},x,1" for i in range(60)), '60,"broken,1']
    lines += [f'{i},{i}",1' if i == 93 else f"{i},x,1" for i in range(61, 120)]
    source = opened(written(tmp_path, "\n".join(lines).encode(), suffix=".csv"))
    assert [row["id"] for row in values(source)] == list(range(120))


def test_texts_of_many_lines_are_one_field(tmp_path):
    texts = ["one\ntwo\n\nthree", "a, b\n" * 50, "x\n" * 9_000]
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([["text", "y"], *([text, "1"] for text in texts)])
    for size in (1000, None):
        source = opened(written(tmp_path, file.getvalue().encode(), suffix=".csv"), size=size)
        assert [row["text"] for row in values(source)] == texts
        notes = [note for block in blocks(source) for note in block.notes]
        assert [(note.rows, note.first.rpartition(":")[2]) for note in notes] == [(1, "6")]
        assert "each like a row: it is one row" in notes[0].what


pieces = st.sampled_from(
    ['"', '""', '"', ",", "a", " ", "\n", "\n", "\r\n", "\r", "é", '"x"', "1", "a,b\n", '",', '\n"']
)


@settings(max_examples=150)
@given(
    st.lists(pieces, max_size=40).map("".join),
    st.sampled_from(SIZES),
    st.sampled_from([",", "\t", " "]),
    st.sampled_from([3, 12]),
)
def test_any_size_of_chunks_gives_the_same_rows(tmp_path_factory, text, size, separator, most_lines):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(syntax, "MOST_QUOTED_LINES", most_lines)
        text = f"h1,h2\nc,d\n{text}".replace(",", separator).encode()
        paths = written(tmp_path_factory.mktemp("chunks"), text, suffix=".csv")
        whole = opened(paths, Format.CSV, separator=separator, header=True)
        cut = opened(paths, Format.CSV, size=size, separator=separator, header=True)
        assert rows(cut) == rows(whole)
        assert bad(cut) == bad(whole)
        noted = [sum(note.rows for block in blocks(each) for note in block.notes) for each in (cut, whole)]
        assert noted[0] == noted[1]


@pytest.mark.parametrize("size", [1, None])
def test_another_quote_or_none_can_be_given(size, tmp_path):
    text = "a,b\n'x,y',\"1\n'it''s',2\"\n"
    paths = written(tmp_path, text.encode(), suffix=".csv")
    assert values(opened(paths, size=size, quote="'")) == [{"a": "x,y", "b": '"1'}, {"a": "it's", "b": '2"'}]
    paths = written(tmp_path, b'a,b\n"x,1\ny",2\n', suffix=".csv")
    assert values(opened(paths, size=size, quote="none")) == [{"a": '"x', "b": 1.0}, {"a": 'y"', "b": 2.0}]


def test_quotes_and_separators_that_cannot_be_are_refused(tmp_path):
    for wrong in ("''", "é", "a", "", "\n", ","):
        with pytest.raises(RecipeError, match="quote is one ASCII character"):
            TrainOptions(quote=wrong)
    for wrong in (",,", "é", "a", "", "\n", '"', "-"):
        with pytest.raises(RecipeError, match="separator is one ASCII character"):
            TrainOptions(separator=wrong)
    paths = written(tmp_path, b"a,b\n1,2\n", suffix=".csv")
    with pytest.raises(InputError, match="cannot both be"):
        opened(paths, separator="'", quote="'")


def test_separators_go_by_their_names():
    named = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "blanks": " ", " ": " ", "^": "^"}
    assert {name: TrainOptions(separator=name).separator for name in named} == named
