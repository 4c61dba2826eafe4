"""How numbers look on the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from linnet.evaluation.intervals import Interval

MINUS = "\u2212"
DASH = "\u2013"


def figure(value: float | None, digits: int = 3) -> str:
    """A number to this many significant digits; a dash where there is none."""
    if value is None or math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size >= 7 or size < -4:
        mantissa, _, power = f"{value:.{max(digits - 1, 0)}e}".partition("e")
        return f"{mantissa}e{int(power)}".replace("-", MINUS)
    return f"{value:,.{max(digits - 1 - size, 0)}f}".replace("-", MINUS)


def fixed(value: float | None, decimals: int = 3) -> str:
    """A number with this many decimals; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return figure(value)
    text = f"{value:,.{decimals}f}"
    return (text[1:] if text.startswith("-") and not text.strip("-0.,") else text).replace("-", MINUS)


def count(value: float) -> str:
    """A number of rows, or a sum of weights."""
    return f"{value:,}" if isinstance(value, int) or float(value).is_integer() else f"{value:,.1f}"


def signed(value: float, decimals: int = 3) -> str:
    """With its sign."""
    return ("+" if value > 0 else "") + fixed(value, decimals)


def span(interval: Interval | Sequence[float] | None, decimals: int | None = 3) -> str:
    """An interval as "0.81 to 0.84"; empty where there is none."""
    low, high = (math.nan, math.nan) if interval is None else tuple(interval)
    if math.isnan(low) or math.isnan(high):
        return ""
    return " to ".join(figure(each) if decimals is None else fixed(each, decimals) for each in (low, high))


def probability(value: float) -> str:
    """A p-value, or a probability."""
    if math.isnan(value):
        return DASH
    return "< 0.001" if value < 0.001 else fixed(value, 3)


def p_value(value: float) -> str:
    """A p-value in a sentence."""
    return f"p {probability(value)}" if value < 0.001 else f"p = {probability(value)}"
