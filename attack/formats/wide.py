"""Small files that ask for much: many columns or keys, long lines, deep nesting, far ids, one thing repeated."""

from __future__ import annotations

import gzip
import io
import json
from random import Random

from attack.formats import Data, one

ABOUT = 1 << 20  # the size of such a file, at most


def make(random: Random) -> Data:
    return random.choice(MAKERS)(random, random.choice([0.05, 0.2, 1.0]))


def many_columns(random: Random, scale: float) -> Data:
    count = int(scale * 20_000) + 1
    rows = random.choice([2, 10])
    lines = [",".join(f"c{i}" for i in range(count)) + ",y"]
    lines += [
        ",".join(random.choice(["1", "2.5", "x", ""]) for _ in range(count)) + random.choice([",a", ",b"])
        for _ in range(rows)
    ]
    return one("data.csv", "\n".join(lines).encode(), "--target", "y")


def many_keys(random: Random, scale: float) -> Data:
    """Every line of JSON has keys of its own, or few lines have very many."""
    rows, keys = random.choice([(200, 100), (20, 1000), (2, 10_000)])
    keys = max(1, int(keys * scale))
    value = random.choice(["x", 1, None, "some words"])
    lines = [
        json.dumps({**{f"k{(row * keys + i) if rows > 2 else i}": value for i in range(keys)}, "y": "ab"[row % 2]})
        for row in range(rows)
    ]
    return one("data.jsonl", "\n".join(lines).encode(), "--target", "y")


