"""McNemar's exact test of two classifiers on one held-out set."""

from __future__ import annotations

from linnet.errors import InputError
from linnet.evaluation.distributions import binomial_at_most


def mcnemar_p_value(only_first_right: int, only_second_right: int) -> float:
    """Two-sided: of the rows that one of them has right and the other wrong, each is right on half of them by chance.

    So the number of rows of either is binomial (b + c, 1/2), and p = min(1, 2 P(at most min(b, c))): exact, hence
    never above its level (McNemar 1947; Edwards 1948 on why the χ² form needs a correction).  Mid-P, which counts the
    rows as they are half, has more power and a level that is slightly exceeded by some numbers of rows.
    """
    fewer, both = min(only_first_right, only_second_right), only_first_right + only_second_right
    if fewer < 0:
        raise InputError(f"{only_first_right} and {only_second_right} rows: pass counts of rows, which are at least 0")
    return min(1.0, 2 * binomial_at_most(fewer, both, 0.5))
