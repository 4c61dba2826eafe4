"""What scikit-learn asks of every transformer, with no failure expected, and what linnet asks of its docstrings."""

from __future__ import annotations

import doctest
import inspect
import warnings

import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

import linnet
from linnet.estimators.documentation import PARAMETERS

TRANSFORMERS = [linnet.BagOfWords, linnet.Conjunctions, linnet.OneHot, linnet.Polynomial]
VARIANTS = [
    linnet.BagOfWords(log_count_ratio=True),
    linnet.Conjunctions(1),
    linnet.Conjunctions(hash_bits=5),
    linnet.OneHot(handle_unknown="ignore"),
    linnet.OneHot(hash_bits=5),
    linnet.Polynomial(3, interaction_only=True, include_bias=False),
]


def checks():
    for transformer in [*(cls() for cls in TRANSFORMERS), *VARIANTS]:
        for instance, check in estimator_checks_generator(transformer, legacy=True, expected_failed_checks={}):
            name = getattr(check, "func", check).__name__
            if not name.startswith("check_array_api"):  # for arrays of other libraries, which are not installed
                yield pytest.param(instance, check, id=f"{instance}-{name}")


with warnings.catch_warnings():
    warnings.simplefilter("ignore", SkipTestWarning)  # most checks are of numbers, which a bag of words does not take
    CHECKS = list(checks())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("transformer", "check"), CHECKS)
def test_scikit_learn_checks(transformer, check):
    check(transformer)


def test_these_are_all_the_transformers():
    public = [getattr(linnet, name) for name in linnet.__all__]
    transform = [cls for cls in public if hasattr(cls, "transform") and not hasattr(cls, "predict")]
    assert transform == TRANSFORMERS


@pytest.mark.parametrize("cls", TRANSFORMERS)
def test_docstrings_describe_every_parameter_and_their_examples_hold(cls):
    for name in inspect.signature(cls).parameters:
        assert f"{name} : default" in cls.__doc__
        assert name in PARAMETERS
    found = doctest.DocTestFinder(recurse=False).find(cls, globs={})
    assert sum(len(test.examples) for test in found) > 0
    for test in found:
        assert doctest.DocTestRunner().run(test).failed == 0
