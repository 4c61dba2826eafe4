"""How a column spells its numbers: the decimal sign, and the unit or currency sign beside them.

One grammar holds for a whole column, in all its files: `$1,219.01`, `-$5`, `(12.50)` and `12.5` are numbers of a column
whose decimal sign is a point and whose unit is `$`; `1.219,01 €` and `1 219,01` of one with a decimal comma and `€`.  A
number without its unit is meant in that unit; a percentage is the number that stands before the sign.

The patterns are those of both Python's `re`, for single values, and RE2, for columns (sources/conversion.py).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from linnet.data.missing_markers import BLANKS

PLAIN = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
GAP = "[ \t\u00a0\u202f]*"
MINUS = "[-\u2212]"
SIGN = "[-+\u2212]?"
# What may stand between groups of digits, by the decimal sign.
GROUPING = {".": "[,'\u2019 \u00a0\u202f]", ",": "[.'\u2019 \u00a0\u202f]"}
DECIMAL = {".": r"\.", ",": ","}
LONGEST_UNIT = 12
# Of this many values one may be a slip.
A_SLIP_OF = 10
# A number in any spelling, to find what stands beside it.
_NUMBER = r"[0-9](?:[0-9.,'\u2019 \u00a0\u202f]*[0-9])?[.,]?"
_BESIDE = re.compile(
    rf"\(?{SIGN}{GAP}(?P<before>[^0-9()+\-\u2212.,{BLANKS}][^0-9()+\-\u2212]*?)?{GAP}{SIGN}{GAP}(?:\.|,)?{_NUMBER}"
    rf"{GAP}(?P<after>[^0-9()+\-\u2212.,/:;#&*_|{BLANKS}][^0-9()]*?)?{GAP}\)?"
)
_CODES = (
    "USD EUR GBP CHF JPY CNY RMB INR AUD CAD NZD SEK NOK DKK PLN CZK HUF RON BRL MXN ARS CLP COP ZAR RUB TRY KRW SGD "
    "HKD TWD THB IDR MYR PHP VND ILS AED SAR EGP NGN KES RS RS. KR KR. FR FR. SFR ZŁ KČ FT LEI TL RP RM"
)
_CURRENCIES = frozenset(_CODES.split())


def is_currency(unit: str) -> bool:
    """Whether this may stand before a number: a currency sign, alone or with letters (US$), or a code."""
    letters = [sign for sign in unit if unicodedata.category(sign) != "Sc"]
    return unit.upper() in _CURRENCIES or (len(letters) < len(unit) <= 4 and all(map(str.isalpha, letters)))


@dataclass(frozen=True)
class NumberSpelling:
    """The decimal sign, a point or a comma, and the unit, empty if there is none."""

    decimal: str = "."
    unit: str = ""

    def __post_init__(self) -> None:
        if self.decimal not in DECIMAL:
            raise ValueError(f"{self.decimal!r} is not a decimal sign")
        if self.unit and (len(self.unit) > LONGEST_UNIT or _unit_beside(f"1{self.unit}") != self.unit):
            raise ValueError(f"{self.unit!r} is not a unit")

    @property
    def is_plain(self) -> bool:
        """Whether most numbers are spelt as programs do: 1219.01."""
        return self.decimal == "." and not self.unit

    @cached_property
    def pattern(self) -> str:
        """What matches every number of this spelling that is not plain, as a whole."""
        group, point = GROUPING[self.decimal], DECIMAL[self.decimal]
        core = f"(?:(?:[0-9]{{1,3}}(?:{group}[0-9]{{2,3}})*{group}[0-9]{{3}}|[0-9]+)(?:{point}[0-9]*)?|{point}[0-9]+)"
        unit = re.escape(self.unit)
        money = bool(self.unit) and is_currency(self.unit)
        before = f"(?:{unit}{GAP})?" if money else ""
        signed = f"(?:{SIGN}{GAP}{before}|{unit}{GAP}{SIGN}{GAP})" if money else f"{SIGN}{GAP}"
        after = f"(?:{GAP}{unit})?" if self.unit else ""
        return rf"(?:{signed}{core}{after}|{before}\({GAP}{before}{core}{after}{GAP}\){after})"

    @cached_property
    def _matching(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    def number(self, text: str) -> float | None:
        """The finite number that a text spells; None if it spells none."""
        text = text.strip(BLANKS)
        if self.decimal == "." and _PLAIN.fullmatch(text):
            value = float(text)
            return value if math.isfinite(value) else None
        if not self._matching.fullmatch(text):
            return None
        rest = text.replace(self.unit, "") if self.unit else text
        digits = re.sub(f"[^0-9{DECIMAL[self.decimal]}]", "", rest).replace(",", ".")
        value = float(digits)
        negative = re.match(NEGATIVE, rest) is not None
        return (-value if negative else value) if math.isfinite(value) else None

    def spelt(self, value: float) -> str:
        """A number as this column would spell it, without a unit."""
        text = repr(value).removesuffix(".0")
        return text if self.decimal == "." else format(Decimal(text), "f").replace(".", self.decimal)

    def __str__(self) -> str:
        """An example, where the spelling is not plain."""
        if self.is_plain:
            return ""
        shown = "1,219.01" if self.decimal == "." else "1.219,01"
        if is_currency(self.unit):
            return f"{self.unit}{shown}" if self.decimal == "." else f"{shown} {self.unit}"
        return f"{shown} {self.unit}".rstrip()


_PLAIN = re.compile(PLAIN)
# What a negative number begins with, its unit removed.
NEGATIVE = rf"[^0-9.,]*(?:{MINUS}|\()"


def _unit_beside(text: str) -> str | None:
    """What stands beside the number of a text, before it or after; None if that cannot be a unit."""
    found = _BESIDE.fullmatch(text)
    if found is None:
        return None
    before, after = (found["before"] or "").strip(BLANKS), (found["after"] or "").strip(BLANKS)
    if before and (after or not is_currency(before)):
        return None
    return before or after if len(before or after) <= LONGEST_UNIT else None


def best_spelling(values: Mapping[str, int]) -> tuple[NumberSpelling, int]:
    """The spelling that fits most of these values, and how many; they come with how often each occurs.

    A unit is one that most values have.  A decimal comma needs more than a single value, which may be a slip; but
    € 1.219 and € 950 are both of whole euros.
    """
    total = sum(values.values())
    units: Counter[str] = Counter()
    for text, times in values.items():
        units[_unit_beside(text.strip(BLANKS)) or ""] += times
    del units[""]
    unit = next((each for each, times in units.items() if 2 * times > total), "")
    fits = {
        spelling: sum(n for text, n in values.items() if spelling.number(text) is not None)
        for spelling in (NumberSpelling(decimal, unit) for decimal in DECIMAL)
    }
    point, comma = fits
    # money with three digits behind each point has groups of digits, not thousandths
    grouped = fits[comma] == fits[point] and is_currency(unit) and any("." in text for text in values)
    chosen = comma if grouped or fits[comma] - fits[point] > int(total >= A_SLIP_OF) else point
    return chosen, fits[chosen]
