"""The formats linnet reads, by the names users give them."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """labelled-text is `label<TAB>text`; labels is `__label__x text`; folder, one folder of texts per class.

    text is one text a line, to be predicted.
    """

    SVMLIGHT = "svmlight"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    LABELLED_TEXT = "labelled-text"
    LABELS = "labels"
    FOLDER = "folder"
    TEXT = "text"
