"""What input may ask for: the limits of a row, of a block and of a table, and how they are put to a user.

docs/limits.md lists them.  What grows with all rows (the rows themselves, names, weights) is limited by the option
`memory` instead (pipeline/memory.py).
"""

from __future__ import annotations

MIB = 1 << 20

# Named columns of a table: each has a term of its own, which takes some kilobytes.
MOST_COLUMNS = 1 << 17
# A row in bytes: a line, a record, or a row of Parquet or of a data frame.
LONGEST_ROW = 64 * MIB
# Lines of a quoted field of CSV: one that is not closed by then has a stray quote.
MOST_QUOTED_LINES = 10_000
# Strings of a block that is not cut by its bytes already, and its values, missing ones included.
BLOCK_BYTES = 4 * MIB
BLOCK_CELLS = 1 << 20
# Entries (n-grams, conjunctions) that the rows of a block are made into at once; and those of a single row.
BLOCK_NGRAMS = 1 << 23
ROW_NGRAMS = 1 << 26
BLOCK_CONJUNCTIONS = 1 << 18
ROW_CONJUNCTIONS = 1 << 20
# Named features of a row of Vowpal Wabbit's format, or values of a line of JSON, or elements of a set; and of a block
# that is used at once.
ROW_NAMES = 1 << 20
BLOCK_NAMES = 1 << 19
# The weight of a row: sums of weights are exact.
LARGEST_WEIGHT = 2.0**40
# A number to predict: its square, and sums of squares, are numbers.
LARGEST_TARGET = 1e150
# The sum of the sample weights that an array has, and of those of all rows: their squares are numbers, and not 0.
LARGEST_TOTAL_WEIGHT, SMALLEST_TOTAL_WEIGHT = 1e100, 1e-100
# Terms that crosses and polynomials add.
MOST_CROSSES = 1 << 17


def size_in_words(count: int) -> str:
    """A number of bytes with its unit."""
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} bytes"
