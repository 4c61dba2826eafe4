"""The formats linnet reads, by the names users give them."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """labelled-text is `label<TAB>text`; labels is `__label__x text`; folder has one folder of texts for each class.

    text has one text a line, and can only be predicted.
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
