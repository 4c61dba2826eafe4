"""Models whose authors meant no good, with their checksums right."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

from attack import bases, containers
from attack.case import Case, Command, Limits
from attack.subjects.records import _renamed, _signed, replaced

USES = [
    ["inspect"],
    ["inspect", "--json"],
    ["inspect", "--table"],
    ["inspect", "table.csv", "--json"],
    ["predict", "table.csv"],
    ["evaluate", "table.csv"],
    ["verify", "table.csv"],
]


def _used(model: bytes, uses: list[list[str]] = USES) -> Case:
    steps = [Command([use[0], "bad", *use[1:]], limits=Limits(seconds=5.0)) for use in uses]
    return Case({"bad": model, "table.csv": bases.data("table.csv")}, list(steps))


def _with(name: str, path: tuple, value: Any) -> bytes:
    metadata, parts, tensors = containers.taken_apart(bases.model(name))
    parts["content"] = _signed(replaced(parts["content"], path, value), tensors)
    return containers.put_together(metadata, parts, tensors)


def passes_without_end() -> Case:
    case = _used(_with("separable", ("record", "online", "passes"), 2**31), [["verify", "simple.csv"]])
    return replace(case, files={**case.files, "simple.csv": bases.data("simple.csv")})


def a_seed_beyond_64_bits_of_sense() -> Case:
    return _used(_with("adaptive", ("record", "seed"), 2**64 - 1))


def labels_that_speak_to_the_terminal() -> Case:
    metadata, parts, tensors = containers.taken_apart(bases.model("table"))
    for old, new in (("a", "\x1b]0;owned\x07"), ("b", "[link=http://example.invalid]b[/link]")):
        parts["content"]["labels"] = [new if each == old else each for each in parts["content"]["labels"]]
    return _used(containers.put_together(metadata, parts, tensors))


def markup_in_every_word() -> Case:
    metadata, parts, tensors = containers.taken_apart(bases.model("table"))
    parts["content"] = _renamed(parts["content"], "c", "[/]\x1b[31m")
    return _used(containers.put_together(metadata, parts, tensors))


def a_reason_that_speaks_to_the_terminal() -> Case:
    return _used(_with("table", ("certificate", "reason"), "\x1b[2J[/bold]"))


def every_key_of_a_vocabulary_equal() -> Case:
    """A hundred thousand names under one key: a table that trusts the keys searches all of them for each."""
    metadata, parts, tensors = containers.taken_apart(bases.model("table"))
    number = next(at for at, term in enumerate(parts["content"]["terms"]) if term["kind"] == "category")
    before = parts["layout"][f"term{number}.keys"]["shape"][0]
    extra = 100_000
    names = tensors[f"term{number}.names"] + b"".join(b"%06d" % i for i in range(extra))
    first = len(tensors[f"term{number}.names"])
    starts = tensors[f"term{number}.starts"] + struct.pack(f"<{extra}q", *(first + 6 * (i + 1) for i in range(extra)))
    for name, content, size in (
        ("keys", struct.pack("<Q", 7) * (before + extra), 8),
        ("names", names, 1),
        ("starts", starts, 8),
    ):
        tensors[f"term{number}.{name}"] = content
        parts["layout"][f"term{number}.{name}"]["shape"] = [len(content) // size]
    rows, outputs = parts["layout"]["weights"]["shape"]
    tensors["weights"] += bytes(8 * extra * outputs)
    parts["layout"]["weights"]["shape"] = [rows + extra, outputs]
    return _used(containers.put_together(metadata, parts, tensors), [["inspect"], ["predict", "table.csv"]])
