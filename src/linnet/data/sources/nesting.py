"""Objects within objects as columns: the key b of the object a is the column `a.b`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

SEPARATOR = "."


def leaves(schema: Any) -> list[tuple[str, tuple[str, ...], Any]]:
    """The columns of a schema: of each its name, the keys that lead to it, and its type."""
    found: list[tuple[str, tuple[str, ...], Any]] = []
    waiting: list[tuple[tuple[str, ...], Any]] = []
    waiting += [((name,), kind) for name, kind in zip(schema.names, schema.types, strict=True)][::-1]
    while waiting:
        path, kind = waiting.pop()
        if pa.types.is_struct(kind) and kind.num_fields:
            waiting += [((*path, each.name), each.type) for each in kind][::-1]
        else:
            found.append((SEPARATOR.join(path), path, kind))
    return found


def nested_schema(fields: Iterable[tuple[tuple[str, ...], Any]]) -> Any:
    """The schema of objects with these keys, each by the keys that lead to it; None if one is a value and an object."""
    tree: dict[str, Any] = {}
    for path, kind in fields:
        inside = tree
        for key in path[:-1]:
            inside = inside.setdefault(key, {})
            if not isinstance(inside, dict):
                return None
        if path[-1] in inside:
            return None
        inside[path[-1]] = kind
    return pa.schema(_fields(tree))


def _fields(tree: Mapping[str, Any]) -> list[Any]:
    return [pa.field(key, pa.struct(_fields(each)) if isinstance(each, dict) else each) for key, each in tree.items()]


def flat_table(table: Any) -> Any:
    """The table with a column for each key of its objects."""
    while any(pa.types.is_struct(kind) and kind.num_fields for kind in table.schema.types):
        table = table.flatten()
    return table


def flat_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """One object with the keys of the objects in it."""
    found: dict[str, Any] = {}
    waiting = [(name, value) for name, value in row.items()][::-1]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict) and value:
            waiting += [(f"{name}{SEPARATOR}{key}", each) for key, each in value.items()][::-1]
        else:
            found.setdefault(name, value)
    return found
