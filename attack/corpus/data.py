"""Data files that once cost too much, crashed, or made another model."""

from __future__ import annotations

import gzip
import json
from random import Random

from attack import bases
from attack.case import MEGABYTE, Case, Command, Limits
from attack.formats import wide

SHORT = Limits(seconds=15.0)


def _trained(content: bytes, name: str, *options: str) -> Case:
    return Case({name: content}, [Command(["train", name, "-o", "m", *options], limits=SHORT)], {"m"})


def json_keys_of_one_line_are_not_kept_for_all() -> Case:
    data = wide.sparse_keys(Random(0), 0.5)
    return _trained(data.files["data.jsonl"], "data.jsonl", "--target", "y")


def json_of_many_string_keys() -> Case:
    row = {f"k{i}": "x" for i in range(1000)}
    lines = [json.dumps({**row, "y": "ab"[i % 2]}) for i in range(100)]
    return _trained("\n".join(lines).encode(), "data.jsonl", "--target", "y", "--learner", "adaptive")


def one_id_far_from_the_others() -> Case:
    return _trained(b"1 1:1 134217727:1\n-1 2:1\n" * 5, "data.svm", "--learner", "averaged-perceptron")


def conjunctions_of_long_rows() -> Case:
    ids = " ".join(f"{i}:1" for i in range(1, 3001))
    return _trained(f"1 {ids}\n-1 {ids} 4000:1\n".encode(), "data.svm", "--conjunctions", "3")


def products_of_many_columns() -> Case:
    head = ",".join(f"c{i}" for i in range(400))
    rows = "".join(",".join(str((i * j) % 7) for j in range(400)) + f",{'ab'[i % 2]}\n" for i in range(12))
    return _trained(f"{head},y\n{rows}".encode(), "data.csv", "--target", "y", "--polynomial", "3")


def as_many_labels_as_rows() -> Case:
    rows = "".join(f"{i % 7},label {i}\n" for i in range(2000)) * 2
    return _trained(f"x,y\n{rows}".encode(), "data.csv", "--target", "y", "--learner", "averaged-perceptron")


def pairs_of_many_labels() -> Case:
    rows = "".join(f"{i % 7},label {i}\n" for i in range(2000)) * 2
    return _trained(f"x,y\n{rows}".encode(), "data.csv", "--target", "y", "--multiclass", "pairwise")


def rivals_of_many_labels() -> Case:
    rows = "".join(f"{0.001 * (i * 617 % 1000)},{i % 7},label {i}\n" for i in range(1000)) * 2
    return _trained(f"x,z,y\n{rows}".encode(), "data.csv", "--target", "y", "--learner", "crammer-singer")


def losses_that_are_all_the_same() -> Case:
    """Their mean has hardly any variance, so that its gamma distribution has a shape beyond all series."""
    rows = "".join(f"{0.001 * (i * 617 % 1000)},{i % 7},label {i}\n" for i in range(402)) * 2
    return _trained(f"x,z,y\n{rows}".encode(), "data.csv", "--target", "y", "--learner", "discriminant-analysis")


def line_ends_alone() -> Case:
    text = gzip.compress(b"\n" * 62_914_560)
    commands = [
        Command(["train", name, "-o", "m", "--target", "y"], limits=Limits(seconds=15.0, memory=1000 << 20))
        for name in ("alone.csv.gz", "between.csv.gz")
    ]
    between = gzip.compress(b"x,y\n" + b"\r\n" * 30_000_000 + b"1,a\n2,b\n")
    return Case({"alone.csv.gz": text, "between.csv.gz": between}, commands, {"m"})


def one_line_of_commas() -> Case:
    return _trained(gzip.compress(b"," * 60_000_000), "data.csv.gz", "--target", "y")


def one_list_of_many_values() -> Case:
    lists = {
        "ones": b"1," * 25_000_000 + b"1",
        "mixed": b'1,"a",' * 8_000_000 + b"1",
        "halves": b".5," * 12_000_000 + b"1",
    }
    files = {f"{name}.jsonl.gz": gzip.compress(b'{"y":1,"x":[' + text + b"]}\n") for name, text in lists.items()}
    return Case(files, [Command(["train", name, "-o", "m", "--target", "y"], limits=SHORT) for name in files], {"m"})


def one_row_of_many_names() -> Case:
    text = b"1 |" + b" a" * 25_000_000 + b"\n-1 |b\n"
    return _trained(gzip.compress(text), "data.vw.gz")


