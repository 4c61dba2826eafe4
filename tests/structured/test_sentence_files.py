"""Readers of sentences: every format, compressed and in other encodings, and what they say of bad lines."""

import bz2
import gzip
import json
import lzma
import random

import pytest

from linnet.data.on_error import BadRows, OnError
from linnet.errors import InputError
from linnet.structured.formats import SentenceFormat
from linnet.structured.sentence_files import SentenceDialect, SentenceFiles

CONLLU = """# sent_id = 1
# text = vámonos al mar
1-2	vámonos	_	_	_	_	_	_	_	_
1	vamos	ir	VERB	_	_	0	root	_	_
2	nos	nosotros	PRON	_	_	1	obj	_	_
2.1	tal	tal	ADJ	_	_	_	_	_	_
3-4	al	_	_	_	_	_	_	_	_
3	a	a	ADP	_	_	5	case	_	_
4	el	el	DET	_	_	5	det	_	_
5	mar	mar	NOUN	_	_	1	obl	_	_

1	Sí	sí	INTJ	_	_	0	root	_	_

"""


def read(tmp_path, text, name="data.txt", *, policy=OnError.FAIL, **dialect):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    to_predict = dialect.pop("to_predict", False)
    files = SentenceFiles([str(path)], SentenceDialect(**dialect), to_predict=to_predict)
    rejected = BadRows(policy)
    return files, files.all(rejected), rejected


def fields(sentences, column):
    return [sentences.sentence(number, column) for number in range(len(sentences))]


def test_conllu_words_are_tokens_and_ranges_and_empty_nodes_are_not(tmp_path):
    files, found, _ = read(tmp_path, CONLLU, heads=True)
    assert files.format is SentenceFormat.CONLLU
    assert fields(found, found.column("form")) == [["vamos", "nos", "a", "el", "mar"], ["Sí"]]
    assert fields(found, found.column("upos")) == [["VERB", "PRON", "ADP", "DET", "NOUN"], ["INTJ"]]
    assert found.heads.tolist() == [0, 1, 5, 5, 1, 0]
    assert found.lines.tolist() == [4, 5, 8, 9, 10, 12]
    assert found.where(5).endswith("data.txt:12")


@pytest.mark.parametrize(
    ("name", "compress"),
    [("a.gz", gzip.compress), ("a.bz2", bz2.compress), ("a.xz", lzma.compress), ("a.txt", bytes)],
)
def test_compressed_files_are_read_like_plain_ones(tmp_path, name, compress):
    _, found, _ = read(tmp_path, compress(CONLLU.encode()), name)
    assert fields(found, 1) == [["vamos", "nos", "a", "el", "mar"], ["Sí"]]


@pytest.mark.parametrize(
    "text", ["He PRP B-NP\nran VBD B-VP\n\nNo UH O\n", "He\tPRP\tB-NP\r\nran\tVBD\tB-VP\r\n\r\nNo\tUH\tO"]
)
def test_columns_by_blanks_or_tabs_with_any_line_end(tmp_path, text):
    files, found, _ = read(tmp_path, text)
    assert files.format is SentenceFormat.COLUMNS
    assert [fields(found, column) for column in range(3)] == [
        [["He", "ran"], ["No"]],
        [["PRP", "VBD"], ["UH"]],
        [["B-NP", "B-VP"], ["O"]],
    ]


def test_another_separator(tmp_path):
    _, found, _ = read(tmp_path, "a b|X\nc|Y\n\nd|Z\n", separator="|")
    assert fields(found, 0) == [["a b", "c"], ["d"]]


@pytest.mark.parametrize("mark", ["/", "_"])
def test_words_with_tags_behind_the_last_mark(tmp_path, mark):
    _, found, _ = read(tmp_path, f"The{mark}DT 1{mark}2{mark}CD\n\nNo{mark}UH\n")
    assert fields(found, 0) == [["The", f"1{mark}2"], ["No"]]
    assert fields(found, 1) == [["DT", "CD"], ["UH"]]


