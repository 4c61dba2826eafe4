"""Checks of units and witnesses that share nothing with the code under test."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import linprog


def cube(n):
    return np.array(list(product((0, 1), repeat=n))).reshape(2**n, n)


def proves(witness, table):
    """Σ m x and Σ m of the true points are those of the false points, the points being true and false as stated."""
    n = len(table).bit_length() - 1
    at = {point: bool(value) for point, value in zip(product((0, 1), repeat=n), table, strict=True)}
    sides = []
    for truth, points, multipliers in (
        (True, witness.true, witness.true_multipliers), (False, witness.false, witness.false_multipliers)
    ):  # fmt: skip
        assert all(at[point] is truth for point in points)
        assert len(points) == len(multipliers) == len(set(points))
        assert all(type(m) is int and m > 0 for m in multipliers)
        weighed = [[m * x for x in (*point, 1)] for point, m in zip(points, multipliers, strict=True)]
        sides.append([sum(column) for column in zip(*weighed, strict=True)])
    return sides[0] == sides[1]


def separable(columns, table):
    """By a linear programme of its own: is there a plane with every point a distance off?"""
    signed = np.column_stack([columns, np.ones(len(table))]) * np.where(table, 1, -1)[:, np.newaxis]
    found = linprog(np.zeros(signed.shape[1]), A_ub=-signed, b_ub=-np.ones(len(table)), bounds=(None, None))
    return found.status == 0
