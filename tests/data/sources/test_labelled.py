"""Labelled text: two columns from `label<TAB>text` and `__label__x text`, and what is neither is named."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.sources.formats import Format
from tests.data.sources.tools import bad, opened, rows, values, written

words = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\t\0 "), min_size=1, max_size=5)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=10)


def reading(tmp_path, content, marked=False, size=None, **how):
    content = content.encode() if isinstance(content, str) else content
    return opened(written(tmp_path, content), Format.LABELS if marked else Format.LABELLED_TEXT, size=size, **how)


@settings(max_examples=80)
@given(st.lists(st.tuples(words, texts), max_size=10), st.sampled_from(["\n", "\r\n"]), st.integers(1, 40))
def test_label_and_text_are_what_the_tab_parts(tmp_path_factory, pairs, end, size):
    content = "".join(f"{label}\t{text}{end}" for label, text in pairs)
    source = reading(tmp_path_factory.mktemp("text"), content, size=size)
    assert values(source) == [{"label": label, "text": text} for label, text in pairs]


@settings(max_examples=80)
@given(st.lists(st.tuples(words, texts), max_size=10), st.sampled_from([" ", "\t"]), st.integers(1, 40))
def test_a_marked_label_ends_at_the_first_blank(tmp_path_factory, pairs, blank, size):
    content = "".join(f"__label__{label}{blank}{text}\n" for label, text in pairs)
    source = reading(tmp_path_factory.mktemp("text"), content, marked=True, size=size)
    assert values(source) == [{"label": label, "text": text} for label, text in pairs]


@pytest.mark.parametrize(
    ("line", "marked", "column", "reason"),
    [
        (b"no tab here", False, 1, "a label, a tab, and the text"),
        (b"\tno label", False, 1, "a label, a tab, and the text"),
        (b"a\t\xff", False, 3, "is not UTF-8"),
        (b"a\t\0", False, 3, "a NUL byte"),
        (b"spam some text", True, 1, "must begin with __label__"),
        (b"__label__ text", True, 1, "must begin with __label__"),
        (b"__label__", True, 1, "must begin with __label__"),
        (b"__labe", True, 1, "must begin with __label__"),
        (b"__label__a __label__b text", True, 12, "more than one label"),
        (b"__label__a\t__label__b", True, 12, "more than one label"),
    ],
)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_what_is_wrong_is_named_with_line_and_byte(line, marked, column, reason, ending, tmp_path):
    good = b"__label__a some text" if marked else b"a\tsome text"
    source = reading(tmp_path, ending.join([good, b"", line, good]), marked, size=10, encoding="utf-8")
    (found,) = bad(source)
    assert found[1:3] == (3, column)
    assert reason in found[3]
    assert [(line, value["text"]) for _, line, value in rows(source)] == [(1, "some text"), (4, "some text")]


def test_a_label_alone_has_an_empty_text(tmp_path):
    assert values(reading(tmp_path, "__label__a\n__label__b ", marked=True)) == [
        {"label": "a", "text": ""},
        {"label": "b", "text": ""},
    ]
    assert values(reading(tmp_path, "a\t\n")) == [{"label": "a", "text": ""}]


def test_an_empty_file_has_no_rows(tmp_path):
    assert rows(reading(tmp_path, b"")) == rows(reading(tmp_path, b"\xef\xbb\xbf\n \t \r\n")) == []


@settings(max_examples=30)
@given(st.integers(2, 40), st.integers(0, 10**9), st.integers(1, 100))
def test_corrupting_lines_makes_exactly_those_rows_bad(tmp_path_factory, n, seed, size):
    source = random.Random(seed)
    good = [f"l{source.randrange(3)}\t{source.choice(['a', 'é b', ''])}".encode() for _ in range(n)]
    path = tmp_path_factory.mktemp("text")
    reader = reading(path, b"\n".join(good), size=size)
    clean = rows(reader)
    broken = set(source.sample(range(n), source.randrange(n)))
    damage = [b"x", b"\tx", b"x\t\xff", b"x\t\0"]
    written(path, b"\n".join(source.choice(damage) if i in broken else line for i, line in enumerate(good)))
    assert [line for _, line, *_ in bad(reader)] == [i + 1 for i in sorted(broken)]
    assert rows(reader) == [row for i, row in enumerate(clean) if i not in broken]
