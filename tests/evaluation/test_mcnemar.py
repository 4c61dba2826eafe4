"""McNemar's exact test beside SciPy's binomial test and statsmodels' McNemar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from linnet.errors import InputError
from linnet.evaluation.mcnemar import mcnemar_p_value

counts = st.integers(0, 2000)


@given(counts, counts)
def test_p_value_is_that_of_scipy_and_statsmodels(b, c):
    found = mcnemar_p_value(b, c)
    assert found == pytest.approx(mcnemar([[5, b], [c, 7]], exact=True).pvalue, rel=1e-8, abs=1e-300)
    if b + c:
        assert found == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=1e-8, abs=1e-300)


@pytest.mark.parametrize("rows", [1, 5, 6, 10, 25, 100, 400])
def test_the_level_is_never_exceeded(rows):
    """Over all numbers of rows, by their binomial probabilities."""
    rejected = sum(stats.binom.pmf(b, rows, 0.5) for b in range(rows + 1) if mcnemar_p_value(b, rows - b) <= 0.05)
    assert rejected <= 0.05


def test_classifiers_that_never_differ_are_not_distinguished():
    assert mcnemar_p_value(0, 0) == 1.0
    with pytest.raises(InputError, match="counts"):
        mcnemar_p_value(-1, 3)
