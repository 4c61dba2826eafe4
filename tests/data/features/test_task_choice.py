"""Whole numbers may be classes or numbers to predict: what is not evident is said to be a guess."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.data.features.schema import Schema
from linnet.data.features.task_choice import task_of, task_of_numbers
from linnet.data.role import Role
from linnet.data.sources.block import Block, Position, Strings
from linnet.data.task import Task

CLASSES, NUMBERS = Task.CLASSIFICATION, Task.REGRESSION


def drawn(rng, name):
    """The first 2,000 targets of data like these."""
    shapes = {
        "two labels": lambda: rng.choice([-1, 1], 2000),
        "digits": lambda: rng.integers(0, 10, 2000),
        "three of 0, 1 and 2": lambda: rng.integers(0, 3, 2000),
        "26 letters": lambda: rng.integers(1, 27, 2000),
        "105 sectors": lambda: rng.integers(1, 106, 2000),
        "53 topics of very different sizes": lambda: np.concatenate(
            [np.arange(1, 54), np.minimum(rng.geometric(0.08, 1947), 53)]
        ),
        "grades 3 to 9": lambda: np.clip(np.round(rng.normal(6, 1, 2000)), 3, 9),
        "rings 1 to 29": lambda: np.concatenate([np.arange(1, 30), np.clip(rng.poisson(10, 1971), 1, 29)]),
        "ages": lambda: np.clip(np.round(rng.normal(38, 13, 2000)), 17, 90),
        "years": lambda: 2011 - np.minimum(rng.geometric(0.08, 2000), 89),
        "counts of rentals": lambda: rng.negative_binomial(1, 0.005, 2000),
        "prices": lambda: np.round(rng.lognormal(12, 0.5, 2000), -3),
        "fractions": lambda: rng.normal(size=2000),
        "14 rows of 14 numbers": lambda: np.arange(14) * 37,
    }
    return shapes[name]().astype(float)


@pytest.mark.parametrize(
    ("name", "in_a_table", "in_svmlight", "guessed"),
    [
        ("two labels", CLASSES, CLASSES, False),
        ("digits", CLASSES, CLASSES, False),
        ("three of 0, 1 and 2", CLASSES, CLASSES, False),
        ("26 letters", CLASSES, CLASSES, True),
        ("105 sectors", CLASSES, CLASSES, True),
        ("53 topics of very different sizes", NUMBERS, CLASSES, True),
        ("grades 3 to 9", CLASSES, CLASSES, True),
        ("rings 1 to 29", NUMBERS, CLASSES, True),
        ("ages", NUMBERS, NUMBERS, False),
        ("years", NUMBERS, NUMBERS, False),
        ("counts of rentals", NUMBERS, NUMBERS, None),
        ("prices", NUMBERS, NUMBERS, False),
        ("fractions", NUMBERS, NUMBERS, False),
        ("14 rows of 14 numbers", NUMBERS, NUMBERS, True),
    ],
)
def test_the_task_follows_from_the_target_and_a_guess_is_called_one(name, in_a_table, in_svmlight, guessed, rng):
    values = drawn(rng, name)
    found = task_of_numbers(values)
    assert found.task is in_a_table
    assert guessed is None or found.guessed is guessed
    assert task_of_numbers(values, labelled=True).task is in_svmlight


def test_missing_values_and_the_order_of_rows_do_not_matter(rng):
    values = drawn(rng, "26 letters")
    assert task_of_numbers(np.append(values, np.nan)) == task_of_numbers(rng.permutation(values))
    assert task_of_numbers(np.array([0.0, 1.0, np.nan])).reason == "the target has two different whole numbers"
    assert task_of_numbers(np.array([np.nan])).task is CLASSES


def test_text_is_for_classes():
    sample = Block("", 2, Position(), columns={"y": Strings.of(["a", "b"])})
    assert task_of(sample, Schema({"y": Role.TARGET})) == (CLASSES, "the target is text", False)
