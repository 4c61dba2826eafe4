"""Data for a model: opened as the kind that it was trained on, and refused where they are of another."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linnet.data.features.feature_map import Features
from linnet.data.features.schema import FEATURE_ROLES, Role
from linnet.data.findings import Findings
from linnet.data.label_types import LabelKind
from linnet.data.sources.arrays import Arrays
from linnet.data.sources.files import ByteFiles, expand_paths
from linnet.data.sources.folder import Folder, TextFiles
from linnet.data.sources.formats import Dialect, Form, Format
from linnet.data.sources.labelled import TARGET, TEXT, LabelledText
from linnet.data.sources.opening import (
    data_files,
    find_encoding,
    first_lines,
    format_by_content,
    format_by_name,
    named_format,
    open_data,
    open_lines,
)
from linnet.data.sources.plaintext import PlainText
from linnet.data.sources.source import Source
from linnet.data.sources.svmlight import Svmlight
from linnet.data.sources.table import TableSource
from linnet.data.sources.unsupported import refuse_unsupported
from linnet.errors import InputError, listed

NAMED_BY_NUMBER = re.compile(r"c\d+")


def open_for(
    features: Features,
    data: Any,
    form: Form = None,
    *,
    labelled: bool,
    strict: bool = False,
    files_are_rows: bool = False,
) -> Source:
    """A source of the columns that these features are made of; with the target, where data are labelled.

    Where it is strict, a row with a value that does not fit the type of its column is a bad one.  For a model whose
    rows were files each file is a row again, unless its name says that it is a table.
    """
    if features.is_numbered and getattr(data, "ndim", 0) == 2:
        return _array(features, data)
    dialect = form if isinstance(form, Dialect) else Dialect(None if form is None else Format(form))
    if isinstance(data, str | os.PathLike):
        data = [os.fspath(data)]
    source = _texts(data) if files_are_rows and dialect.format is None and not labelled else None
    if source is None:
        source = _source(features, data, dialect)
    if features.schema.labels is LabelKind.SETS:
        _expect_several(source, labelled=labelled)
    table = isinstance(source, TableSource | LabelledText | Folder | PlainText)
    if table == features.is_numbered:
        kinds = ("numbered columns (svmlight)", "named columns")
        has, wants = kinds if not features.is_numbered else kinds[::-1]
        raise InputError(f"the data have {has}, the model was trained on {wants}")
    if isinstance(source, TableSource):
        _read_only_needed(source, features, labelled=labelled, strict=strict)
    elif isinstance(source, LabelledText | Folder):
        missing = [name for term in features.terms for name in term.columns if name not in (TARGET, TEXT)]
        if labelled and features.schema.target != TARGET:
            missing.append(features.schema.target or "")
        if missing:
            raise InputError(_lacking(missing, (TARGET, TEXT)))
    elif isinstance(source, PlainText) and labelled:
        raise InputError("plain text has no targets to evaluate a model on: give labelled data")
    return source


def _expect_several(source: Source, *, labelled: bool) -> None:
    """Let the source read several labels a row; raise where it must, and cannot."""
    if isinstance(source, Svmlight) or (isinstance(source, LabelledText) and source.marked):
        source.several = True
    elif labelled and not isinstance(source, TableSource):
        raise InputError(
            "the model predicts several labels a row: give data to evaluate on as svmlight (1,5,7 3:0.5) or as "
            "fastText's lines (__label__a __label__b text)"
        )


def find_columns(source: Source, features: Features, findings: Findings) -> None:
    """Note which columns of a table the model does not know, and which of its own are in no row of the first."""
    if isinstance(source, TableSource):
        schema = features.schema
        findings.extra_columns = tuple(name for name in source.there if name not in schema.roles)
        needed = (name for name, role in schema.roles.items() if role in FEATURE_ROLES)
        findings.missing_columns = tuple(name for name in needed if name not in source.there)


def _read_only_needed(source: TableSource, features: Features, *, labelled: bool, strict: bool) -> None:
    schema = features.schema
    source.expect_columns(schema.roles)
    wanted = schema.columns_to_read(features.task, with_target=labelled, strict=strict)
    for name in schema.having(Role.ID) + schema.having(Role.WEIGHT):
        if name not in source.names:
            wanted.pop(name, None)  # good to have, not needed
    there = frozenset(source.there)
    missing = [name for name in wanted if name not in there]
    needed = [name for name, role in schema.roles.items() if role in FEATURE_ROLES]
    # a column that is not there is a missing value in every row, and reported; but something must be
    if missing and (strict or schema.target in missing or there.isdisjoint(needed)):
        raise InputError(_lacking([schema.target] if schema.target in missing else missing, source.there))
    source.select_columns(wanted)


def _source(features: Features, data: Any, dialect: Dialect) -> Source:
    """The data as they say they are; or, for a model of one text and nothing else, as lines of plain text."""
    roles = features.schema.roles
    needed = [name for name in roles if roles[name] in FEATURE_ROLES]
    if dialect.header is None and roles and all(NAMED_BY_NUMBER.fullmatch(name) for name in roles):
        dialect = replace(dialect, header=False)
    only_text = len(needed) == 1 and roles[needed[0]] is Role.TEXT
    if dialect.format is Format.TEXT:
        if not only_text:
            raise InputError(f"plain text is one column, the model needs {', '.join(needed)}")
        paths = expand_paths(data)
        # nothing is guessed: lines are answered at once
        files = ByteFiles(paths, prompt=True, encoding=dialect.encoding)
        return PlainText(files, needed[0])
    if (
        only_text
        and dialect.format is None
        and isinstance(data, list | tuple)
        and all(isinstance(each, str) for each in data)
    ):
        paths = expand_paths(data)
        if not any(os.path.isdir(path) for path in paths) and format_by_name(paths[0]) is None:
            files = ByteFiles(paths, encoding=dialect.encoding)
            find_encoding(files)
            refuse_unsupported(files.beginning(0), files.name(0))
            if not first_lines(files) and any(files.head(number) for number in range(len(files))):
                return PlainText(files, needed[0])  # blank lines are texts, too
            kind = format_by_content(files)
            if kind is Format.CSV and needed[0].encode() not in first_lines(files)[0]:
                return PlainText(files, needed[0])
            return open_lines(files, kind, dialect)
    return open_data(data, replace(dialect, table=bool(roles) and needed != [TEXT]))


def _texts(data: Any) -> Source | None:
    """Files, or the files of a folder, as one text each; None for tables, and for what is not files."""
    if not isinstance(data, list | tuple) or not all(isinstance(each, str | os.PathLike) for each in data):
        return None
    paths = expand_paths(data)
    if len(paths) == 1 and os.path.isdir(paths[0]):
        return None if data_files(paths[0]) else TextFiles.inside(paths[0])
    if any(os.path.isdir(path) or named_format(path) is not None for path in paths):
        return None
    return TextFiles(paths)


def _array(features: Features, X: Any) -> Source:
    """Rows in memory, for a model of numbered columns."""
    known = features.sizes[0]
    if X.shape[1] > known:
        raise InputError(f"the data have {X.shape[1]} columns, the model was trained on {known}")
    return Arrays.of(X, np.zeros(X.shape[0]))


def _lacking(missing: list[str], names: Sequence[str]) -> str:
    several = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return f"the data have no column {missing[0]!r}{several}, which the model needs: there are {listed(names)}"
