"""Delimited text is read like Python's csv module reads it, and what is wrong is named with its line and column."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linnet.data.sources.block import Position
from linnet.data.sources.formats import Format
from linnet.data.sources.syntax import Syntax
from linnet.errors import InputError
from linnet.kernels.delimited import records
from tests.data.sources.tools import bad, blocks, opened, rows, values, wanted, written

texts = st.text(st.sampled_from('ab é,;"\n\r\t 1.😀|'), max_size=6)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(texts, min_size=width, max_size=width), min_size=1, max_size=12)
)


def reading(tmp_path, content, size=None, **options):
    content = content.encode() if isinstance(content, str) else content
    return opened(written(tmp_path, content, suffix=".csv"), Format.CSV, size=size, **options)


@settings(max_examples=80)
@given(
    tables,
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(1, 40),
    st.sampled_from(
        [("utf-8", None), ("utf-8-sig", None), ("utf-16", None), ("utf-16-be", "utf-16-be"), ("gb18030", "gb18030")]
    ),
)
def test_what_the_csv_module_writes_is_read_back(tmp_path_factory, table, delimiter, end, size, encoding):
    # where tabs separate, lines that could be rows are rows
    assume(delimiter != "\t" or not any("\t" in text and set(text) & set("\r\n") for row in table for text in row))
    names = [f"n{i}" for i in range(len(table[0]))]
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([names, *table])
    path = tmp_path_factory.mktemp("csv")
    paths = written(path, file.getvalue().encode(encoding[0]))
    source = opened(paths, Format.CSV, size=size, encoding=encoding[1])
    source.select_columns(wanted(**dict.fromkeys(names, False)))
    expected = [dict(zip(names, row, strict=True)) for row in table]
    assert values(source) == expected


@settings(max_examples=80)
@given(st.lists(st.sampled_from(['"', '""', ",", "a", " ", "\n", "\r\n", "\r", "é", '"x"', "1"]), max_size=25))
def test_records_and_fields_are_those_of_the_csv_module(tmp_path_factory, pieces):
    text = "h1,h2\na,b\n" + "".join(pieces)
    assume((records(np.frombuffer(text.encode(), dtype=np.uint8), ord(","), 34, 2)[4] == -1).all())  # no stray quotes
    expected = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assume(not any(len(row) == 3 and not row[2] for row in expected))  # a separator at the end is no field here
    source = reading(tmp_path_factory.mktemp("csv"), text, size=5)
    source.select_columns(wanted(h1=False, h2=False))
    good = [dict(zip(("h1", "h2"), row, strict=True)) for row in expected if len(row) == 2]
    assert values(source) == good


@given(st.lists(texts, min_size=1, max_size=5))
def test_fields_of_a_record_are_those_of_the_csv_module(fields):
    file = io.StringIO()
    csv.writer(file, lineterminator="").writerow(fields)
    assert [text.decode() for _, text in Syntax().fields(file.getvalue().encode())] == fields


@settings(max_examples=50)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.sampled_from(["r", ".17g", ".25e"]))
def test_numbers_are_exactly_those_of_python(tmp_path_factory, numbers, form):
    written_down = [repr(x) if form == "r" else format(x, form) for x in numbers]
    source = reading(tmp_path_factory.mktemp("csv"), "x,y\n" + "".join(f"{x},1\n" for x in written_down))
    assert [repr(row["x"]) for row in values(source)] == [repr(float(x)) for x in written_down]


@pytest.mark.parametrize("number", ["+1.5", " 2", "3 ", ".5", "5.", "1E5", "-0", "007", "1e-999", '" 4"', "\t6"])
def test_every_way_to_write_a_number_is_read_alone_and_beside_a_bad_one(number, tmp_path):
    expected = float(number.strip('"'))
    for beside in ("1", "wrong"):
        source = reading(tmp_path, f"x,y\n1,1\n{number},1\n{beside},1\n")
        source.select_columns(wanted(x=True))
        got = values(source)[1]["x"]
        assert repr(got) == repr(expected)


@pytest.mark.parametrize("given", ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A"])
def test_missing_values_are_missing_in_columns_of_numbers_and_of_strings(given, tmp_path):
    for mark in (given, f'"{given}"'):
        source = reading(tmp_path, f"x,t,y\n1,a,1\n{mark},{mark},2\n")
        assert values(source)[1] == {"x": None, "t": None, "y": 2.0}


def test_a_missing_number_may_have_blanks_around_it(tmp_path):
    assert values(reading(tmp_path, "x, y\n1, 2\n ?, NA\n3, 4\n")) == [
        {"x": 1.0, "y": 2.0},
        {"x": None, "y": None},
        {"x": 3.0, "y": 4.0},
    ]


@pytest.mark.parametrize("byte", [b"\xff", b"\xc3"])
def test_a_byte_that_is_not_utf8_is_named_where_more_of_the_text_is(byte, tmp_path):
    source = reading(tmp_path, "a,b\n1,é\n2,é\n3,".encode() + byte + b"\n5,x\n", 4)
    ((_, line, column, reason),) = bad(source)
    assert (line, column) == (4, 3)
    assert f"byte {byte[0]:#04x} is not UTF-8" in reason
    assert "encoding='windows-1252'" in reason
    assert [row["b"] for row in values(source)] == ["é", "é", "x"]


def test_dates_and_times_are_seconds_and_a_wrong_one_is_named(tmp_path):
    text = "day,at,n\n1970-01-02,1970-01-01 00:01:00,1\n1970-01-03,?,2\n"
    expected = [{"day": 86400.0, "at": 60.0, "n": 1.0}, {"day": 172800.0, "at": None, "n": 2.0}]
    source = reading(tmp_path, text)
    assert values(source) == expected
    written(tmp_path, (text + "soon,1970-01-01 00:00:01,3\n").encode(), suffix=".csv")
    assert values(source) == expected
    assert [(line, column) for _, line, column, _ in bad(source)] == [(4, 1)]
    assert "day should be a date but is 'soon'" in bad(source)[0][3]


def test_hexadecimal_is_no_number(tmp_path):
    assert values(reading(tmp_path, "x,y\n0x1F,1\n0x10,2\n"))[0]["x"] == "0x1F"


@pytest.mark.parametrize(
    ("content", "place", "reason"),
    [
        (b"a,b\n1,2\n3\n5,6\n", "3", "1 fields where the header has 2"),
        (b"a,b\n1,2\n3,4,5\n5,6\n", "3", "3 fields where the header has 2"),
        (b"a,b\r\n1,2\r\n\r\n3\r\n5,6\r\n", "4", "1 fields"),
        (b"a,b\r1,2\r3\r5,6\r", "3", "1 fields"),
        (b'a,b\n"1\n",2\n3\n5,6\n', "4", "1 fields"),
        (b"a,b\n1,2\n3,\0\n5,6\n", "3:3", "a NUL byte"),
        (b"a,b\n1,2\n3,inf\n5,6\n", "3:3", "b should be a finite number but is"),
        (b"a,b\n1,2\n3,1e999\n5,6\n", "3:3", "finite"),
    ],
)
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_what_is_wrong_is_named_with_file_and_line(content, place, reason, size, tmp_path):
    source = reading(tmp_path, content, size)
    if "finite" in reason:
        source.select_columns(wanted(a=True, b=True))
    (row,) = [row for chunk in source.chunks(Position()) for row in source.parse(chunk).bad]
    assert str(row).startswith(f"{source.files.name(0)}:{place}: ")
    assert reason in str(row)
    assert [tuple(map(float, value.values())) for value in values(source)] == [(1, 2), (5, 6)]


@pytest.mark.parametrize(
    ("record", "column", "said"),
    [("x,2,é", 1, "'x'"), ("1,x y,é", 3, "'x y'"), ('1,"x ""y""",é', 3, "'x \"y\"'"), ('"1","q","z"', 5, "'q'")],
)
def test_text_in_a_column_of_numbers_is_named_with_its_byte_and_a_remedy(record, column, said, tmp_path):
    source = reading(tmp_path, "a,b,c\n1,2,x\n3,4,y\n")
    written(tmp_path, f"a,b,c\n1,2,x\n{record}\n3,4,y\n".encode(), suffix=".csv")
    ((_, line, at, reason),) = bad(source)
    assert (line, at) == (3, column)
    assert f"should be a finite number but is {said}" in reason
    assert "with columns" in reason
    assert [line for _, line, _ in rows(source)] == [2, 4]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "there are no rows"),
        (b"\n\r\n  \n", "there are no rows"),
        (b"\xef\xbb\xbf", "there are no rows"),
        (b"a,b\n", "there are no rows"),
        (b"a,b", "there are no rows"),
        (b"a,b\n1\n2\n", ":2: 1 fields"),
    ],
)
def test_a_file_without_a_good_row_is_refused_at_once(content, said, tmp_path):
    with pytest.raises(InputError) as told:
        reading(tmp_path, content)
    assert "part000.csv" in str(told.value)
    assert said in str(told.value)


