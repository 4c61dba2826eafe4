"""Numbers in words, as facts have them."""

from __future__ import annotations

from math import floor, isfinite, log10

from linnet.evaluation.intervals import Interval


def percent(fraction: float, digits: int = 1) -> str:
    """As 12.3 %; a fraction that would be shown as 0 or 100 but is not, with as many digits as that takes."""
    for more in range(digits, 4):
        shown = f"{100 * fraction:.{more}f}"
        if fraction in (0.0, 1.0) or float(shown) not in (0.0, 100.0):
            return f"{shown} %"
    return "below 0.001 %" if fraction < 0.5 else "above 99.999 %"


def percents(interval: Interval, digits: int = 1) -> str:
    """An interval of fractions."""
    return f"[{percent(interval.low, digits)}, {percent(interval.high, digits)}]"


def short(number: float) -> str:
    """With three significant digits, as 1,230,000, 0.0123 or 1.23e-7."""
    if not isfinite(number):
        return str(number)
    if number and not 1e-4 <= abs(number) < 1e7:
        return f"{number:.3g}"
    digits = 2 - floor(log10(abs(number))) if number else 0
    rounded = round(number, digits)
    return f"{rounded:,.{max(0, min(digits, 6))}f}"


def several(names: list[str], most: int = 3) -> str:
    """The first few of them, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
