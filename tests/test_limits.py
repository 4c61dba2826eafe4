"""The table of docs/limits.md, a test a row.

What is beyond a limit is an error that names the place and the remedy, or is done in smaller parts with the same
result.  Rows that are tested elsewhere: long headers of mails in data/sources/test_mail.py; n-grams of a model, passes
and gaps of `linnet verify` in model/test_hostile_models.py; signals in cli/test_interruption.py.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array

import linnet
from linnet.cli import interruption
from linnet.data import limits, on_error
from linnet.data.features import conjunctions as conjunctions_module
from linnet.data.features import entry_limits, feature_map, text_options
from linnet.data.rows import Rows
from linnet.data.sources import arrow, chunks, jsonlines, mail, parquet_pages
from linnet.data.sources.block import Position
from linnet.data.sources.opening import open_source
from linnet.errors import InputError, ModelFileError, RecipeError
from linnet.kernels import tagging_checks, tagging_trigrams
from linnet.pipeline import memory as memory_module
from linnet.pipeline import separable, verify
from linnet.structured import gazetteers, parser_decoders, projectivity, sentence_files, sentences, tagger
from linnet.training import reduction, solver_choice
from linnet.training.solvers import least_squares
from tests.data.sources.tools import wanted

TABLE = (Path(__file__).parent.parent / "docs" / "limits.md").read_text()


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def weights_of(model):
    return {name: tuple(row) for name, row in zip(model.features.names(), model.linear.weights.tolist(), strict=True)}


def blocks_of(path, selected=None):
    source = open_source([path])
    if selected is not None:
        source.select_columns(selected)
    return [source.parse(chunk) for chunk in source.chunks(Position())]


@pytest.mark.parametrize(
    ("row", "number"),
    [
        ("columns of a table", limits.MOST_COLUMNS),
        ("rows that cannot be read", on_error.MOST_UNREAD),
        ("values of a block", limits.BLOCK_CELLS),
        ("nesting of JSON", jsonlines.DEEPEST),
        ("that can be trained on", feature_map.MOST_NUMBERED - 1),
        ("From or Subject", mail.HEADER_AT_MOST),
        ("length of n-grams", text_options.LONGEST_NGRAM),
        ("n-grams of a row", limits.ROW_NGRAMS),
        ("n-grams of a block", limits.BLOCK_NGRAMS),
        ("conjunctions of a row", limits.ROW_CONJUNCTIONS),
        ("conjunctions of a block", limits.BLOCK_CONJUNCTIONS),
        ("named features of a row", limits.ROW_NAMES),
        ("named features of a block", limits.BLOCK_NAMES),
        ("products of `--polynomial`", limits.MOST_CROSSES),
        ("pairs of labels", reduction.MOST_PAIRS),
        ("columns of `--solver newton", solver_choice.MOST_PAIRED),
        ("least squares in closed form", least_squares.COLUMNS_AT_MOST),
        ("columns of `linnet separable`", separable.MOST_COLUMNS),
        ("passes of `linnet verify`", verify.PASSES_AT_MOST),
        ("steps of the solver that `linnet verify`", verify.STEPS_AT_MOST),
        ("tokens of a sentence", sentences.MOST_TOKENS),
        ("tokens of a sentence", parser_decoders.EisnerDecoder.longest),
        ("tokens of a sentence", parser_decoders.MOST_STATES),
        ("whose arcs cross", projectivity.MOST_LIFTED),
        ("columns of a file of sentences", sentence_files.MOST_COLUMNS),
        ("words of an entry of a gazetteer", gazetteers.MOST_WORDS),
        ("different tags of a tagger |", tagging_checks.MOST_TAGS),
        ("different tags of a tagger with `--order 2`", tagging_trigrams.MOST_TRIGRAM_TAGS),
        ("beginnings that `--best K` keeps", tagger.MOST_BEGINNINGS),
        ("after Ctrl-C", interruption.PATIENCE / 1000),
    ],
)
def test_the_table_states_the_limit_of_the_program(row, number):
    line = next(line for line in TABLE.splitlines() if line.startswith("|") and row in line)
    assert f"{number:,}" in line


def test_more_pairs_of_labels_than_can_be_fitted_are_refused(tmp_path):
    rows = "".join(f"{i % 7},label {i % 201}\n" for i in range(1005))
    path = written(tmp_path, "labels.csv", f"x,y\n{rows}")
    for learner in ("auto", "svm"):
        with pytest.raises(RecipeError, match=r"201 labels make 20,100 pairs.*20,000.*one-vs-rest"):
            linnet.train(path, target="y", multiclass="pairwise", learner=learner)
    X, y = np.arange(402.0)[:, np.newaxis], np.arange(402) % 201
    with pytest.raises(RecipeError, match=r"20,100 pairs.*one-vs-rest"):
        linnet.LinearSVC(multiclass="pairwise").fit(X, y)


# -- rows that cannot be read ------------------------------------------------------------------------------------------

UNREADABLE = {
    "rows.svm": ("1 1:2\n-1 2:3\n", "oops\n"),
    "rows.csv": ("1,2\n3,4\n", "1\n"),
    "rows.jsonl": ('{"x": 1, "y": 2}\n{"x": 3, "y": 4}\n', "oops\n"),
    "rows.vw": ("1 | a\n-1 | b\n", "oops | a\n"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_of_which_most_rows_cannot_be_read_is_refused_with_the_first_of_them(tmp_path, monkeypatch, name):
    monkeypatch.setattr(on_error, "MOST_UNREAD", 100)
    good, bad = UNREADABLE[name]
    head = "x,y\n" if name.endswith("csv") else ""
    path = written(tmp_path, name, head + 40 * good + 200 * bad)
    target = "y" if name.endswith(("csv", "jsonl")) else None
    refused = rf"200 rows cannot be read, and only 80 can.*format.*{name}:{80 + bool(head) + 1}:"
    with pytest.raises(InputError, match=refused):
        linnet.train(path, target=target, task="regression", on_error="skip")


def test_many_bad_rows_among_more_good_ones_are_skipped_and_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(on_error, "MOST_UNREAD", 100)
    good, bad = UNREADABLE["rows.svm"]
    path = written(tmp_path, "rows.svm", 120 * good + 200 * bad)
    assert linnet.train(path, task="regression", on_error="skip").record.rejected_rows == 200


# -- tables ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_table_of_too_many_columns_is_refused_with_its_place(tmp_path, monkeypatch, form):
    for module in ("linnet.data.sources.table", "linnet.data.sources.jsonlines"):
        monkeypatch.setattr(f"{module}.MOST_COLUMNS", 50)
    names = [f"c{i}" for i in range(51)]
    path = str(tmp_path / f"wide.{form}")
    if form == "csv":
        Path(path).write_text(",".join(names) + "\n" + ",".join("1" * 51) + "\n")
    elif form == "jsonl":
        Path(path).write_text(json.dumps(dict.fromkeys(names, 1)) + "\n")
    else:
        pq.write_table(pa.table({name: [1.0] for name in names}), path)
    with pytest.raises(InputError, match=r"wide\.\w+.*51 columns are more than 50.*svmlight"):
        open_source([path])


def test_a_header_of_too_many_fields_is_refused_before_they_are_made(tmp_path):
    path = written(tmp_path, "commas.csv", "\n" + "," * 200_000)
    with pytest.raises(InputError, match=r"commas\.csv:2: 200,001 columns are more than 131,072"):
        open_source([path])


def test_vectors_of_too_many_numbers_are_refused(tmp_path):
    line = json.dumps({"x": [0.5] * 140_000, "y": 1})
    path = written(tmp_path, "long.jsonl", f"{line}\n")
    with pytest.raises(InputError, match=r"140,002 columns are more than 131,072"):
        open_source([path])
    pq.write_table(pa.table({"x": [[0.5] * 140_000], "y": [1]}), tmp_path / "long.parquet")
    with pytest.raises(InputError, match=r"columns are more than 131,072"):
        open_source([str(tmp_path / "long.parquet")])
    with pytest.raises(InputError, match=r"columns are more than 131,072"):
        linnet.train(pa.table({"x": [[0.5] * 140_000], "y": [1]}), "y")


def test_a_line_of_json_with_too_many_values_is_a_bad_row(tmp_path, monkeypatch):
    monkeypatch.setattr("linnet.data.sources.jsonlines.ROW_NAMES", 50)
    rows = [{"x": ["a, b", "c"][: 1 + i % 2], "y": "uv"[i % 2]} for i in range(40)]
    rows[20] = {"x": ['é\\",' * 30, *"abc" * 20], "y": "u"}
    rows[21] = {"x": ['é\\",' * 30, *"abc"], "y": "v"}
    path = written(tmp_path, "lists.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    with pytest.raises(InputError, match=r"lists\.jsonl:21: 62 values are more than 50"):
        linnet.train(path, target="y")
    assert linnet.train(path, target="y", on_error="skip").record.rejected_rows == 1


def test_a_long_list_of_parquet_is_refused_with_its_row(tmp_path, monkeypatch):
    monkeypatch.setattr("linnet.data.sources.table.ROW_NAMES", 50)
    path = str(tmp_path / "lists.parquet")
    pq.write_table(pa.table({"x": [["a"], ["b"] * 51, ["a"] * 50], "y": ["u", "v", "u"]}), path)
    with pytest.raises(InputError, match=r"lists\.parquet:2: the list 'x' has 51 values, more than 50"):
        linnet.train(path, target="y")


def test_named_features_of_long_rows_are_used_in_parts_and_of_longer_ones_refused(tmp_path, monkeypatch):
    lines = [f"{i % 2 * 2 - 1} |n" + "".join(f" f{i * j % 30}:{j}" for j in range(15)) for i in range(60)]
    path = written(tmp_path, "rows.vw", "\n".join(lines) + "\n")
    whole = linnet.train(path)
    monkeypatch.setattr("linnet.data.features.entries.BLOCK_NAMES", 10)
    monkeypatch.setattr(feature_map, "NAMES", replace(feature_map.NAMES, block=40, row=60))
    in_parts = linnet.train(path)
    assert weights_of(in_parts) == weights_of(whole)
    longer = written(tmp_path, "longer.vw", "\n".join(lines) + "\n1 |n" + " g" * 61 + "\n")
    with pytest.raises(InputError, match=r"longer\.vw:61: the row has up to 6\d named features, more than 60"):
        linnet.train(longer)


def test_a_first_line_that_is_long_does_not_hide_the_format(tmp_path):
    for text, form in (
        ("spam\t" + "buy now " * 60_000 + "\nham\thello there\n", "labelled-text"),
        ("1 " + " ".join(f"{i}:1" for i in range(1, 60_000)) + "\n-1 1:1\n", "svmlight"),
        (json.dumps({"x": "word " * 80_000, "y": 1}) + '\n{"x": "b", "y": 2}\n', "jsonl"),
    ):
        assert open_source([written(tmp_path, "data.txt", text)]).format == form


def test_a_line_that_is_too_long_is_refused_with_its_place(tmp_path):
    path = written(tmp_path, "long.csv", "a,y\n1,u\n" + "x" * (chunks.LONGEST_LINE + 4 * chunks.CHUNK) + ",v\n")
    with pytest.raises(InputError, match=r"long\.csv:3: a line of more than 64 MiB"):
        blocks_of(path)


def test_a_row_of_parquet_that_is_too_long_is_refused_with_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr("linnet.data.sources.parquet.LONGEST_ROW", 1000)
    monkeypatch.setattr("linnet.data.sources.arrow.BLOCK_BYTES", 100)
    path = str(tmp_path / "long.parquet")
    pq.write_table(pa.table({"t": ["short", "x" * 2000], "y": ["a", "b"]}), path)
    with pytest.raises(InputError, match=r"long\.parquet: row 2: a row of .* more than"):
        blocks_of(path)


def test_json_rows_of_few_keys_come_in_blocks_of_few_values(tmp_path):
    keys = [f"k{i}" for i in range(2000)]
    lines = [json.dumps(dict.fromkeys(keys, 1.0))] + ["{}"] * 5000 + ['{"k7": 2}']
    path = written(tmp_path, "sparse.jsonl", "\n".join(lines) + "\n")
    blocks = blocks_of(path, wanted(**dict.fromkeys(keys, True)))
    assert all(block.rows * len(keys) <= limits.BLOCK_CELLS for block in blocks)
    values = np.concatenate([block.columns["k7"].values for block in blocks])
    assert len(values) == 5002
    assert values[0] == 1
    assert np.isnan(values[1:-1]).all()
    assert values[-1] == 2
    assert [int(line) for block in blocks for line in block.lines] == list(range(1, 5003))


@pytest.mark.parametrize("dictionary", [True, False])
def test_long_strings_of_parquet_come_in_blocks_of_few_bytes(tmp_path, dictionary):
    texts = [f"{i % 3} " + "word " * 20_000 for i in range(200)]
    path = str(tmp_path / "texts.parquet")
    pq.write_table(pa.table({"t": texts, "y": ["a", "b"] * 100}), path, use_dictionary=dictionary, row_group_size=150)
    blocks = blocks_of(path)
    assert max(len(block.columns["t"].data[slice(*block.columns["t"].starts[[0, -1]])]) for block in blocks) <= 4 << 20
    assert [text for block in blocks for text in block.columns["t"].strings()] == texts
    assert [int(line) for block in blocks for line in block.lines] == list(range(1, 201))


def test_parquet_can_be_reopened_at_every_block(tmp_path):
    path = str(tmp_path / "texts.parquet")
    pq.write_table(pa.table({"t": [f"{i} " + "w" * 400_000 for i in range(40)]}), path, row_group_size=25)
    source = open_source([path])
    found = list(source.chunks(Position()))
    assert len(found) > 3
    for number, chunk in enumerate(found):
        assert [each.first for each in source.chunks(chunk.after)] == [each.first for each in found[number + 1 :]]


def test_a_frame_whose_categories_are_long_comes_in_blocks_of_few_bytes():
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 500, pa.int32()), ["x" * 100_000])
    table = pa.table({"t": long, "y": ["a", "b"] * 250})
    cut = arrow.bounded_slices(table, ["t"])
    assert cut[0][0] == 0
    assert cut[-1][1] == 500
    assert len(cut) > 10
    assert max(stop - start for start, stop in cut) * 100_000 <= limits.BLOCK_BYTES


def test_a_parquet_column_of_gigabytes_in_kilobytes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_pages, "LARGEST_CHUNK", 1 << 20)
    path = str(tmp_path / "bomb.parquet")
    texts = ["a" * 100_000] * 100
    pq.write_table(pa.table({"t": texts, "y": ["a", "b"] * 50}), path, use_dictionary=False, compression="zstd")
    with pytest.raises(InputError, match=r"bomb\.parquet: column 't' of row group 0 is 9.54 MB in .* smaller"):
        blocks_of(path)


def test_json_that_is_nested_too_deep_is_a_bad_row(tmp_path):
    path = written(tmp_path, "deep.jsonl", '{"a": "u", "y": "v"}\n{"a": ' + "[" * 70 + "]" * 70 + "}\n")
    (block,) = blocks_of(path)
    assert block.rows == 1
    assert [(bad.line, bad.reason) for bad in block.bad] == [(2, jsonlines.TOO_DEEP)]


@pytest.mark.parametrize("name", ["long.txt", "long.txt.gz"])
def test_a_text_of_a_folder_that_is_too_long_is_refused_with_its_name(tmp_path, name):
    (tmp_path / "ham").mkdir()
    (tmp_path / "ham" / "a.txt").write_text("short")
    with (gzip.open if name.endswith("gz") else open)(tmp_path / "ham" / name, "wb") as file:
        for _ in range(64):
            file.write(b" " * (1 << 20))
    assert len(blocks_of(str(tmp_path))) >= 1
    with (gzip.open if name.endswith("gz") else open)(tmp_path / "ham" / name, "ab") as file:
        file.write(b" ")
    with pytest.raises(InputError, match=rf"ham/{name}: a text of more than 64 MiB"):
        blocks_of(str(tmp_path))


@pytest.mark.parametrize("charset", ["punycode", "IDNA", '" Punycode"'])
def test_charsets_of_domain_names_are_read_as_latin_1(charset):
    raw = f"From: a@b\nSubject: c\nContent-Type: text/plain; charset={charset}\n\n".encode() + b"Gr\xfc\xdfe-bcher-kva"
    assert mail.mail_text(raw).endswith("Grüße-bcher-kva")


def test_ngrams_that_are_too_long_are_refused():
    rows = {"t": ["a b c", "d e f"] * 10, "y": ["u", "v"] * 10}
    assert linnet.train(rows, target="y", columns={"t": "text"}, ngrams=(1, 10))
    with pytest.raises(RecipeError, match=r"ngrams must be .* up to 10"):
        linnet.train(rows, target="y", columns={"t": "text"}, ngrams=(1, 11))


# -- svmlight ----------------------------------------------------------------------------------------------------------


def test_an_id_of_more_than_31_bits_is_a_bad_row(tmp_path):
    (block,) = blocks_of(written(tmp_path, "a.svm", "1 1:1\n-1 2147483647:1\n"))
    assert block.rows == 1
    assert block.bad[0].line == 2


def test_an_id_beyond_what_can_be_trained_on_is_refused_with_its_line(tmp_path):
    path = written(tmp_path, "a.svm", "1 1:1\n-1 134217728:1\n")
    with pytest.raises(InputError, match=r"a\.svm:2: the id 134217728 .*number the columns"):
        linnet.train(path)


@pytest.mark.parametrize("learner", ["auto", "adaptive", "logistic-regression", "naive-bayes", "averaged-perceptron"])
def test_weights_beyond_the_memory_are_refused_before_they_are_made(tmp_path, learner):
    path = written(tmp_path, "a.svm", "1 1:1 134217727:1\n0 1:2 3:1\n" * 20)
    with pytest.raises(InputError, match=r"ids up to 134,217,727 take about 12 GB, more than 1 GB.*memory='13GB'"):
        linnet.train(path, learner=learner)


def test_sample_weights_that_add_up_to_next_to_nothing_are_refused(tmp_path):
    rows = "".join(f"{i % 7},{i % 2},1e-300\n" for i in range(40))
    path = written(tmp_path, "tiny.csv", f"x,y,w\n{rows}")
    with pytest.raises(InputError, match="the sample weights add up to less than 1e-100: divide all of them"):
        linnet.train(path, target="y", columns={"w": "weight"}, learner="logistic-regression")


def test_the_weights_of_pairs_of_labels_count(monkeypatch):
    monkeypatch.setattr(memory_module, "LEAST", 0)
    X = np.eye(40)[np.arange(400) % 40]
    linnet.train((X, np.arange(400) % 40), task="classification", learner="logistic-regression", memory="500kB")
    with pytest.raises(InputError, match=r"for 40 labels.*multiclass='one-vs-rest'"):
        linnet.train(
            (X, np.arange(400) % 40), task="classification", learner="logistic-regression", multiclass="pairwise",
            memory="500kB",
        )  # fmt: skip


def test_names_beyond_the_memory_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(memory_module, "LEAST", 0)
    rows = [f"{'ab'[i % 2]}\t" + " ".join(f"word{i}x{j}" for j in range(50)) for i in range(200)]
    path = written(tmp_path, "texts.tsv", "\n".join(rows) + "\n")
    for learner in ("logistic-regression", "adaptive", "naive-bayes"):
        with pytest.raises(InputError, match=r"the names of .* features take .*hash_bits='20'"):
            linnet.train(path, learner=learner, memory="500kB")
    assert linnet.train(path, learner="adaptive", memory="500kB", hash_bits=8, ngrams=1)


# -- what rows are made into -------------------------------------------------------------------------------------------


def test_a_row_of_too_many_conjunctions_is_refused_with_its_line(tmp_path):
    rows = [f"{label} " + " ".join(f"{i}:1" for i in range(1, 3001)) for label in "01"]
    path = written(tmp_path, "a.svm", "\n".join(rows) + "\n")
    with pytest.raises(InputError, match=r"a\.svm:1: the row has up to 4,499,999,500 conjunctions.*lower conjunctions"):
        linnet.train(path, conjunctions=3)


def test_conjunctions_are_counted_as_they_are_made():
    term = conjunctions_module.ConjunctionTerm((), 4)
    rows = Rows.of(csr_array([[1.0, 2, 0, 3, 4, 5], [0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1]]))
    made = term.prepare_rows(rows)
    assert term.count_rows(rows).tolist() == np.diff(made.starts).tolist() == [10 + 10 + 5, 0, 15 + 20 + 15]


@pytest.mark.parametrize("learner", ["adaptive", "logistic-regression"])
@pytest.mark.parametrize("what", ["conjunctions", "ngrams"])
def test_a_block_in_parts_gives_the_same_model(tmp_path, monkeypatch, learner, what):
    if what == "conjunctions":
        rng = np.random.default_rng(0)
        rows = [f"{i % 2} " + " ".join(f"{j}:1" for j in np.flatnonzero(rng.random(12) < 0.5)) for i in range(60)]
        path, options = written(tmp_path, "a.svm", "\n".join(rows) + "\n"), {"conjunctions": 2}
        smaller = ("CONJUNCTIONS", entry_limits.EntryLimits(100, 10_000, "conjunctions", "conjunctions"))
    else:
        rows = [f"{'ab'[i % 2]}\tsome words {i % 7} and {i % 5} words" for i in range(60)]
        path, options = written(tmp_path, "a.tsv", "\n".join(rows) + "\n"), {"ngrams": (1, 3), "analyzer": "char"}
        smaller = ("NGRAMS", entry_limits.EntryLimits(400, 10_000, "n-grams", "ngrams"))
    whole = linnet.train(path, learner=learner, **options)
    monkeypatch.setattr(feature_map, *smaller)
    (block,) = blocks_of(path)
    assert len(whole.features.cuts(block)) > 3
    parts = linnet.train(path, learner=learner, **options)
    assert weights_of(parts) == weights_of(whole)
    assert parts.record == whole.record
    predicted = [list(parts.predict(path)), list(whole.predict(path))]
    assert predicted[0] == predicted[1]


def test_reading_resumes_within_a_block_that_is_used_in_parts(tmp_path):
    from linnet.data.on_error import BadRows, OnError
    from linnet.data.reading import prepared_blocks

    path = written(tmp_path, "a.svm", "\n".join([f"{i} 1:1" for i in range(7)] + ["no row"] + ["7 1:1"]) + "\n")

    def made(start):
        bad = BadRows(OnError.SKIP)
        found = prepared_blocks(open_source([path]), start, lambda b: b.targets.tolist(), bad, 2, cuts=lambda _: [2, 5])
        return [(each.prepared, each.block.after) for each in found], bad.count

    found, bad = made(Position())
    assert [targets for targets, _ in found] == [[0, 1], [2, 3, 4], [5, 6, 7]]
    assert bad == 1
    for number, (_, after) in enumerate(found[:-1]):
        again, repeated = made(after)
        assert [targets for targets, _ in again] == [targets for targets, _ in found[number + 1 :]]
        assert repeated == 0


def test_a_row_of_too_many_ngrams_is_refused_with_its_line(tmp_path):
    path = written(tmp_path, "a.tsv", "a\tshort text\nb\t" + "letters " * 900_000 + "\n")
    with pytest.raises(InputError, match=r"a\.tsv:2: the row has up to 72,000,000 n-grams.*lower ngrams"):
        linnet.train(path, analyzer="char", ngrams=(1, 10))


def test_too_many_products_are_refused_before_they_are_made():
    columns = {f"c{i}": [1.0, 2.0, 3.0] for i in range(200)} | {"y": ["a", "b", "a"]}
    with pytest.raises(RecipeError, match=r"polynomial='5' of 200 columns .* makes 2,872,408,590 products"):
        linnet.train(columns, target="y", polynomial=5)


# -- training ----------------------------------------------------------------------------------------------------------


def test_rows_beyond_the_memory_are_streamed_or_refused():
    X, y = np.random.default_rng(0).random((400, 20)), np.arange(400) % 2
    assert "streamed" in linnet.train((X, y), memory="50kB").record.reason
    with pytest.raises(RecipeError, match=r"logistic-regression needs all rows in memory.*memory"):
        linnet.train((X, y), learner="logistic-regression", memory="50kB")


def test_too_many_labels_are_refused():
    with pytest.raises(InputError, match=r"60 rows have 60 different labels"):
        linnet.train({"x": [1.0, 2.0] * 30, "y": [f"l{i}" for i in range(60)]}, target="y")


@pytest.mark.parametrize(("learner", "solver"), [("logistic-regression", "newton-cholesky"), ("svm", "newton")])
def test_a_solver_that_pairs_columns_takes_few_and_auto_takes_another(learner, solver):
    X = csr_array((np.ones(40), (np.arange(40), np.arange(40) * 500)), shape=(40, 20_000))
    names = [entry for entry in linnet.learners.catalogue.entries() if solver in {s.name for s in entry.solvers}]
    name = next(entry.name for entry in names if learner in entry.name)
    with pytest.raises(RecipeError, match=rf"{solver}.*16,384 columns at most"):
        linnet.train((X, np.arange(40) % 2), learner=name, solver=solver)
    assert linnet.train((X, np.arange(40) % 2), learner=name).record.solver != solver


def test_least_squares_of_many_columns_are_not_solved_in_closed_form():
    assert least_squares.fits_shape(10**6, least_squares.COLUMNS_AT_MOST)
    assert not least_squares.fits_shape(10**6, least_squares.COLUMNS_AT_MOST + 1)


def test_discriminant_analysis_of_many_columns_is_refused(tmp_path):
    path = written(tmp_path, "a.svm", "1 1:1 20000:1\n0 1:2 3:1\n" * 20)
    with pytest.raises(InputError, match=r"20,?001"):
        linnet.train(path, learner="discriminant-analysis")


def test_separability_of_too_many_columns_is_refused(tmp_path):
    path = written(tmp_path, "a.svm", "1 1:1 134217727:1\n0 1:2 3:1\n")
    with pytest.raises(InputError, match=r"ids up to 134,217,727: more columns than 16,777,216"):
        separable.separability_of(path)


# -- files -------------------------------------------------------------------------------------------------------------


def test_an_xz_file_that_asks_for_much_memory_is_refused(tmp_path):
    path = tmp_path / "a.csv.xz"
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 29}]
    compressor = lzma.LZMACompressor(filters=filters)
    path.write_bytes(compressor.compress(b"a,y\n1,u\n2,v\n") + compressor.flush())
    with pytest.raises(InputError, match=r"a\.csv\.xz"):
        open_source([str(path)])


def test_a_model_that_claims_more_than_its_file_has_is_refused(tmp_path):
    path = tmp_path / "m.linnet"
    linnet.train({"x": [1.0, 2.0] * 30, "y": ["a", "b"] * 30}, target="y").save(str(path))
    content = path.read_bytes()
    shapes = re.sub(rb'"shape":\[2,1\]', b'"shape":[9,9]', content)
    assert shapes != content
    path.write_bytes(shapes)
    with pytest.raises(ModelFileError):
        linnet.load(str(path))


# -- peaks of memory ---------------------------------------------------------------------------------------------------

READ = """
import sys
from linnet.data.sources.opening import open_source
from linnet.data.sources.block import Position
source = open_source([sys.argv[1]])
source.sample()
rows = sum(source.parse(chunk).rows for chunk in source.chunks(Position()))
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
print(rows, peak)
"""


def peak_of_reading(path, code=READ):
    """The rows read, and the peak of memory in MB."""
    return tuple(map(int, subprocess.check_output([sys.executable, "-c", code, path], text=True).split()))


linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read as Linux tells it")


@linux
def test_json_of_many_strings_a_line_takes_memory_in_proportion_to_the_lines(tmp_path):
    lines = [json.dumps({f"k{i}": "ab" for i in range(10_000)}) for _ in range(4)]
    rows, peak = peak_of_reading(written(tmp_path, "keys.jsonl", "\n".join(lines) + "\n"))
    assert rows == 4
    assert peak < 400  # keys times the bytes of a chunk would be 6 GB


@linux
def test_json_of_ever_other_keys_takes_memory_in_proportion_to_the_lines(tmp_path):
    lines = [json.dumps({f"k{i}": 1 for i in range(4_000)})] + ["{}"] * 5_000
    rows, peak = peak_of_reading(written(tmp_path, "keys.jsonl", "\n".join(lines) + "\n"))
    assert rows == 5_001
    assert peak < 300  # rows times keys would be 400 MB


@linux
@pytest.mark.parametrize("dictionary", [True, False])
def test_long_strings_of_parquet_take_memory_of_a_block(tmp_path, dictionary):
    path = str(tmp_path / "texts.parquet")
    if dictionary:
        table = pa.table({"t": pa.array(["word " * 40_000] * 3_000).dictionary_encode()})
    else:
        table = pa.table({"t": [f"{i} " * 40_000 for i in range(1_000, 2_250)]})
    # pages of a few rows: a page is decompressed as a whole
    pq.write_table(table, path, compression="zstd", use_dictionary=dictionary, write_batch_size=16)
    rows, peak = peak_of_reading(path)
    assert rows == table.num_rows
    assert peak < 300  # all strings are 600 MB or 250 MB


@linux
def test_a_column_of_categories_takes_little_memory():
    code = """