def test_json_lines_with_more_columns(tmp_path):
    lines = [
        {"id": 1, "tokens": ["a", "\u00e9 b"], "tags": ["X", "Y"], "pos": ["P", "Q"]},
        {"tokens": ["c"], "tags": ["Z"], "pos": ["R"]},
    ]
    files, found, _ = read(tmp_path, "\n".join(map(json.dumps, lines)) + "\n")
    assert files.columns == ("tokens", "tags", "pos")
    assert fields(found, 0) == [["a", "\u00e9 b"], ["c"]]
    assert fields(found, 2) == [["P", "Q"], ["R"]]


def test_plain_text_is_for_prediction_only(tmp_path):
    files, found, _ = read(tmp_path, "The cat sat .\n\nIt slept\n", to_predict=True)
    assert files.format is SentenceFormat.TEXT
    assert fields(found, 0) == [["The", "cat", "sat", "."], ["It", "slept"]]
    with pytest.raises(InputError, match="name the format"):
        read(tmp_path, "The cat sat .\nIt slept\n")


def test_latin_1_files_are_recognised(tmp_path):
    _, found, _ = read(tmp_path, "Espa\xf1a NC B-LOC\nes VS O\n\nS\xed RG O\n".encode("latin-1"))
    assert fields(found, 0) == [["Espa\xf1a", "es"], ["S\xed"]]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (CONLLU.replace("5\tmar\tmar\t", "5\tmar\t"), 10, "9 columns where 10"),
        (CONLLU.replace("5\tmar", "6\tmar"), 10, "the id must be 5"),
        (CONLLU.replace("5\tmar", "five\tmar"), 10, "the id must be 5"),
        (CONLLU.replace("1\tobl", "x\tobl"), 10, "the head is not a number"),
        (CONLLU.replace("1\tobl", "6\tobl"), 10, "the head is 6"),
        (CONLLU.replace("1\tobl", "5\tobl"), 10, "the head is 5"),
        (CONLLU.replace("mar\tmar", "mar\t"), 10, "column 3 is empty"),
    ],
)  # fmt: skip
def test_bad_lines_of_conllu_are_named_and_skipped(tmp_path, text, line, says):
    with pytest.raises(InputError, match=says) as caught:
        read(tmp_path, text, heads=True)
    assert f"data.txt:{line}:" in str(caught.value)
    _, found, rejected = read(tmp_path, text, heads=True, policy=OnError.SKIP)
    assert fields(found, 1) == [["Sí"]]
    assert rejected.count == 1


def test_bad_lines_of_other_formats(tmp_path):
    with pytest.raises(InputError, match=r"data.txt:4: 2 columns where 3"):
        read(tmp_path, "a b c\n\nd e f\ng h\n\n" + "i j k\n\n" * 9)
    with pytest.raises(InputError, match=r"'The' is not word/TAG"):
        read(tmp_path, "a/b The c/d\n", format=SentenceFormat.SLASH)
    with pytest.raises(InputError, match=r'data.txt:2: "tags" has 1 strings'):
        read(tmp_path, '{"tokens": ["a"], "tags": ["b"]}\n{"tokens": ["a", "c"], "tags": ["b"]}\n')
    with pytest.raises(InputError, match=r"data.txt:1:.*UTF-8"):
        read(tmp_path, b"caf\xe9 X\nb Y\n\n", encoding="utf-8")
    with pytest.raises(InputError, match="no sentences"):
        read(tmp_path, "\n\n")
    with pytest.raises(InputError, match="folder"):
        SentenceFiles([str(tmp_path)], SentenceDialect())


def test_a_sentence_of_ten_thousand_tokens_and_chunks_that_end_in_sentences(tmp_path):
    draw = random.Random(1)
    lengths = [10_000, *(draw.randint(1, 40) for _ in range(8000))]
    text = "".join("".join(f"w{t} T{t % 7}\n" for t in range(n)) + "\n" for n in lengths)
    for threads in (1, 3):
        path = tmp_path / "long.txt"
        path.write_text(text)
        found = SentenceFiles([str(path)], SentenceDialect()).all(BadRows(), threads)
        assert (found.starts[1:] - found.starts[:-1]).tolist() == lengths
        assert found.fields(0)[:3] == [b"w0", b"w1", b"w2"]
        assert found.lines[-1] == text.count("\n") - 1


def test_too_long_sentences_are_refused(tmp_path):
    with pytest.raises(InputError, match="more than 100,000 words"):
        read(tmp_path, "a b\n" * 100_001 + "\na b\n\n")
