"""The separator is the one that the first records have; a decimal comma is none."""

from __future__ import annotations

import pytest

from linnet.data.sources.formats import Format
from linnet.data.sources.source import described
from tests.data.sources.tools import opened, values, written


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ("1,5;2,5;7\n3,25;4,5;8\n-0,5;,5;9\n", ";"),
        ("€ 1.219,01;a\n€ 5,10;b\n", ";"),
        ("1,219.01|a\n5,300.10|b\n", "|"),
        ("1,5\t2,5\n3,5\t4,5\n", "\t"),
        ("name;price\nx;1,5\ny;2,5\n", ";"),
        ("a,b;c\n1,2;3\n4,5;6\n", ","),
        ("x,1;2\ny,3;4\nz,5;6\n", ","),
        ("a|b|c\n1|2|3\n", "|"),
        ("a,b\n1,2\n", ","),
        ("a\n1\n2\n", ","),
        ('"x;y",1\n"z;u",2\n', ","),
        ("1 2 3\n4 5 6\n", " "),
        ("  1.5   2\n 10.5  20\n", " "),
        ("a b\n1 2\n3 4\n", " "),
        ("1\t10 20\tx\n2\t30 40\ty\n", "\t"),
        ('1.5  2  3\t"a b"\n4.5  5  6\t"c d"\n', " "),
    ],
)
def test_the_separator_of_the_first_records_is_found(text, separator, tmp_path):
    source = opened(written(tmp_path, text.encode(), suffix=".csv"), Format.CSV)
    assert source.syntax.separator == separator


@pytest.mark.parametrize("size", [1, 9, None])
def test_a_table_with_runs_of_blanks_is_read(size, tmp_path):
    text = ' 18.0   8\t"a  car"\n\n   \t \n9 4 "it""s"  \n10.5\t\t6  plain\n7 8 "open\n'
    source = opened(written(tmp_path, text.encode()), size=size, separator=" ", header=False)
    assert values(source) == [
        {"c1": 18.0, "c2": 8.0, "c3": "a  car"},
        {"c1": 9.0, "c2": 4.0, "c3": 'it"s'},
        {"c1": 10.5, "c2": 6.0, "c3": "plain"},
        {"c1": 7.0, "c2": 8.0, "c3": '"open'},
    ]
    assert described(source) == "csv, separated by blanks, no header"


def test_a_separator_that_is_given_is_taken(tmp_path):
    paths = written(tmp_path, b"a^b,c\n1^x,y\n2^z,u\n")
    assert values(opened(paths, separator="^")) == [{"a": 1.0, "b,c": "x,y"}, {"a": 2.0, "b,c": "z,u"}]