def _mail(content: str) -> Case:
    files = {
        "data/a/1.eml": content.encode(),
        "data/a/2.eml": b"Subject: x\nFrom: x\n\nhello",
        "data/b/1.eml": b"Subject: y\nFrom: y\n\nworld",
    }
    return Case(files, [Command(["train", "data", "-o", "m"], limits=Limits(seconds=5.0))], {"m"})


def mail_of_opened_tags() -> Case:
    return _mail("From: a\nSubject: a\nContent-Type: text/html\n\n" + "<" + "a" * 100_000)


def mail_of_content_type_parameters() -> Case:
    return _mail(f"From: a\nSubject: a\nContent-Type: text/plain; a={chr(34)}{';' * 80_000}\n\nx")


def a_target_of_lists() -> Case:
    lines = [json.dumps({"x": 1, "y": [1, 2]}), json.dumps({"x": 2, "y": [3]})] * 10
    return _trained("\n".join(lines).encode(), "data.jsonl", "--target", "y")


def a_name_that_is_not_utf8() -> Case:
    files = {"data/a/\udcff": b"x", "data/a/2": b"y", "data/b/1": b"z"}
    return Case(files, [Command(["train", "data", "-o", "m"])], {"m"})


def half_a_character_in_json() -> Case:
    lines = b'{"x":"\\ud800","y":"a"}\n{"x":"b","y":"b"}\n' * 10
    steps = [
        Command(["separable", "data.jsonl", "--target", "y"]),
        Command(["train", "data.jsonl", "--target", "y", "-o", "m"]),
    ]
    return Case({"data.jsonl": lines}, steps, {"m"})


def folders_deeper_than_the_stack() -> Case:
    return Case(
        {"data/a/1": b"x", "data/b/1": b"y"},
        [Command(["train", "data", "-o", "m"])],
        {"m"},
        folders=["data/a/" + "d/" * 1500],
    )


