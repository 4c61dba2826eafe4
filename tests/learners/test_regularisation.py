"""C, alpha, kinds of penalty and ways to take many classes: what each learner of the catalogue makes of them."""

import pytest

from linnet import RecipeError
from linnet.learners import catalogue
from linnet.learners.catalogue import Way
from linnet.learners.recipe import Penalty, Reduction
from linnet.learners.regularisation import PenaltyKind, Regularisation


def recipe(name, **given):
    return Regularisation(**given).of(catalogue.find(name)).recipe


def test_C_is_the_weight_of_the_losses_beside_the_whole_penalty():
    for name in ("logistic-regression", "svm", "svm-squared", "crammer-singer"):
        assert recipe(name, C=0.25).penalty == Penalty(l2=4.0, total=True)


def test_C_of_passive_aggressive_learners_is_the_longest_step():
    for name in ("passive-aggressive-1", "passive-aggressive-2"):
        assert recipe(name, C=0.25).eta == 0.25


def test_alpha_is_the_weight_of_the_penalty_beside_the_mean_loss_and_of_ridge_beside_the_sum():
    assert recipe("sgd-logistic", alpha=0.3).penalty == Penalty(l2=0.3)
    assert recipe("pegasos", alpha=0.5).eta == 2.0
    assert recipe("ridge", alpha=0.3).penalty == Penalty(l2=0.3, total=True)


@pytest.mark.parametrize("entry", list(catalogue.entries()), ids=lambda entry: entry.name)
def test_every_kind_that_a_learner_offers_can_be_had_and_no_other(entry):
    given = {"C": {"C": 2.0}, "alpha": {"alpha": 0.5}, "": {}}[entry.strength]
    for kind in PenaltyKind:
        asked = Regularisation(**({} if kind is PenaltyKind.NONE else given), penalty=kind)
        if kind not in entry.penalties:
            assert not asked.fits(entry)
            continue
        made = asked.of(entry).recipe.penalty
        assert (made.l1 > 0) == (kind in (PenaltyKind.L1, PenaltyKind.ELASTIC_NET))
        assert (made.l2 > 0) == (kind in (PenaltyKind.L2, PenaltyKind.ELASTIC_NET))
        if kind is not PenaltyKind.NONE:
            assert made.l1 + made.l2 == 0.5


@pytest.mark.parametrize("entry", list(catalogue.entries()), ids=lambda entry: entry.name)
def test_every_way_to_take_classes_that_a_learner_offers_can_be_had_and_no_other(entry):
    for reduction in Reduction:
        asked = Regularisation(multiclass=reduction)
        assert asked.fits(entry) == (reduction in entry.multiclass)
        if reduction in entry.multiclass:
            assert asked.of(entry).recipe.reduction is reduction
    if entry.multiclass:
        assert entry.recipe.reduction in entry.multiclass


def test_nothing_given_changes_nothing():
    for entry in catalogue.entries():
        assert Regularisation().of(entry) == entry


def test_an_l1_ratio_asks_for_an_elastic_net():
    assert recipe("logistic-regression", C=0.5, l1_ratio=0.25).penalty == Penalty(l1=0.5, l2=1.5, total=True)
    assert recipe("adaptive", penalty=PenaltyKind.ELASTIC_NET).penalty == Penalty(l1=5e-5, l2=5e-5)


def test_a_learner_that_does_not_take_it_names_those_that_do():
    with pytest.raises(RecipeError, match=r"^C is not for ridge, which takes alpha: it is for svr, svr-squared"):
        recipe("ridge", C=1.0)
    with pytest.raises(RecipeError, match=r"^alpha is not for svm, which takes C: it is for .*pegasos") as error:
        recipe("svm", alpha=1.0)
    assert "ridge" not in str(error.value)
    with pytest.raises(RecipeError, match=r"^penalty='l1' is not for svm: .*logistic-regression, svm-squared"):
        recipe("svm", penalty=PenaltyKind.L1)
    with pytest.raises(RecipeError, match=r"^l1_ratio is not for svm: .*logistic-regression"):
        recipe("svm", l1_ratio=0.5)
    with pytest.raises(RecipeError, match=r"^multiclass='joint' is not for svm: .*crammer-singer"):
        recipe("svm", multiclass=Reduction.JOINT)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"C": 0.0}, "C must be positive"),
        ({"C": float("inf")}, "C must be positive and finite"),
        ({"C": float("nan")}, "C must be positive"),
        ({"alpha": -1.0}, "alpha must be 0 or more"),
        ({"l1_ratio": 1.5}, "between 0 and 1"),
        ({"l1_ratio": 0.5, "penalty": PenaltyKind.L2}, "l1_ratio goes with penalty='elasticnet', not l2"),
        ({"penalty": PenaltyKind.NONE, "C": 1.0}, "leave C and alpha out"),
    ],
)
def test_what_means_nothing_is_refused(given, why):
    with pytest.raises(RecipeError, match=why):
        Regularisation(**given).check()


def test_naive_bayes_must_add_something_to_its_counts():
    with pytest.raises(RecipeError, match="has no logarithm"):
        recipe("naive-bayes", alpha=0.0)
    counting = [entry.name for entry in catalogue.entries(Way.COUNTING) if entry.strength]
    assert counting == ["naive-bayes", "naive-bayes-complement", "naive-bayes-bernoulli"]
