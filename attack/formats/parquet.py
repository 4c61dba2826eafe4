"""Parquet: every type Arrow can store, hostile names, bombs of one repeated value, and damage."""

from __future__ import annotations

import datetime
import decimal
import io
from random import Random
from typing import Any

from attack import words
from attack.formats import Data, one
from attack.mutations import mutated


def make(random: Random) -> Data:
    import pyarrow as pa
    import pyarrow.parquet

    rows = random.choice([0, 1, 2, 12, 60, 300])
    columns: dict[str, Any] = {}
    for index in range(random.choice([0, 1, 2, 4, 8])):
        columns[words.column(random, index)] = _column(random, rows)
    target = [words.label(random, 0.03) for _ in range(rows)]
    columns["y"] = pa.array(target) if random.random() < 0.85 else _column(random, rows)
    if random.random() < 0.04:
        columns["bomb"] = pa.array(["z" * random.choice([1000, 100_000])] * rows)
    table = pa.table(columns)
    file = io.BytesIO()
    options = {
        "compression": random.choice(["none", "snappy", "zstd", "gzip"]),
        "use_dictionary": random.random() < 0.7,
        "row_group_size": random.choice([1, 7, 100, 10_000]),
        "data_page_version": random.choice(["1.0", "2.0"]),
    }
    try:
        pyarrow.parquet.write_table(table, file, **options)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # a type that cannot be stored
        file = io.BytesIO()
        pyarrow.parquet.write_table(pa.table({"x": [1.0] * rows, "y": target}), file, **options)
    content = file.getvalue()
    if random.random() < 0.5:
        content = _damaged(random, content)
    return one(random.choice(["data.parquet", "data.pq", "data"]), content, "--target", "y")


def _damaged(random: Random, content: bytes) -> bytes:
    """Bytes changed anywhere, or in the footer, which says what all the rest is."""
    if random.random() < 0.15:
        return mutated(random, content)
    data = bytearray(content)
    for _ in range(random.choice([1, 1, 2, 5])):
        footer = -random.randrange(1, min(2000, len(data)))
        place = random.randrange(4, len(data)) if random.random() < 0.5 else footer
        data[place] = random.randrange(256) if random.random() < 0.5 else data[place] ^ (1 << random.randrange(8))
    return bytes(data if random.random() < 0.95 else data[: random.randrange(len(data))])


def _column(random: Random, rows: int) -> Any:
    import pyarrow as pa

    date = datetime.datetime(2024, 1, 1)
    makers = [
        lambda: pa.array([random.gauss(0, 1) for _ in range(rows)]),
        lambda: pa.array([random.choice([None, 1, 2**62]) for _ in range(rows)], pa.int64()),
        lambda: pa.array([random.choice([None, 2**64 - 1, 0]) for _ in range(rows)], pa.uint64()),
        lambda: pa.array([random.choice([float("nan"), float("inf"), 1.0]) for _ in range(rows)], pa.float32()),
        lambda: pa.array([words.text(random).encode("utf-8", "replace").decode() for _ in range(rows)]),
        lambda: pa.array(
            [words.word(random).encode("utf-8", "replace").decode() for _ in range(rows)]
        ).dictionary_encode(),
        lambda: pa.array([random.randbytes(random.randrange(5)) for _ in range(rows)], pa.binary()),
        lambda: pa.array([[1, None]] * rows, pa.list_(pa.int64())),
        lambda: pa.array([[]] * rows, pa.list_(pa.string())),
        lambda: pa.array([{"a": 1, "b": "x"}] * rows, pa.struct([("a", pa.int64()), ("b", pa.string())])),
        lambda: pa.array([[("k", 1)]] * rows, pa.map_(pa.string(), pa.int64())),
        lambda: pa.array([random.choice([True, False, None]) for _ in range(rows)]),
        lambda: pa.array([date + datetime.timedelta(days=random.randrange(900)) for _ in range(rows)]),
        lambda: pa.array([(date + datetime.timedelta(days=i)).date() for i in range(rows)]),
        lambda: pa.array([datetime.timedelta(seconds=i) for i in range(rows)]),
        lambda: pa.array([datetime.time(1, 2, 3)] * rows),
        lambda: pa.array([decimal.Decimal("1.5")] * rows, pa.decimal128(38, 10)),
        lambda: pa.nulls(rows),
        lambda: pa.array([None] * rows, pa.string()),
        lambda: pa.array(["x"] * rows, pa.large_string()),
        lambda: pa.array([b"abcd"] * rows, pa.binary(4)),
        lambda: pa.array([2**62] * rows, pa.timestamp("s")),
    ]
    return random.choice(makers)()
