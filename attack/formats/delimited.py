"""CSV and TSV: delimiters, quotes, line ends, headers; cells of every kind."""

from __future__ import annotations

from random import Random

from attack import words
from attack.formats import Data, one
from attack.mutations import mutated

PIECES = [
    b'"',
    b'""',
    b",",
    b";",
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b"NA",
    b"inf",
    b"nan",
    b"1e999",
    b'",',
    b',"',
    b'"\n"',
    b"\n\n",
    b"\0",
]
KINDS = ("number", "category", "text", "date", "boolean", "mixed", "empty", "constant")


def make(random: Random) -> Data:
    delimiter = random.choice([",", ",", ",", ";", "\t", "|", "  "])
    end = random.choice(["\n", "\n", "\r\n", "\r"])
    names, rows = table(random, random.choice([0, 1, 2, 12, 12, 60, 60, 300]), random.choice([0, 1, 2, 4, 8]))
    lines = ([names] if random.random() < 0.9 else []) + rows
    if random.random() < 0.2:
        for _ in range(random.randrange(1, 4)):
            if lines:
                lines[random.randrange(len(lines))].append(words.word(random))
    text = end.join(delimiter.join(_cell(random, each, delimiter) for each in row) for row in lines)
    text += end if random.random() < 0.9 else ""
    encoding = random.choice([*["utf-8"] * 6, "utf-8-sig", "utf-16", "utf-16-be", "windows-1252", "utf-32"])
    content = text.encode(encoding, "surrogatepass" if "utf" in encoding else "replace")
    if random.random() < 0.6:
        content = mutated(random, content, PIECES)
    suffix = random.choice(["csv", "csv", "tsv", "txt", "data"])
    target = names[-1] if random.random() < 0.9 else words.word(random)
    if random.random() < 0.1:
        target = random.choice(["first", "last", "1", "999999999999999999999"])
    data = one(f"data.{suffix}", content, "--target", target.replace("\0", ""), *_dialect(random))
    if random.random() < 0.1:  # another file, with columns in another order, fewer or more
        others = [*names[::-1], *(["more"] if random.random() < 0.5 else [])][: random.randrange(1, 9)]
        data.files["other.csv"] = (delimiter.join(others) + end + delimiter.join("1" for _ in others) + end).encode()
        data.paths.append("other.csv")
    return data


def _dialect(random: Random) -> list[str]:
    """Options of reading, mostly none; few of them fit the file."""
    options = []
    if random.random() < 0.05:
        options += ["--encoding", random.choice(["utf-8", "utf-16", "latin-1", "shift_jis", "gb18030", "punycode", ""])]
    if random.random() < 0.05:
        options += ["--separator", random.choice([",", ";", "tab", "blanks", ":", "^", "'", "é", ""])]
    if random.random() < 0.05:
        options += ["--quote", random.choice(["'", '"', "none", "|", "``"])]
    if random.random() < 0.05:
        options += ["--stray-quotes", random.choice(["error", "literal"])]
    return options


def table(random: Random, count: int, columns: int) -> tuple[list[str], list[list[str]]]:
    """Names and rows; the last column is the target."""
    kinds = [random.choice(KINDS) for _ in range(columns)]
    names = [words.column(random, index) for index in range(columns)] + [
        "y" if random.random() < 0.85 else words.word(random)
    ]
    numeric, hostile = random.random() < 0.25, random.choice([0.0, 0.0, 0.1, 0.5])
    rows = []
    for _ in range(count):
        row = [_value(random, kind) for kind in kinds]
        row.append(words.number(random) if numeric else words.label(random, hostile))
        rows.append(row)
    return names, rows


def _value(random: Random, kind: str) -> str:
    match kind:
        case "number":
            return words.number(random) if random.random() < 0.1 else f"{random.gauss(0, 1):.3f}"
        case "category":
            return words.word(random)
        case "text":
            return words.text(random)
        case "date":
            return f"20{random.randrange(20, 26)}-{random.randrange(1, 13):02}-{random.randrange(1, 32):02}"
        case "boolean":
            return random.choice(["true", "false", "", "True"])
        case "mixed":
            return random.choice([words.number, words.word, words.text])(random)
        case "empty":
            return ""
        case _:
            return "7"


def _cell(random: Random, value: str, delimiter: str) -> str:
    awkward = any(sign in value for sign in ('"', "\n", "\r", delimiter))
    if (awkward and random.random() < 0.97) or random.random() < 0.03:
        return '"' + value.replace('"', '""') + '"'
    return value