import sys
from linnet.data.features.terms import CategoryTerm
terms = [CategoryTerm((f"c{i}",)) for i in range(20_000)]
with open("/proc/self/status") as status:
    print(len(terms), next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")))
"""
    terms, peak = peak_of_reading("", code)
    assert terms == 20_000
    assert peak < 200  # 40 kB each would be 800 MB


# -- files of sentences ------------------------------------------------------------------------------------------------


def tagged(tmp_path, text):
    from linnet.data.on_error import BadRows
    from linnet.structured.tag_files import train_from_files
    from linnet.structured.tag_options import TagOptions

    path = written(tmp_path, "sentences.txt", text)
    return train_from_files([path], TagOptions(format="columns", passes=1), BadRows())


def test_a_sentence_of_too_many_tokens_is_refused_with_its_place(tmp_path):
    text = "a\tX\nb\tY\n\n" + "a\tX\n" * (sentences.MOST_TOKENS + 1) + "\n"
    with pytest.raises(InputError, match=r"sentences\.txt:\d+: .*100,000"):
        tagged(tmp_path, text)


def test_sentences_of_too_many_columns_or_tags_are_refused(tmp_path):
    row = "\t".join("abc" for _ in range(sentence_files.MOST_COLUMNS + 1))
    with pytest.raises(InputError, match="1,001 columns, 1,000 at most"):
        tagged(tmp_path, f"{row}\n{row}\n\n")
    lines = "".join(f"w\ttag{i}\n" for i in range(tagging_checks.MOST_TAGS + 1))
    with pytest.raises(InputError, match="5,001 different tags, 5,000 at most"):
        tagged(tmp_path, lines + "\n")


def test_a_long_sentence_whose_arcs_cross_is_refused_with_its_place(tmp_path):
    from linnet.data.on_error import BadRows
    from linnet.pipeline.services import Services
    from linnet.structured.parse_options import ParseOptions
    from linnet.structured.parser_pipeline import read_treebank

    n = projectivity.MOST_LIFTED + 1
    heads = [0, 1, 1, 2, *[1] * (n - 4)]  # 4 hangs from 2, across 3, which hangs from 1
    rows = "".join(f"{i}\tw\t_\tX\t_\t_\t{head}\tr\t_\t_\n" for i, head in enumerate(heads, 1))
    path = written(tmp_path, "long.conllu", rows + "\n")
    with pytest.raises(InputError, match=r"long\.conllu:1: arcs cross in a sentence of more than 1,000 words"):
        read_treebank([path], ParseOptions(), BadRows(), Services())