def _ways(content: bytes, head: bytes, suffix: str, form: str, *options: str) -> Case:
    """The whole file, fifty parts of it, a pipe, and packed."""
    lines = content.splitlines(keepends=True)
    files = {f"whole.{suffix}": head + content, f"packed.{suffix}.gz": gzip.compress(head + content, mtime=0)}
    parts = [f"parts/{number:02}.{suffix}" for number in range(50)]
    for number, name in enumerate(parts):
        files[name] = head + b"".join(lines[number * len(lines) // 50 : (number + 1) * len(lines) // 50])
    ways = {"whole": [f"whole.{suffix}"], "parts": parts, "pipe": ["-"], "packed": [f"packed.{suffix}.gz"]}
    steps = [
        Command(["train", *paths, "-o", f"{name}.linnet", "--format", form, *options], head + content)
        for name, paths in ways.items()
    ]
    return Case(files, list(steps), same=[[f"{name}.linnet" for name in ways]])


def numbers_in_parts_are_the_same_task() -> Case:
    random = Random(4)
    rows = "".join(f"{random.gauss(0, 1):.2f},{random.randrange(1, 25)}\n" for _ in range(500))
    return _ways(rows.encode(), b"x,y\n", "csv", "csv", "--target", "y")


def columns_nobody_touched_are_the_same_zero() -> Case:
    return _ways(bases.data("rows.svm") + b"-1 500:-1\n", b"", "svm", "svmlight", "--learner", "perceptron")


def names_of_many_bytes() -> Case:
    names = ",".join("\u2323" * 900 + str(number) for number in range(30))
    return _trained(f"{names}\n{','.join('1' for _ in range(30))}\n".encode() * 3, "data.csv", "--target", "y")


def an_exact_fit_of_many_rows() -> Case:
    """The optimum is 0, of which no gap is a small fraction."""
    return _trained(gzip.compress(b"1 1:1\n" * 2_097_152), "data.svm.gz", "--learner", "svr-squared")


def bad_rows_of_few_bytes() -> Case:
    text = gzip.compress(b"1,a\n" * 15_000_000)
    limits = Limits(seconds=30.0, memory=700 << 20)
    command = ["train", "data.svm.gz", "-o", "m", "--task", "regression", "--on-error"]
    ways = [Command([*command, policy], limits=limits) for policy in ("skip", "quarantine")]
    return Case({"data.svm.gz": text}, list(ways), {"m"})


def separability_of_many_short_rows() -> Case:
    files = {"one.csv.gz": gzip.compress(b"x,y\n" + b"1,a\n" * 6_000_000)}
    files["two.csv.gz"] = gzip.compress(b"x,y\n" + b"1,a\n1,b\n" * 3_000_000)
    limits = Limits(seconds=30.0, memory=800 << 20)
    return Case(files, [Command(["separable", name, "--target", "y"], limits=limits) for name in files])


def votes_of_many_mistakes_on_long_rows() -> Case:
    rows = [json.dumps({f"k{i * 7 % 9001}": "x", "y": "ab"[i % 2]}) for i in range(1000)]
    wide = json.dumps({f"k{i}": "x" for i in range(9001)} | {"y": "a"})
    train = Command(["train", "data.jsonl", "-o", "m", "--target", "y", "--learner", "voted-perceptron"])
    predict = Command(["predict", "m", "data.jsonl"], limits=Limits(seconds=20.0, memory=680 << 20))
    return Case({"data.jsonl": "\n".join([wide, *rows]).encode()}, [train, predict], {"m"})


def conjunctions_of_a_row_of_many_columns() -> Case:
    wide = json.dumps({f"k{i}": "x" for i in range(2001)} | {"y": "a"})
    return _trained(f'{wide}\n{{"y": "b"}}\n'.encode(), "data.jsonl", "--target", "y", "--conjunctions", "2")


def conjunctions_of_many_rows_of_many_columns() -> Case:
    rows = [json.dumps({f"k{5 * i + j}": "x" for j in range(5)} | {"y": "ab"[i % 2]}) for i in range(100)]
    options = ["--target", "y", "--conjunctions", "2", "--hash-bits", "4", "--memory", "64MB"]
    train = Command(["train", "data.jsonl", "-o", "m", *options], limits=Limits(seconds=40.0, memory=400 * MEGABYTE))
    return Case({"data.jsonl": "\n".join(rows).encode()}, [train], {"m"})


def passes_over_rows_of_many_columns() -> Case:
    wide = json.dumps({f"k{i}": "x" for i in range(10_001)} | {"y": "a"})
    rows = [json.dumps({"k1": "x", "y": "ab"[i % 2]}) for i in range(2500)]
    options = ["--target", "y", "--learner", "winnow2", "--passes", "2", "--memory", "64MB"]
    train = Command(["train", "data.jsonl", "-o", "m", *options], limits=Limits(seconds=40.0, memory=800 * MEGABYTE))
    return Case({"data.jsonl": "\n".join([wide, *rows]).encode()}, [train], {"m"})


def a_target_whose_square_is_no_number() -> Case:
    rows = "".join(f"{i % 7},{i * 1.5}\n" for i in range(50))
    train = Command(["train", "data.csv", "-o", "m", "--target", "y", "--on-error", "skip"], limits=SHORT)
    return Case(
        {"data.csv": f"x,y\n{rows}3,8.1e+304\n".encode()}, [train, Command(["predict", "m", "data.csv"])], {"m"}
    )


def a_pattern_that_all_of_many_features_match() -> Case:
    files = {"data.svm": b"1 1:1 3000000:1\n-1 2:1\n" * 5}
    train = Command(["train", "data.svm", "-o", "m", "--learner", "perceptron"], limits=SHORT)
    inspect = Command(["inspect", "m", "--features", "*"], limits=Limits(seconds=30.0, memory=700 << 20))
    return Case(files, [train, inspect], {"m"})


def robust_regression_of_more_columns_than_fit_into_a_table() -> Case:
    rows = "".join(
        f"{number}.5 " + " ".join(f"{number * 97 % 89 + 90 * i}:1" for i in range(400)) + "\n"
        for number in range(1, 60)
    )
    return _trained(rows.encode(), "data.svm", "--learner", "huber", "--task", "regression")


def words_hashed_into_fewer_columns_than_a_row_has() -> Case:
    rows = "".join(f"{' '.join(f'w{i * j % 61}' for j in range(40))},{'ab'[i % 2]}\n" for i in range(30))
    return _trained(
        f"text,y\n{rows}".encode(), "data.csv", "--target", "y", "--hash-bits", "4", "--column", "text:text"
    )


def costs_of_pairs_that_vote() -> Case:
    rows = "".join(f"{i % 7},{i % 5},{'abc'[i % 3]}\n" for i in range(30))
    data = f"x,z,y\n{rows}".encode()
    return _trained(data, "data.csv", "--target", "y", "--multiclass", "pairwise", "--cost", "a,b=3")
