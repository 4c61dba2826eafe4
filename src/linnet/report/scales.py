"""Scales: from numbers to positions in a picture, with ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from linnet.report.numbers import MINUS

# What is beyond either end of the data, as a fraction of them.
PADDING = 0.04


@dataclass(frozen=True)
class Scale:
    """From [low, high] to [start, stop], in pixels; by logarithms where `log`."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The position of a value; what is beyond an end is at the end."""
        low, high, at = map(self._inner, (self.low, self.high, min(max(value, self.low), self.high)))
        return self.start + (self.stop - self.start) * (at - low) / (high - low)

    def _inner(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def ticks(self, about: int = 5) -> list[float]:
        return log_ticks(self.low, self.high, about) if self.log else linear_ticks(self.low, self.high, about)


def scale_of(
    values: Iterable[float],
    start: float,
    stop: float,
    *,
    log: bool = False,
    include: Iterable[float] = (),
    padding: float = PADDING,
) -> Scale:
    """A scale that holds all of these values that are finite (and positive, where it is logarithmic)."""
    every = [*values, *include]
    shown = [value for value in every if math.isfinite(value) and (value > 0 or not log)]
    low, high = (min(shown), max(shown)) if shown else (1.0, 10.0) if log else (0.0, 1.0)
    if log:
        low, high = math.log10(low), math.log10(high)
    if not high - low > 1e-12 * max(abs(low), abs(high)):
        off = 0.5 if log else max(0.5 * abs(low), 1e-300) if low else 0.5
        low, high = low - off, high + off
    beside = padding * (high - low)
    low, high = low - beside, high + beside
    # the range of numbers has an end, and what is drawn need not reach it
    low, high = (10.0 ** max(low, -300), 10.0 ** min(high, 300)) if log else (max(low, -1e300), min(high, 1e300))
    return Scale(low, high, start, stop, log)


def linear_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten between low and high."""
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / about))
    steps = [times * power for times in (1.0, 2.0, 5.0, 10.0)]
    step = min(steps, key=lambda each: abs(math.log(((high - low) / each) / about)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [each * step for each in range(first, last + 1)]


def log_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Powers of ten, every so many of them; where there are fewer than two, 1, 2 and 5 times them."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first + 1) / (about + 1)))
    powers = [10.0**each for each in range(first, last + 1) if (each - first) % every == 0]
    if len(powers) >= 3:
        return powers
    finer = [times * 10.0**each for each in range(first - 1, last + 1) for times in (1.0, 2.0, 5.0)]
    shown = [each for each in finer if low * (1 - 1e-9) <= each <= high * (1 + 1e-9)]
    return shown if len(shown) >= 2 else linear_ticks(low, high, about)


def tick_labels(ticks: list[float]) -> list[str]:
    """The shortest spelling by which the ticks differ from one another."""
    if not ticks:
        return []
    largest = max(map(abs, ticks))
    if largest >= 1e6 or (0 < largest < 1e-3):
        return [_scientific(tick) for tick in ticks]
    if any(0 < abs(tick) < 1e-3 * largest for tick in ticks):
        return [_short(tick) for tick in ticks]
    decimals = next((d for d in range(10) if all(abs(round(tick, d) - tick) <= 1e-6 * largest for tick in ticks)), 10)
    return [_minus(f"{round(tick, decimals) + 0.0:,.{decimals}f}") for tick in ticks]


def _scientific(value: float) -> str:
    if value == 0:
        return "0"
    mantissa, _, power = f"{value:.4e}".partition("e")
    return _minus(f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}")


def _short(value: float) -> str:
    return _minus(f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}" if abs(value) >= 1e-4 else _scientific(value))


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
