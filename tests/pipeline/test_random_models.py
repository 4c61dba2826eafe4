"""Verification of random models: see random_models.py."""

import pytest

from tests.pipeline.random_models import KINDS, wrong

# Those that are run again and again by the solver of the dual take longest.
QUICK = [
    kind for kind, (learner, options, _) in enumerate(KINDS) if (learner, options.get("solver")) != ("svm", "newton")
]


@pytest.mark.parametrize("kind", QUICK, ids=lambda kind: f"{KINDS[kind][0]}-{kind}")
def test_honest_models_are_accepted_in_any_order_and_forged_ones_refused(kind):
    assert wrong(kind + 3 * len(KINDS))[0] == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_a_thousand_models_of_all_learners_scales_and_offsets(first):
    found = {seed: wrong(seed) for seed in range(first, first + 50)}
    assert {seed: faults for seed, (faults, _) in found.items() if faults} == {}
    assert sum(certified for _, certified in found.values()) > 40
