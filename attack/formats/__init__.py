"""Files of every format that linnet reads, made to be hostile: by their words, by damage, by their size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random


@dataclass
class Data:
    """Files, the paths to give to a command, and the options that fit them."""

    files: dict[str, bytes]
    paths: list[str]
    options: list[str] = field(default_factory=list)
    stdin: bytes = b""
    folders: list[str] = field(default_factory=list)


def one(name: str, content: bytes, *options: str) -> Data:
    """A single file."""
    return Data({name: content}, [name], list(options))


Maker = Callable[[Random], Data]


def makers() -> dict[str, Maker]:
    """By format, the function that makes data of it."""
    from attack.formats import delimited, folders, jsonlines, labelled, parquet, svmlight, vowpal_wabbit, wide

    return {
        "csv": delimited.make,
        "jsonl": jsonlines.make,
        "svmlight": svmlight.make,
        "vw": vowpal_wabbit.make,
        "labelled": labelled.make,
        "parquet": parquet.make,
        "folder": folders.make_texts,
        "mail": folders.make_mails,
        "wide": wide.make,
    }