def test_files_share_columns_by_name_in_any_order(tmp_path):
    contents = b"a,b,c\n1,2,x\n", b"\nc,b,a\ny,4,3\n", b"b,a\n6,5\n", b"d,c,a,b\n9,z,7,8\n"
    paths = written(tmp_path, *contents, suffix=".csv")
    for size in (1, 10, 1000):
        source = opened(paths, size=size)
        assert [tuple(row.values()) for row in values(source)] == [(1, 2, "x"), (3, 4, "y"), (5, 6, None), (7, 8, "z")]
        notes = [str(note) for block in blocks(source) for note in block.notes]
        assert notes == [
            f"the column 'c' is missing: 1 row, first {paths[2]}:2",
            f"the column 'd' is ignored, for the first file has none of that name: 1 row, first {paths[3]}:2",
        ]
        # from the middle of a file on, too, whose header is not read then
        later = [chunk.at for chunk in source.chunks(Position())][-1]
        assert values(opened(paths, size=size))[-1] == rows(opened(paths, size=size), later)[-1][2]


def test_a_file_with_other_columns_is_refused(tmp_path):
    paths = written(tmp_path, b"a,b\n1,2\n", b"\n1,2\n3,4\n", suffix=".csv")
    with pytest.raises(
        InputError, match=r"part001.csv:2: has none of the columns of .*part000.csv: they are a, b, and"
    ):
        values(opened(paths))


