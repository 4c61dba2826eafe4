"""How much a column of a row group may become when it is read, from its metadata and the header of its dictionary.

A dictionary has every value once, and a data page only its number: a few bytes of a file may stand for gigabytes of
strings.  So a column of strings that is all dictionary is read as one, and of any other column so few rows are read at
once that even the longest value of its dictionary in each of them is affordable.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from linnet.data.limits import size_in_words
from linnet.errors import InputError

# What the values of a dictionary may take in the rows that are read at once; but LEAST_ROWS rows always are.
EXPANDED = 1 << 29
LEAST_ROWS = 16
# A column of a row group that takes more than this, and this many times what it takes in the file, is not read.
LARGEST_CHUNK = 1 << 28
MOST_EXPANDED = 1000
# Bytes a row of numbers of dictionary values, with the headers of their pages.
NUMBER_BYTES, PAGE_HEADERS = 8, 1 << 12
# A page header begins with its type and its size as it is read: fields 1 and 2, both zigzag varints.
I32_FIELD = 0x15


def refuse_expansion(group: Any, path: str, number: int) -> None:
    """Raise for pages of gigabytes that take a few bytes in the file: each page is made in memory as a whole."""
    for column in map(group.column, range(group.num_columns)):
        size, stored = column.total_uncompressed_size, max(column.total_compressed_size, 1)
        if size > LARGEST_CHUNK and size > MOST_EXPANDED * stored:
            raise InputError(
                f"{path}: column {column.path_in_schema!r} of row group {number} is {size_in_words(size)} in "
                f"{size_in_words(stored)} of the file: write it again in smaller row groups"
            )


def dictionary_columns(metadata: Any, names: set[str], path: str) -> list[str]:
    """Which of these columns have no values but those of their dictionaries."""
    left = set(names)
    with open(path, "rb") as file:
        for group in map(metadata.row_group, range(metadata.num_row_groups)):
            for column in _columns(group, left):
                numbers = NUMBER_BYTES * column.num_values + PAGE_HEADERS
                if column.total_uncompressed_size > _dictionary_bytes(column, file) + numbers:
                    left.discard(column.path_in_schema)
    return sorted(left)


def rows_affordable(group: Any, names: set[str], path: str) -> int:
    """How many rows of these columns, read as strings each, may be read at once."""
    with open(path, "rb") as file:
        largest = max((_dictionary_bytes(column, file) for column in _columns(group, names)), default=0)
    return max(LEAST_ROWS, EXPANDED // max(largest, 1))


def _columns(group: Any, names: set[str]) -> list[Any]:
    columns = map(group.column, range(group.num_columns))
    return [column for column in columns if column.path_in_schema in names]


def _dictionary_bytes(column: Any, file: BinaryIO) -> int:
    """The size of a column's dictionary: no value of it is longer; 0 if there is none."""
    if "DELTA_BYTE_ARRAY" in column.encodings:  # a value is the beginning of the last one, and more
        return int(column.total_uncompressed_size)
    if not column.has_dictionary_page:
        return 0
    if column.dictionary_page_offset < 0:
        return int(column.total_uncompressed_size)
    file.seek(column.dictionary_page_offset)
    head, at, value = file.read(16), 0, 0
    for _ in range(2):
        if at >= len(head) or head[at] != I32_FIELD:
            return int(column.total_uncompressed_size)
        value, at = _varint(head, at + 1)
    return value >> 1


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """An integer of seven bits a byte, and where it ends."""
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            break
    return value, at
