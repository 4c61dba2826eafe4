"""Hostile words: names, labels, numbers and texts that somebody's program somewhere could not take."""

from __future__ import annotations

from random import Random

ESCAPES = [
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://example.invalid\x07link\x1b]8;;\x07",
    "\x1b]0;title\x07",
    "\x9b2J",
    "a\rb",
    "a\x08\x08b",
    "\x7f",
    "\u202etxt.exe",
    "line\u2028break",
    "a\x00b",
    "two\nlines",
    "bell\x07",
]
MARKUP = [
    "[bold]b[/bold]",
    "[/]",
    "[link=http://example.invalid]x[/link]",
    "[red",
    "[/red]",
    "\\[x]",
    "[[]]",
    ":smile:",
    "[@click=x]y[/]",
    "trailing\\",
    "%s%n{0}{}",
]
CELLS = [
    "=1+1",
    "+1",
    "-1+1",
    "@SUM(A1)",
    "'",
    '"',
    '""',
    ",",
    ";",
    "a,b",
    "#",
    "NA",
    "?",
    "-",
    "--help",
    "-o",
    "*",
    "~",
]
NAMES = [
    "", " ", "a", "A", "a ", "target", "label", "text", "file", "weight", "id", "probability:a", "prediction", "a=b",
    "a:b", "a×b", "a,b", "é", "e\u0301", "ſ", "İ", "\ufeff", "\ufffe", "\U0001f600", "𝟙", "ﬀ", "x" * 300, "0", "1e5",
    "nan", "None", "true", "__label__a", "..", "../x", "/etc/passwd", "con", "a\tb", "$(id)", "`id`", "a\\",
    "\u200b", "ب", "\U0010ffff",
]  # fmt: skip
NUMBERS = [
    "0", "-0", "-0.0", "1", "-1", "0.1", "1e5", "1e-5", "1E400", "-1e400", "1e-400", "nan", "NaN", "inf",
    "-Infinity", "+1", "1.", ".5", ".", "1e", "0x10", "1_000", "1,5", "١", "9007199254740993",
    "18446744073709551616", "2147483648", "4294967296", "-9223372036854775808",
    "340282366920938463463374607431768211456", "1" * 400, "0." + "0" * 400 + "1", "5e-324", "1.7976931348623157e308",
    "1e22", "123456789012345678901234567890e-20", "00001", "true", "", " 1", "1 ", "2020-01-01", "1/2", "1e+", "--1",
    "1e5e5",
]  # fmt: skip


def number(random: Random) -> str:
    """A number: mostly an ordinary one."""
    if random.random() < 0.75:
        return random.choice(
            [str(random.randrange(-5, 30)), f"{random.gauss(0, 1):.4g}", f"{random.uniform(-1e3, 1e3):.3f}"]
        )
    return random.choice(NUMBERS)


def word(random: Random) -> str:
    """A word: mostly an ordinary one."""
    kind = random.random()
    if kind < 0.6:
        return random.choice(
            ["red", "blue", "green", "good", "bad", "spam", "ham", "yes", "no", f"w{random.randrange(60)}"]
        )
    if kind < 0.7:
        return random.choice(ESCAPES)
    if kind < 0.78:
        return random.choice(MARKUP)
    if kind < 0.84:
        return random.choice(CELLS)
    if kind < 0.94:
        return random.choice(NAMES)
    return "".join(
        chr(random.choice([random.randrange(32, 127), random.randrange(0x20, 0xD7FF)]))
        for _ in range(random.randrange(1, 20))
    )


def text(random: Random) -> str:
    """Some words."""
    return " ".join(word(random) for _ in range(random.choice([0, 1, 3, 8, 20])))


def label(random: Random, hostile: float = 0.15) -> str:
    """A label: one of two or three, or something odd."""
    return word(random) if random.random() < hostile else random.choice(["a", "b", "b", "c"])


def column(random: Random, index: int) -> str:
    """The name of a column."""
    return f"x{index}" if random.random() < 0.7 else word(random)