def sparse_keys(random: Random, scale: float) -> Data:
    """The first lines have many keys, all others one: memory of keys times lines would be large.

    Some for keys times lines is due: a row has a value, or a missing one, of each.
    """
    keys, rows = int(scale * 10_000) + 1, int(scale * 2_500) + 10
    first = json.dumps({**{f"k{i}": "x" for i in range(keys)}, "y": "a"})
    return one("data.jsonl", "\n".join([first] + ['{"y":"a"}', '{"y":"b"}'] * (rows // 2)).encode(), "--target", "y")


def long_line(random: Random, scale: float) -> Data:
    size = int(scale * ABOUT)
    word = random.choice(
        [
            "x" * size,
            "x " * (size // 2),
            "é" * (size // 2),
            '""' * (size // 2),
            "<" * size,
            "a-" * (size // 2),
            "\t" * size,
            "1:1 " * (size // 4),
        ]
    )
    name, content = random.choice(
        [
            ("data.csv", f'x,y\n"{word}",a\nz,b\n'),
            ("data.txt", f"a\t{word}\nb\tz\n"),
            ("data.txt", f"__label__a {word}\n__label__b z\n"),
            ("data.jsonl", f'{json.dumps({"x": word, "y": "a"})}\n{{"x":"z","y":"b"}}\n'),
            ("data.svm", f"1 {word}\n-1 1:1\n"),
            ("data", word),
            ("data.csv", word),
        ]
    )
    return one(name, content.encode(), *(["--target", "y"] if name in ("data.csv", "data.jsonl") else []))


def far_ids(random: Random, scale: float) -> Data:
    far = random.choice([2**31 - 1, 2**31 - 2, 2**27 - 1, 10**9, 2**32 - 1, 5_000_000])
    lines = [f"{random.choice([1, -1])} 1:1 {far if random.random() < 0.5 else 7}:1" for _ in range(20)]
    return one("data.svm", "\n".join(lines).encode())


def many_ids(random: Random, scale: float) -> Data:
    """Few rows of many ids each: conjunctions and products of them would be very many."""
    ids = " ".join(f"{i}:1" for i in range(1, int(scale * 3000) + 2))
    return one(
        "data.svm",
        f"1 {ids}\n-1 {ids} 4000:1\n".encode() * 2,
        *random.choice([[], ["--conjunctions", "2"], ["--conjunctions", "3"], ["--conjunctions", "5"]]),
    )


def many_labels(random: Random, scale: float) -> Data:
    count = int(scale * 2000) + 2  # rows times labels are scores, in several tables
    lines = ["x,z,y"] + [f"{random.random():.3f},{i % 7},label {i}" for i in range(count)] * 2
    return one("data.csv", "\n".join(lines).encode(), "--target", "y")


def many_categories(random: Random, scale: float) -> Data:
    count = int(scale * 50_000) + 2
    lines = ["x,y"] + [f"v{i},{'ab'[i % 2]}" for i in range(count)]
    return one("data.csv", "\n".join(lines).encode(), "--target", "y", "--column", "x:category")


def polynomial(random: Random, scale: float) -> Data:
    count = int(scale * 400) + 2
    lines = [",".join(f"c{i}" for i in range(count)) + ",y"]
    lines += [",".join(str(random.randrange(9)) for _ in range(count)) + ",ab"[::2] for _ in range(3)]
    lines += [",".join(str(random.randrange(9)) for _ in range(count)) + random.choice([",a", ",b"]) for _ in range(9)]
    return one("data.csv", "\n".join(lines).encode(), "--target", "y", "--polynomial", random.choice(["2", "3", "5"]))


def deep(random: Random, scale: float) -> Data:
    depth = int(scale * 100_000) + 10
    opened, closed = random.choice([("[", "]"), ('{"a":', "}")])
    inner = opened * depth + "1" + closed * depth
    return one("data.jsonl", f'{{"x":{inner},"y":"a"}}\n{{"x":1,"y":"b"}}\n'.encode(), "--target", "y")


def bomb(random: Random, scale: float) -> Data:
    """Much of one thing, compressed to almost nothing."""
    size = int(scale * 60 * ABOUT)
    content = random.choice(
        [
            b"x" * size,
            b"x,y\n" + b"1,a\n" * (size // 4),
            b"\n" * size,
            b'{"x":"z","y":"a"}\n' * (size // 18),
            b"1 1:1\n" * (size // 6),
        ]
    )
    name = random.choice(["data.csv.gz", "data.jsonl.gz", "data.svm.gz", "data.txt.gz"])
    return one(
        name, gzip.compress(content, 9, mtime=0), *(["--target", "y"] if "csv" in name or "json" in name else [])
    )


def parquet_bomb(random: Random, scale: float) -> Data:
    import pyarrow as pa
    import pyarrow.parquet

    rows = int(scale * 4000) + 10
    file = io.BytesIO()
    table = pa.table(
        {"x": pa.array(["z" * 50_000] * rows).dictionary_encode(), "y": ["a", "b"] * (rows // 2) + ["a"] * (rows % 2)}
    )
    pyarrow.parquet.write_table(table, file, compression="zstd")
    return one("data.parquet", file.getvalue(), "--target", "y")


def mails(random: Random, scale: float) -> Data:
    """One part of a mail, repeated until something quadratic shows."""
    size = int(scale * 200_000)
    pieces = [
        "<",
        "<a ",
        "<!--",
        "&",
        "<a href='",
        "=?utf-8?q?a?= ",
        "=?",
        "; a=b",
        ";",
        "<p",
        "</",
        "&#",
        "(",
        '"',
        "\t",
        " <x@y>,",
        "a",
        ' ;"',
        "?=",
    ]
    piece = random.choice(pieces)
    filler = random.choice(["", "", "<", '; a="', "=?a?q?", "&", "(", ";"]) + piece * (size // len(piece))
    head, body = random.choice(
        [
            ("Subject: a\nContent-Type: text/html", filler),
            (f"Subject: {filler}", "x"),
            (f"Subject: a\nContent-Type: text/plain{filler}", "x"),
            (f"From: {filler}\nSubject: b", "x"),
            (f"Subject: a\nContent-Type: multipart/mixed; boundary=b{filler}", "x"),
            ("Subject: a\nContent-Type: multipart/mixed; boundary=b", "\n--b\n\n" * (size // 6)),
            (f"Subject: a\nX: y{chr(10)}" + "X: y\n" * (size // 5), "x"),
            ("Subject: a", filler),
        ]
    )
    files = {
        "data/a/1.eml": f"From: a\n{head}\n\n{body}".encode(),
        "data/a/2.eml": b"Subject: x\nFrom: x\n\nhello",
        "data/b/1.eml": b"Subject: y\nFrom: y\n\nworld",
    }
    return Data(files, ["data"])


def deep_folders(random: Random, scale: float) -> Data:
    path = "data/a/" + "d/" * int(scale * 1900)
    return Data({"data/a/1": b"x", "data/b/1": b"y"}, ["data"], folders=[path])


MAKERS = [
    many_columns, many_keys, sparse_keys, long_line, long_line, far_ids, many_ids, many_labels, many_categories,
    polynomial, deep, bomb, parquet_bomb, mails, mails, deep_folders,
]  # fmt: skip
