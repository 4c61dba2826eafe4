"""The parts of dates, against Python's own calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linnet
from linnet.data.features.dates import DateTerm
from linnet.data.sources.block import Numbers
from linnet.errors import RecipeError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENTS = st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31, 23, 59, 59)).map(
    lambda moment: moment.replace(microsecond=0, tzinfo=UTC)
)


@given(st.lists(st.none() | MOMENTS, max_size=20), st.booleans())
def test_parts_are_those_of_the_calendar(moments, with_time):
    first = date(2019, 3, 2)
    term = DateTerm("signup", (first - date(1970, 1, 1)).days, with_time=with_time)
    seconds = [np.nan if each is None else (each - EPOCH) // timedelta(seconds=1) for each in moments]
    piece = term.number(term.prepare({"signup": Numbers(np.array(seconds, dtype=float))}), frozen=True)
    for row, moment in enumerate(moments):
        entries = range(piece.starts[row], piece.starts[row + 1])
        found = {term.name(int(piece.ids[at])): float(piece.values[at]) for at in entries}
        if moment is None:
            assert found == {"signup is missing": 1.0}
            continue
        expected = {
            "signup days since 2019-03-02": float((moment.date() - first).days),
            "signup year": float(moment.year),
            f"signup month={moment:%B}": 1.0,
            f"signup weekday={moment:%A}": 1.0,
        }
        assert found == expected | ({f"signup hour={moment.hour}": 1.0} if with_time else {})
    assert len({term.name(number) for number in range(len(term))}) == len(term)


def test_months_and_weekdays_can_be_told_apart_and_explained():
    days = [date(2020, 1, 1) + timedelta(days=n) for n in range(400)]
    rows = {"day": [each.isoformat() for each in days], "y": ["yes" if each.month == 4 else "no" for each in days]}
    for learner in ("logistic-regression", "adaptive", "naive-bayes-gaussian"):
        model = linnet.train(rows, target="y", learner=learner, holdout=0)
        probabilities = model.predict_proba({"day": ["2021-04-10", "2021-08-10"]})[:, 1]
        assert probabilities[0] > probabilities[1]
    model = linnet.train(rows, target="y", learner="logistic-regression", C=1.0, holdout=0)
    assert "day month=April" in {each.feature for each in model.top(0, 8)[0]}
    missing, given_row = model.predict_proba([{"day": None}, {"day": "2020-07-19"}])[:, 1]
    assert 0 < missing < 1
    assert given_row < 0.5


@pytest.mark.parametrize("learner", ["winnow2", "naive-bayes"])
def test_learners_of_some_numbers_only_refuse_dates(learner):
    rows = {"day": [f"2020-01-{1 + n % 28:02d}" for n in range(60)], "y": ["a", "b"] * 30}
    with pytest.raises(RecipeError, match="day is a date: leave it out"):
        linnet.train(rows, target="y", learner=learner)


def test_a_scaled_fit_gives_back_raw_weights_where_numbers_share_a_flag():
    """A missing date counts as the mean of days and of the year: both are folded into one flag."""
    rng = np.random.default_rng(0)
    days = [date(2015, 1, 1) + timedelta(days=int(n)) for n in rng.integers(0, 2000, 300)]
    texts = [None if gone else each.isoformat() for gone, each in zip(rng.random(300) < 0.2, days, strict=True)]
    target = [0.01 * (each - date(2015, 1, 1)).days for each in days]
    model = linnet.train({"day": texts, "y": target}, target="y", learner="ridge", alpha=1e-6, holdout=0)
    given_days = [each for each in texts if each]
    assert np.isfinite(model.linear.weights).all()
    got = np.array(model.predict({"day": given_days}))
    truth = np.array([t for t, each in zip(target, texts, strict=True) if each])
    assert np.abs(got - truth).max() < 0.5


def test_reasons_of_dates_add_up_to_the_score():
    rng = np.random.default_rng(1)
    days = [date(2015, 1, 1) + timedelta(days=int(n)) for n in rng.integers(0, 1500, 200)]
    texts = [None if gone else each.isoformat() for gone, each in zip(rng.random(200) < 0.2, days, strict=True)]
    rows = {"day": texts, "x": rng.normal(size=200), "y": ["a" if each.month > 6 else "b" for each in days]}
    model = linnet.train(rows, target="y", learner="logistic-regression", C=1.0, holdout=0)
    asked = [{"day": "2016-08-09", "x": 1.0}, {"day": None, "x": 0.5}]
    explained = model.explain(asked)
    scores = np.abs(model.linear.scores(model.features.rows(model.features.block_of(asked)))[:, 0])
    found = explained.groupby("row")["contribution"].sum().to_numpy()
    np.testing.assert_allclose(np.abs(found), scores, rtol=1e-9)


def test_a_summary_leaves_out_the_year_where_there_is_one_only():
    rng = np.random.default_rng(2)
    days = [date(2023, 1, 1) + timedelta(days=int(n)) for n in rng.integers(0, 365, 400)]
    rows = {"day": [each.isoformat() for each in days], "y": rng.choice(["a", "b"], 400).tolist()}
    model = linnet.train(rows, target="y", summary=True)
    names = model.summary.names
    assert "day days since 2023-01-01" in names
    assert "day year" not in names
    assert sum(name.startswith("day month=") for name in names) == 11
