"""How a column spells its numbers: the decimal sign, the unit or currency sign beside them, and magnitudes.

One grammar holds for a whole column, in all its files: `$1,219.01`, `-$5`, `(12.50)` and `12.5` are numbers of a column
whose decimal sign is a point and whose unit is `$`; `1.219,01 €` and `1 219,01` of one with a decimal comma and `€`.  A
number without its unit is meant in that unit; a percentage is the number that stands before the sign.  In a column with
magnitudes `950k`, `1.2M`, `$3.4bn` and `800` are 950,000, 1,200,000, 3,400,000,000 and 800.

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
# Of A_SLIP_OF values one may be a slip; of more, one in MOST_SLIPS.
A_SLIP_OF, MOST_SLIPS = 10, 20
# What magnitudes make of a number, digit by digit, so that 4.35k is 4350 to the bit.
MAGNITUDES = (("[bB][nN]?", "e9"), ("[kK]", "e3"), ("[mM]", "e6"))
# The letters for them: m and b alone are metres and bits, unless a currency stands beside them.
_MAGNITUDE = "(?:[kKMB]|[bB][nN])"
_MAGNITUDE_OF_MONEY = "(?:[kKmM]|[bB][nN]?)"
# Nothing else is written so, while K, M and B are units of their own.
_CLEAR = re.compile("k|[bB][nN]")
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
    """The decimal sign, a point or a comma; the unit, empty if there is none; whether letters are magnitudes."""

    decimal: str = "."
    unit: str = ""
    magnitudes: bool = False

    def __post_init__(self) -> None:
        if self.decimal not in DECIMAL:
            raise ValueError(f"{self.decimal!r} is not a decimal sign")
        if self.unit and (len(self.unit) > LONGEST_UNIT or _unit_beside(f"1{self.unit}") != self.unit):
            raise ValueError(f"{self.unit!r} is not a unit")
        if self.magnitudes and self.unit and not is_currency(self.unit):
            raise ValueError(f"magnitudes stand beside currencies alone, and {self.unit!r} is none")

    @property
    def is_plain(self) -> bool:
        """Whether most numbers are spelt as programs do: 1219.01."""
        return self.decimal == "." and not self.unit and not self.magnitudes

    @cached_property
    def pattern(self) -> str:
        """What matches every number of this spelling that is not plain, as a whole."""
        group, point = GROUPING[self.decimal], DECIMAL[self.decimal]
        core = f"(?:(?:[0-9]{{1,3}}(?:{group}[0-9]{{2,3}})*{group}[0-9]{{3}}|[0-9]+)(?:{point}[0-9]*)?|{point}[0-9]+)"
        unit = re.escape(self.unit)
        money = bool(self.unit) and is_currency(self.unit)
        if self.magnitudes:
            core = f"{core}(?:{GAP}{_MAGNITUDE_OF_MONEY if money else _MAGNITUDE})?"
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
        for letters, power in MAGNITUDES if self.magnitudes else ():
            rest = re.sub(letters, power, rest)
        value = float(re.sub(f"[^0-9e{DECIMAL[self.decimal]}]", "", rest).replace(",", "."))
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
        shown = ["1,219.01", *(["1.2M"] if self.magnitudes else [])]
        if self.decimal == ",":
            shown = [each.translate(_SWAPPED) for each in shown]
        if self.decimal == "." and is_currency(self.unit):
            return " or ".join(f"{self.unit}{each}" for each in shown)
        return " or ".join(f"{each} {self.unit}".rstrip() for each in shown)


_PLAIN = re.compile(PLAIN)
_SWAPPED = str.maketrans(",.", ".,")
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


def _magnitude_beside(text: str) -> tuple[str, str] | None:
    """The magnitude behind the number of a text, and the currency before or after it; None without a magnitude."""
    found = _BESIDE.fullmatch(text)
    if found is None:
        return None
    before, after = (found["before"] or "").strip(BLANKS), (found["after"] or "").strip(BLANKS)
    if before:
        return (after, before) if is_currency(before) and re.fullmatch(_MAGNITUDE_OF_MONEY, after) else None
    scaled = None if after.upper() in _CURRENCIES else _SCALED.fullmatch(after)
    if scaled is None:
        return None
    magnitude, currency = scaled.groups()
    if not currency:
        return (magnitude, "") if re.fullmatch(_MAGNITUDE, magnitude) else None
    # not X$ of MX$, which is a currency of its own
    known = currency.upper() in _CURRENCIES or (len(currency) == 1 and is_currency(currency))
    return (magnitude, currency) if known else None


_SCALED = re.compile(f"({_MAGNITUDE_OF_MONEY}){GAP}(.*)")


def few(some: int, total: int) -> bool:
    """Whether that many of the values of a column may be slips."""
    return some <= max(total // MOST_SLIPS, int(total >= A_SLIP_OF))


def best_spelling(values: Mapping[str, int]) -> tuple[NumberSpelling, int]:
    """The spelling that fits most of these values, and how many; they come with how often each occurs.

    A unit is one that most values have.  Letters that could be a unit are magnitudes only if they are not the same
    everywhere: 293 K and 295 K have a unit, 12K, 1.2M and 800 do not, nor do 12K and 800.
    """
    plain = _best(values, _of_most(values, {text: _unit_beside(text.strip(BLANKS)) for text in values}))
    total, found = sum(values.values()), {text: _magnitude_beside(text.strip(BLANKS)) for text in values}
    scaled = {text: each for text, each in found.items() if each is not None}
    if few(sum(values[text] for text in scaled), total):
        return plain
    units = {text: scaled[text][1] if text in scaled else _unit_beside(text.strip(BLANKS)) for text in values}
    unit = _of_most(values, units)
    if unit and not is_currency(unit):
        return plain
    by_magnitude = _best(values, unit, magnitudes=True)
    more = by_magnitude[1] - plain[1]
    if not few(more, total) or (more >= 0 and not _may_be_units(values, scaled)):
        return by_magnitude
    return plain


def _may_be_units(values: Mapping[str, int], scaled: Mapping[str, tuple[str, str]]) -> bool:
    """Whether letters that are the same everywhere are a unit: K, M or B, with a blank before it or without numbers
    beside that have none."""
    if any(_CLEAR.fullmatch(magnitude) for magnitude, _ in scaled.values()):
        return False
    bare = sum(
        times for text, times in values.items() if text not in scaled and NumberSpelling().number(text) is not None
    )
    apart = any(re.search(f"[{BLANKS}]", text.strip(BLANKS)) for text in scaled)
    return apart or few(bare, sum(values.values()))


def _of_most(values: Mapping[str, int], units: Mapping[str, str | None]) -> str:
    """The unit that most values have; empty if there is none."""
    counts: Counter[str] = Counter()
    for text, times in values.items():
        counts[units[text] or ""] += times
    unit, times = counts.most_common(1)[0] if counts else ("", 0)
    return unit if 2 * times > sum(values.values()) else ""


def _best(values: Mapping[str, int], unit: str, *, magnitudes: bool = False) -> tuple[NumberSpelling, int]:
    """The better of the two decimal signs, and how many values fit.

    A decimal comma needs more than a single value, which may be a slip; but € 1.219 and € 950 are both of whole euros.
    """
    fits = {
        spelling: sum(n for text, n in values.items() if spelling.number(text) is not None)
        for spelling in (NumberSpelling(decimal, unit, magnitudes) for decimal in DECIMAL)
    }
    point, comma = fits
    # money with three digits behind each point has groups of digits, not thousandths
    grouped = fits[comma] == fits[point] and is_currency(unit) and any("." in text for text in values)
    slip = int(sum(values.values()) >= A_SLIP_OF)
    chosen = comma if (grouped and not magnitudes) or fits[comma] - fits[point] > slip else point
    return chosen, fits[chosen]
