"""C, chosen from the rows: beside a search by hand with scikit-learn, and what it must not depend on."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_predict

import linnet
from linnet.cli.summary_lines import penalty_text
from linnet.evaluation.path_choice import lowest, smoothed
from linnet.evaluation.splits import dealt_folds, held_out, stratified_sample
from linnet.pipeline import strength_choice
from linnet.pipeline.strength_choice import downhill
from linnet.pipeline.verify import verify


def table(rng, n=80, d=10, strength=1.0, classes=2, noise=0.0):
    X = rng.normal(size=(n, d))
    y = (strength * X @ rng.normal(size=(d, classes)) + rng.gumbel(size=(n, classes))).argmax(axis=1)
    y = np.where(rng.random(n) < noise, rng.integers(0, classes, n), y)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    labels = np.array(list("abcdef"))[y]
    return scaled, labels, {f"x{j}": X[:, j] for j in range(d)} | {"y": labels}


def texts(rng, n=160):
    """Words of which some say a little about the label."""
    labels = rng.integers(0, 2, n)
    words = [f"w{number}" for number in range(40)]
    leaning = rng.normal(size=40) * 0.4
    chances = np.exp(np.outer(2 * labels - 1, leaning))
    rows = [" ".join(rng.choice(words, size=12, p=each / each.sum())) for each in chances]
    return {"text": rows, "y": np.array(["no", "yes"])[labels]}


def losses_by_hand(X, y, C, folds):
    probabilities = cross_val_predict(
        LogisticRegression(C=C, solver="newton-cholesky"), X, y, cv=folds, method="predict_proba"
    )
    return log_loss(y, probabilities)


@pytest.mark.parametrize(("strength", "noise"), [(3.0, 0.0), (0.2, 0.0), (1.0, 0.8)])
def test_C_by_leave_one_out_is_as_good_as_by_leave_one_out_refits(strength, noise, rng):
    X, y, data = table(rng, n=60, d=6, strength=strength, noise=noise)
    choice = linnet.train(data, "y", holdout=0.0).record.strength
    assert (choice.name, choice.way, choice.rows) == ("C", "leave-one-out", 60)
    by_hand = {C: losses_by_hand(X, y, C, LeaveOneOut()) for C in 4.0 ** np.arange(-3, 4)}
    at = np.interp(np.log(choice.value), np.log(list(by_hand)), list(by_hand.values()))
    assert at <= min(by_hand.values()) + 0.02
    for C, loss in zip(choice.tried, choice.losses, strict=True):
        if C <= 16:
            assert loss == pytest.approx(by_hand[C], abs=0.03)


@pytest.mark.parametrize(("paired", "way"), [(700, "leave-one-out"), (20, "5 folds")])
def test_C_of_several_classes_is_as_good_as_by_a_grid_search_by_hand(paired, way, rng, monkeypatch):
    monkeypatch.setattr(strength_choice, "PAIRED_JOINTLY", paired)
    X, y, data = table(rng, n=150, classes=3)
    choice = linnet.train(data, "y", holdout=0.0).record.strength
    assert choice.way == way
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    by_hand = {C: losses_by_hand(X, y, C, folds) for C in 4.0 ** np.arange(-4, 5)}
    at = np.interp(np.log(choice.value), np.log(list(by_hand)), list(by_hand.values()))
    assert at <= min(by_hand.values()) + 0.03


def test_noisy_labels_get_a_stronger_penalty_and_better_probabilities(rng):
    _, _, data = table(rng, n=2200, d=30, strength=0.1)
    some = {name: values[:200] for name, values in data.items()}
    rest = {name: values[200:] for name, values in data.items()}
    chosen, constant = linnet.train(some, "y"), linnet.train(some, "y", C=1.0)
    assert chosen.record.strength.value < 1.0
    better, worse = (log_loss(rest["y"], model.predict_proba(rest)) for model in (chosen, constant))
    assert better < worse


def test_held_out_rows_do_not_choose_C(rng):
    _, _, data = table(rng, n=400)
    data["y"] = np.array(["a", "b", *data["y"][2:]])  # the first row of a label is never held out
    held = held_out(0, 400, 0.1, 0)
    held[:2] = False
    other = data | {"y": np.where(held, np.where(data["y"] == "a", "b", "a"), data["y"])}
    other |= {name: np.where(held, -50.0, data[name]) for name in data if name != "y"}
    assert linnet.train(other, "y").record.strength == linnet.train(data, "y").record.strength
    assert linnet.train(data, "y").record.strength.rows == np.count_nonzero(~held)


@pytest.mark.parametrize("given", [{"C": 2.0}, {"penalty": "l1"}, {"penalty": "none"}, {"learner": "svm"}])
def test_C_is_not_chosen_where_it_is_given_or_is_not_of_an_l2_penalised_logistic_fit(given, rng):
    _, _, data = table(rng)
    model = linnet.train(data, "y", **given)
    assert model.record.strength is None
    assert "chosen" not in penalty_text(model)
    if "C" in given:
        assert model.record.recipe.penalty.l2 == 0.5


def test_too_few_rows_keep_the_learner_own_C(rng):
    _, _, data = table(rng, n=8)
    model = linnet.train(data | {"y": np.array(list("abababab"))}, "y")
    assert model.record.strength is None
    assert model.record.recipe.penalty.l2 == 1.0


@pytest.mark.parametrize("make", [lambda rng: table(rng)[2], lambda rng: table(rng, classes=3)[2], texts])
def test_the_choice_is_kept_shown_and_verified(make, tmp_path, rng):
    data = make(rng)
    model = linnet.train(data, "y", holdout=0.0)
    choice = model.record.strength
    assert model.record.recipe.penalty.l2 == 1.0 / choice.value
    assert min(choice.tried) <= choice.value <= max(choice.tried)
    model.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    assert loaded.record.strength == choice
    said = f"C = {choice.value:g}, chosen by {choice.way} on {choice.rows} rows"
    assert said in penalty_text(loaded)
    assert verify(loaded, data).holds


@pytest.mark.parametrize("make", [lambda rng: table(rng)[2], lambda rng: table(rng, classes=3)[2], texts])
def test_the_chosen_C_given_is_the_same_model(make, rng):
    data = make(rng)
    chosen = linnet.train(data, "y")
    given = linnet.train(data, "y", C=chosen.record.strength.value)
    np.testing.assert_array_equal(chosen.linear.weights, given.linear.weights)
    assert chosen.record.held_out == given.record.held_out


def test_weighted_rows_and_copies_get_the_same_C_by_leave_one_out(rng):
    _, _, data = table(rng, n=60)
    weights = rng.integers(1, 4, size=60)
    copied = {name: np.repeat(values, weights) for name, values in data.items()}
    one = linnet.train(data | {"w": weights}, "y", columns={"w": "weight"}, holdout=0.0)
    other = linnet.train(copied, "y", holdout=0.0)
    assert one.record.strength.value == other.record.strength.value


def test_rows_of_no_weight_do_not_choose_C(rng):
    _, _, data = table(rng, n=120)
    weights = (np.arange(120) < 60).astype(float)
    noisy = data | {"y": np.where(weights > 0, data["y"], rng.permutation(data["y"])), "w": weights}
    one = linnet.train(noisy, "y", columns={"w": "weight"}, holdout=0.0)
    other = linnet.train({name: values[:60] for name, values in data.items()}, "y", holdout=0.0)
    assert one.record.strength.rows == 60
    assert one.record.strength.value == other.record.strength.value


def test_class_weights_calibration_and_thresholds_go_with_a_chosen_C(rng):
    _, _, data = table(rng, n=300)
    for options in ({"class_weight": "balanced"}, {"calibrate": "sigmoid"}, {"threshold_for": "balanced-accuracy"}):
        model = linnet.train(data, "y", **options)
        assert model.record.strength is not None
        assert verify(model, data).holds


def test_many_rows_are_sampled_and_C_grows_by_one_step_at_most(rng, monkeypatch):
    monkeypatch.setattr(strength_choice, "FOLDED", 100)
    monkeypatch.setattr(strength_choice, "DIVIDED", 120)
    monkeypatch.setattr(strength_choice, "LEFT_OUT", 90)
    monkeypatch.setattr(strength_choice, "PAIRED_JOINTLY", 20)
    _, _, three = table(rng, n=300, classes=3, strength=20.0)
    choice = linnet.train(three, "y", holdout=0.0).record.strength
    assert choice.way == "one split"
    assert 115 <= choice.rows <= 120
    assert max(choice.tried) == choice.value == 4.0
    _, _, two = table(rng, n=300)
    assert 85 <= linnet.train(two, "y", holdout=0.0).record.strength.rows <= 90


@pytest.mark.parametrize(("n", "way"), [(160, "5 folds"), (400, "2 of 5 folds"), (800, "one split")])
def test_as_many_folds_are_predicted_as_have_enough_rows(n, way, rng, monkeypatch):
    monkeypatch.setattr(strength_choice, "PREDICTED", 150)
    choice = linnet.train(texts(rng, n), "y", holdout=0.0, columns={"text": "text"}).record.strength
    assert (choice.way, choice.rows) == (way, n)


def test_every_class_is_outside_of_every_fold(rng):
    codes = np.repeat(np.arange(6.0), [1, 2, 3, 5, 40, 49])[rng.permutation(100)]
    folds = dealt_folds(codes, 5, seed=3)
    assert set(codes[folds < 0]) == {0.0}
    assert np.ptp(np.bincount(folds[folds >= 0])) <= 1
    for number in range(5):
        assert set(codes[folds != number]) == set(range(6))
    assert (folds == dealt_folds(codes, 5, seed=3)).all()
    assert (folds != dealt_folds(codes, 5, seed=4)).any()


def test_a_sample_has_every_class_and_each_row_once():
    codes = np.repeat(np.arange(3.0), [2, 98, 900])
    sample = stratified_sample(codes, 100, seed=0)
    assert len(set(sample.tolist())) == len(sample) <= 101
    assert set(codes[sample]) == {0.0, 1.0, 2.0}
    assert (stratified_sample(codes, 1000, seed=0) == np.arange(1000)).all()


def test_the_search_goes_downhill_and_stops_where_losses_rise():
    asked = []

    def losses(best):
        def of(power):
            asked.append(power)
            return (power - best) ** 2.0

        return of

    for best, expected in ((0, [0, 1, -1]), (2, [0, 1, 2, 3]), (-2, [0, 1, -1, -2, -3]), (9, [0, 1, 2, 3])):
        asked.clear()
        found = downhill(losses(best), lambda power: abs(power) <= 3)
        assert asked == expected
        assert lowest(found) == max(-3, min(3, best))


@pytest.mark.parametrize("best", [-1.75, -0.5, 0.0, 0.25, 1.5, 2.75])
def test_between_the_candidates_the_lowest_of_the_parabola_is_taken(best):
    found = downhill(lambda power: 0.3 + 0.01 * (power - best) ** 2, lambda power: abs(power) <= 6)
    assert lowest(found) == best


def test_an_end_of_the_search_and_losses_that_are_not_numbers_are_no_parabola():
    assert lowest({0: 0.5, 1: 0.4, 2: 0.3}) == 2
    assert lowest({0: 0.5, 1: 0.4, 2: np.inf}) == 1
    assert lowest({0: 0.5, 1: 0.5, -1: 0.5}) == 0


@pytest.mark.parametrize("n", [1, 10, 1000])
def test_smoothing_is_by_jeffreys_estimate_of_a_frequency_that_was_never_seen(n, rng):
    p = rng.uniform(0.01, 0.99, n)
    rate = (0 + 0.5) / (n + 0.5 + 0.5)  # of a Beta(1/2, 1/2) prior after n rows without one
    expected = np.mean((1 - rate) * -np.log(p) + rate * -np.log(1 - p))
    assert smoothed(-np.log(p), None) == pytest.approx(expected)
    assert smoothed(-np.log(p), np.ones(n)) == pytest.approx(expected)
    assert np.isfinite(smoothed(np.zeros(n), None))
    assert smoothed(np.full(n, np.inf), None) == np.inf


def test_separated_rows_do_not_ask_for_probabilities_of_0_and_1(rng):
    """80 rows do not show what happens once in a thousand."""
    x = np.concatenate([rng.normal(-3, 0.3, 40), rng.normal(3, 0.3, 40)])
    model = linnet.train({"x": x, "y": np.repeat(["a", "b"], 40)}, "y")
    probabilities = np.asarray(model.predict_proba({"x": [-3.0, 3.0]})).max(axis=1)
    assert (probabilities > 0.95).all()
    assert (probabilities < 0.9999).all()
