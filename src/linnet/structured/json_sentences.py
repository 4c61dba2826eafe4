"""Sentences of JSON Lines: an object a line, with lists of strings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linnet.data.on_error import BadRow
from linnet.data.sources.chunks import Chunk
from linnet.errors import InputError
from linnet.structured.sentences import MOST_TOKENS, SKIP, Sentences, of_lists

SURROGATE = re.compile("[\\ud800-\\udfff\\n\\r]")


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def columns_of_json(head: bytes, path: str) -> tuple[str, ...]:
    """tokens first, then the other lists of strings of the first object that are as long."""
    for line in head.split(b"\n"):
        if not line.strip():
            continue
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            continue  # reported when it is read
        if isinstance(content, dict) and _strings(content.get("tokens")):
            size = len(content["tokens"])
            others = [name for name, value in content.items() if name != "tokens" and _strings(value)]
            return ("tokens", *(name for name in others if len(content[name]) == size))
    raise InputError(
        f'{path}: no line is an object with "tokens", a list of strings, such as {{"tokens": ["Hello", "."]}}'
    )


def of_json(chunk: Chunk, columns: tuple[str, ...]) -> Sentences:
    """Lines of JSON as sentences; their text is that of the fields, without the JSON around it."""
    found: list[list[list[str]]] = []
    lines: list[int] = []
    bad: list[BadRow] = []
    for number, raw in enumerate(_lines(chunk)):
        if not raw.strip():
            continue
        line = chunk.at.line + number
        fields = _json_fields(raw, columns)
        if isinstance(fields, str):
            bad.append(BadRow(chunk.path, line, None, f"{fields} ({SKIP})", raw))
        elif fields[0]:
            found.append(fields)
            lines.append(line)
    flat = [[value for fields in found for value in fields[column]] for column in range(len(columns))]
    made = of_lists(columns, flat, [len(fields[0]) for fields in found])
    by_token = np.repeat(np.array(lines, dtype=np.int64), np.diff(made.starts))
    return Sentences(
        columns, made.data, made.begins, made.ends, made.starts, made.spans, by_token, ((0, chunk.path),), None,
        tuple(bad), chunk.read,
    )  # fmt: skip


def _json_fields(raw: bytes, columns: tuple[str, ...]) -> list[list[str]] | str:
    """The lists of a line, or what is wrong with it."""
    try:
        content = json.loads(raw)
    except RecursionError:
        return "JSON nested too deeply"
    except ValueError as error:
        return f"not JSON: {error}"
    if not isinstance(content, dict):
        return 'not an object with "tokens"'
    fields: list[list[str]] = []
    for name in columns:
        value: Any = content.get(name)
        if not _strings(value):
            return f'"{name}" is not a list of strings'
        if len(value) != len(content["tokens"]):
            return f'"{name}" has {len(value)} strings, "tokens" has {len(content["tokens"])}'
        if any(map(SURROGATE.search, value)):
            return "a token with a line end, or half a character (a lone surrogate)"
        fields.append(value)
    if len(fields[0]) > MOST_TOKENS:
        return f"a sentence of more than {MOST_TOKENS:,} words"
    return fields


def objects_with_tags(chunk: Chunk, block: Sentences, key: str, found: Sequence[Mapping[str, Any]]) -> bytes:
    """The lines of a chunk as they are, with the tags that were found for their sentences under this key; what else
    was found (margins, best sequences) comes behind.  Lines that are not sentences stay as they are."""
    of_line = dict(zip(block.lines[block.starts[:-1]].tolist(), found, strict=True))
    bad = {each.line for each in block.bad}
    out = []
    for number, raw in enumerate(_lines(chunk), chunk.at.line):
        if raw.strip() and number not in bad:
            tags = of_line.get(number, {"tags": []})
            others = {name: value for name, value in tags.items() if name != "tags"}
            made = {**json.loads(raw), key: tags["tags"], **others}
            raw = json.dumps(made, ensure_ascii=False).encode("utf-8", "backslashreplace")
        out.append(raw)
    return b"\n".join(out) + b"\n"


def _lines(chunk: Chunk) -> list[bytes]:
    lines = bytes(chunk.data).split(b"\n")
    return lines if lines[-1] else lines[:-1]
