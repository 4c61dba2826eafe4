"""The formats linnet reads, and how text in them is written, by the names users give them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Format(StrEnum):
    """labelled-text is `label<TAB>text`; labels is `__label__x text`; folder has one folder of texts for each class.

    vw is Vowpal Wabbit's text format, `label |namespace name:value name`.
    jsonl is one object a line, json an array of objects, or objects over several lines.
    text has one text a line, and can only be predicted.
    """

    SVMLIGHT = "svmlight"
    VW = "vw"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    JSON = "json"
    PARQUET = "parquet"
    LABELLED_TEXT = "labelled-text"
    LABELS = "labels"
    FOLDER = "folder"
    TEXT = "text"


class StrayQuotes(StrEnum):
    """What becomes of a quote that opens no field: it is a character like others, or its row is bad."""

    LITERAL = "literal"
    ERROR = "error"


# As a separator, a blank is a run of blanks; as a quote, this is none.
BLANKS, NO_QUOTE = " ", "none"


@dataclass(frozen=True)
class Dialect:
    """How files are to be read, as far as it is given; what is None is inferred.

    Of a `table` it is known that it has named columns: two of them are not a label and its text.
    """

    format: Format | None = None
    header: bool | None = None
    encoding: str | None = None
    separator: str | None = None
    quote: str | None = None
    stray_quotes: StrayQuotes = StrayQuotes.LITERAL
    table: bool = False

    @classmethod
    def of(cls, form: Form) -> Dialect:
        return form if isinstance(form, Dialect) else cls(form)


# What callers may give: a format alone, or all of it.
Form = Format | Dialect | None