def test_names_that_are_there_twice_or_not_at_all_are_numbered(tmp_path):
    assert reading(tmp_path, "a,b,a,,a.1,a,\n1,2,3,4,5,6,7\n").columns == ["a", "b", "a.2", "c4", "a.1", "a.3", "c7"]


def test_a_separator_at_the_end_of_a_line_ends_it(tmp_path):
    expected = [{"a": 1.0, "b": "x"}, {"a": 3.0, "b": None}]
    for text in ("a,b\n1,x,\n3,,\n", "a,b,\n1,x\n3,\n", "a,b\n1,x\n3,,\n", "a,b\r\n1,x,\r\n3,\r\n"):
        assert values(reading(tmp_path, text)) == expected, text
    assert [row["a"] for row in values(reading(tmp_path, "a,b,\n1,x,\n3,,\n"))] == [1.0, 3.0]


def test_a_header_may_lack_the_name_of_the_first_column_as_r_writes_it(tmp_path):
    assert values(reading(tmp_path, '"a","b"\n"r1",1,"x"\n"r2",2,"y"\n'))[1] == {"c1": "r2", "a": 2.0, "b": "y"}
    assert values(reading(tmp_path, '"a" "b"\n"1" 1 2\n"2" 3 4\n'))[1] == {"c1": 2.0, "a": 3.0, "b": 4.0}


def test_a_file_may_begin_with_a_byte_order_mark_and_blank_lines(tmp_path):
    assert rows(reading(tmp_path, b"\xef\xbb\xbf\r\na,b\r\n1,2\r\n"))[0][1:] == (3, {"a": 1.0, "b": 2.0})


@pytest.mark.parametrize("size", [1, 8, 20, 1000])
def test_a_quote_right_behind_the_byte_order_mark_opens_a_field(size, tmp_path):
    text = '"a\nb","c"\n"1","x\ny"\n"2","z"\n'
    source = reading(tmp_path, "\ufeff" + text, size)
    assert source.columns == ["a\nb", "c"]
    assert [value["c"] for value in values(source)] == ["x\ny", "z"]
    assert rows(source) == rows(reading(tmp_path, text, size))


def test_columns_without_a_header_are_numbered(tmp_path):
    assert values(reading(tmp_path, "1,x\n2,y\n")) == [{"c1": 1.0, "c2": "x"}, {"c1": 2.0, "c2": "y"}]
    assert values(reading(tmp_path, "a,x\nb,y\n", header=False))[0] == {"c1": "a", "c2": "x"}
    assert values(reading(tmp_path, "1,x\n2,y\n", header=True)) == [{"1": 2.0, "x": "y"}]
    assert values(reading(tmp_path, ",x\n2,y\n")) == [{"c1": 2.0, "x": "y"}]


def test_decimal_commas_do_not_hide_the_semicolons(tmp_path):
    assert values(reading(tmp_path, "a;b\n1,5;2,5\n3,5;4,5\n"))[0] == {"a": 1.5, "b": 2.5}


def test_a_table_may_be_wider_than_what_is_looked_at_first(tmp_path):
    names = [f"a_rather_long_name_of_a_column_{i}" for i in range(20_000)]
    text = ",".join(names) + "\n" + ",".join(map(str, range(20_000))) + "\n"
    source = reading(tmp_path, text)
    assert source.columns == names
    assert list(values(source)[0].values()) == list(map(float, range(20_000)))


def test_a_record_may_be_longer_than_what_is_looked_at_first(tmp_path):
    text = "some words, " * 100_000
    assert values(reading(tmp_path, f'a,b\n1,"{text}"\n2,y\n')) == [{"a": 1.0, "b": text}, {"a": 2.0, "b": "y"}]


def test_a_line_without_end_is_refused_in_bounded_memory(tmp_path):
    source = reading(tmp_path, "a,b\n1,2\n", 1 << 16)
    source.cutting = replace(source.cutting, longest=1 << 20)
    with open(source.files.paths[0], "wb") as file:
        file.write(b'a,b\n1,2\n1,"')
        file.truncate(1 << 32)
    with pytest.raises(InputError, match=r"part000.csv:3: a line of more than 1 MiB"):
        values(source)


@settings(max_examples=30)
@given(st.integers(5, 60), st.integers(0, 10**9), st.integers(1, 200))
def test_corrupting_lines_makes_exactly_those_rows_bad(tmp_path_factory, n, seed, size):
    source = random.Random(seed)
    good = [f"{source.gauss(0, 1)!r},{source.choice(['x', 'é', '', '?'])},{source.randrange(9)}" for _ in range(n)]
    path = tmp_path_factory.mktemp("csv")
    reader = reading(path, "a,t,b\n" + "".join(line + "\n" for line in good), size)
    clean = rows(reader)
    broken = set(source.sample(range(n), source.randrange(n)))
    lines = [
        source.choice([b"1,2", b"1,2,3,4", b"x,y,1", b"1,\xff,1", b"1,\0,1", b"1,x,inf", b"oops"])
        if i in broken
        else line.encode()
        for i, line in enumerate(good)
    ]
    written(path, b"a,t,b\n" + b"".join(line + b"\n" for line in lines), suffix=".csv")
    assert [line for _, line, *_ in bad(reader)] == [i + 2 for i in sorted(broken)]
    assert rows(reader) == [row for i, row in enumerate(clean) if i not in broken]


def test_a_chunk_of_nothing_but_bad_rows_takes_no_longer_than_reading_them(tmp_path):
    source = reading(tmp_path, "a,b\n1,2\n")
    written(tmp_path, b"a,b\n" + b"x,y\n" * 20_000, suffix=".csv")
    assert len(bad(source)) == 20_000
    assert not rows(source)


@pytest.mark.parametrize(
    "above", ["Sales report 2024\n", "# made by a tool\n", "Sales report\n\nof all regions\n", '"Report, 2024"\n\n']
)
@pytest.mark.parametrize("names", ["size,price", "size,price,colour"])
def test_a_line_above_the_header_is_named_and_not_taken_for_it(tmp_path, above, names):
    rest = ",red" * (names.count(",") - 1)
    content = f"{above}{names}\n" + "".join(f"{n},{n * 10}{rest}\n" for n in range(9))
    with pytest.raises(
        InputError, match=r"\.csv:1: this line has 1 field.* the header seems to be the line size, price"
    ):
        reading(tmp_path, content)


def test_names_of_rows_are_a_column_only_where_they_differ(tmp_path):
    source = reading(tmp_path, "size,kind\n" + "".join(f"row {n},{n},u\n" for n in range(9)))
    assert source.names == ("c1", "size", "kind")
    with pytest.raises(
        InputError, match="3 fields where the header has 2; a field with a separator in it must be quoted"
    ):
        reading(tmp_path, "size,price\n" + "".join(f"{n % 3} m,$1,{n}00\n" for n in range(9)))


@pytest.mark.parametrize("last", ["", " "])
def test_separators_that_end_the_header_and_every_row_make_no_column(tmp_path, last):
    source = reading(tmp_path, f"x,y,{last}\n" + "".join(f"{n},b,\n" for n in range(5)))
    assert source.names == ("x", "y")
    assert [row["x"] for row in values(source)] == [0, 1, 2, 3, 4]
    kept = reading(tmp_path, f"x,y,{last}\n1,b,\n2,c,z\n")
    assert kept.names == ("x", "y", "c3")
