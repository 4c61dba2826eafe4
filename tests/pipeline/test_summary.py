"""Coefficients with standard errors of tables: equal to those of statsmodels, and refused where they do not hold."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import linnet
from linnet.errors import InputError, ModelFileError, RecipeError
from linnet.model.file import load
from linnet.storage import container

ROLES = {"level": "category", "region": "category"}


def table(seed, n=400):
    """Numbers far from 0 and some missing, and two columns of categories, one with missing values."""
    rng = np.random.default_rng(seed)
    age, year = rng.normal(40, 10, n).round(1), 2000.0 + rng.integers(0, 25, n)
    age[rng.random(n) < 0.1] = np.nan
    level = rng.choice(["School", "Bachelors", "Masters"], n, p=[0.2, 0.5, 0.3])
    region = np.where(rng.random(n) < 0.1, None, rng.choice(["north", "south"], n)).astype(object)
    score = (
        0.05 * (np.nan_to_num(age, nan=45) - 40)
        - 0.05 * (year - 2012)
        + (level == "Masters")
        - 0.5 * (region == "south")
    )
    return {"age": age, "year": year, "level": level, "region": region}, score, rng


def design(data, weights=None):
    """The same by hand: means for missing numbers with a flag, and every level but the most frequent."""
    n = len(data["age"])
    w = np.ones(n) if weights is None else weights
    X = {}
    for name in ("age", "year"):
        missing = np.isnan(data[name])
        X[name] = np.where(missing, np.average(data[name][~missing], weights=w[~missing]), data[name])
        if missing.any():
            X[f"{name} is missing"] = missing.astype(float)
    for name in ("level", "region"):
        named = np.array([f"{name} is missing" if value is None else f"{name}={value}" for value in data[name]])
        counts = {each: w[named == each].sum() for each in dict.fromkeys(named)}
        reference = max(counts, key=counts.get)
        X |= {each: (named == each).astype(float) for each in counts if each != reference}
    return pd.DataFrame(X).assign(**{"(intercept)": 1.0})


def check_table(summary, fit, X, statistic):
    wanted = pd.DataFrame({"coef": fit.params, "std err": fit.bse, statistic: fit.tvalues, "p": fit.pvalues})
    low, high = np.asarray(fit.conf_int()).T
    found = summary.frame().loc[list(X.columns)]
    np.testing.assert_allclose(found["coef"], wanted["coef"], rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(found["std err"], wanted["std err"], rtol=1e-5)
    np.testing.assert_allclose(found[statistic], wanted[statistic], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[f"P>|{statistic}|"], wanted["p"], rtol=1e-4, atol=1e-10)
    np.testing.assert_allclose(found["[0.025"], low, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found["0.975]"], high, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_are_those_of_statsmodels(seed, weighted, tmp_path):
    data, score, rng = table(seed)
    y = np.where(score + rng.logistic(size=len(score)) > 0, "yes", "no")
    copies = rng.integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    given = data | {"y": y} | ({"w": copies} if weighted else {})
    model = linnet.train(given, "y", summary=True, columns=ROLES | ({"w": "weight"} if weighted else {}))
    X = design(data, copies)
    at = np.repeat(np.arange(len(y)), copies.astype(int))
    fit = sm.GLM((y[at] == "yes").astype(float), X.iloc[at], family=sm.families.Binomial()).fit(tol=1e-14)
    summary = model.summary
    check_table(summary, fit, X, "z")
    assert summary.rows == copies.sum()
    assert summary.log_likelihood == pytest.approx(fit.llf, rel=1e-9)
    assert summary.null_log_likelihood == pytest.approx(fit.llnull, rel=1e-9)
    assert summary.deviance == pytest.approx(fit.deviance, rel=1e-9)
    assert summary.null_deviance == pytest.approx(fit.null_deviance, rel=1e-9)
    assert summary.aic == pytest.approx(fit.aic, rel=1e-9)
    assert summary.bic == pytest.approx(fit.bic_llf, rel=1e-9)
    assert summary.r2 == pytest.approx(1 - fit.llf / fit.llnull, rel=1e-9)
    # the model is the one of the table: it predicts what statsmodels does
    np.testing.assert_allclose(model.predict_proba(data)[:, 1], fit.predict(X), rtol=1e-6)
    model.save(tmp_path / "m")
    assert load(tmp_path / "m").summary == summary


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_are_those_of_statsmodels(seed, weighted):
    data, score, rng = table(seed)
    y = 100.0 * score + rng.normal(size=len(score)) + 1e4
    copies = rng.integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    given = data | {"y": y} | ({"w": copies} if weighted else {})
    model = linnet.train(given, "y", summary=True, columns=ROLES | ({"w": "weight"} if weighted else {}))
    X = design(data, copies)
    at = np.repeat(np.arange(len(y)), copies.astype(int))
    fit = sm.OLS(y[at], X.iloc[at]).fit()
    summary = model.summary
    check_table(summary, fit, X, "t")
    assert model.learner == "least-squares"
    assert summary.log_likelihood == pytest.approx(fit.llf, rel=1e-9)
    assert summary.deviance == pytest.approx(fit.ssr, rel=1e-8)
    assert summary.null_deviance == pytest.approx(fit.centered_tss, rel=1e-9)
    assert summary.aic == pytest.approx(fit.aic, rel=1e-9)
    assert summary.bic == pytest.approx(fit.bic, rel=1e-9)
    assert summary.r2 == pytest.approx(fit.rsquared, rel=1e-9)
    assert summary.adjusted_r2 == pytest.approx(fit.rsquared_adj, rel=1e-9)
    assert summary.degrees == fit.df_resid
    np.testing.assert_allclose(model.predict(data), fit.predict(X), rtol=1e-8)


def test_several_classes_are_compared_with_the_last():
    data, score, rng = table(5, 900)
    data["year"] = data["year"] - 2000.0  # or statsmodels does not converge
    y = np.array(["a", "b", "c"])[np.digitize(score + rng.logistic(size=len(score)), [-0.5, 0.8])]
    model = linnet.train(data | {"y": y}, "y", summary=True, columns=ROLES)
    X = design(data)
    codes = np.array([{"c": 0, "a": 1, "b": 2}[label] for label in y])  # statsmodels compares with the first
    fit = sm.MNLogit(codes, X).fit(method="newton", tol=1e-12, disp=0)
    found = model.summary.frame()
    for number, label in enumerate("ab"):
        rows = found.loc[[f"{label}: {name}" for name in X.columns]]
        np.testing.assert_allclose(rows["coef"], fit.params.iloc[:, number], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(rows["std err"], fit.bse.iloc[:, number], rtol=1e-5)
    assert model.summary.log_likelihood == pytest.approx(fit.llf, rel=1e-9)
    assert model.summary.r2 == pytest.approx(fit.prsquared, rel=1e-9)
    assert model.summary.aic == pytest.approx(fit.aic, rel=1e-9)
    assert model.summary.bic == pytest.approx(fit.bic, rel=1e-9)


def test_crosses_leave_out_the_reference_levels():
    data, score, rng = table(6, 800)
    data["age"] = np.nan_to_num(data["age"], nan=40.0)
    y = score + 0.1 * data["year"] * (data["level"] == "Masters") + rng.normal(size=len(score))
    crosses = [("level", "year"), ("level", "region")]
    model = linnet.train(data | {"y": y}, "y", summary=True, columns=ROLES, crosses=crosses)
    X = design(data).drop(columns="(intercept)")
    spelt = {name: name for name in X.columns}
    for level in ("School", "Masters"):
        X[f"level={level}×year"] = X[f"level={level}"] * X["year"]
        for other in [name for name in spelt if name.startswith("region")]:
            X[f"level={level}×{other}"] = X[f"level={level}"] * X[other]
    X["(intercept)"] = 1.0
    fit = sm.OLS(y, X).fit()
    found = model.summary.frame()
    assert set(found.index) == set(X.columns)
    np.testing.assert_allclose(found.loc[X.columns, "coef"], fit.params, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.loc[X.columns, "std err"], fit.bse, rtol=1e-5)


def test_a_skewed_column_keeps_its_unit_unless_asked(rng):
    amount = np.exp(2 * rng.normal(size=300))
    y = np.log1p(amount) + rng.normal(size=300)
    fit = sm.OLS(y, sm.add_constant(amount)).fit()
    found = linnet.train({"amount": amount, "y": y}, "y", summary=True).summary.frame()
    np.testing.assert_allclose(found.loc[["(intercept)", "amount"], "coef"], fit.params, rtol=1e-6)
    found = linnet.train({"amount": amount, "y": y}, "y", summary=True, columns={"amount": "log"}).summary.frame()
    assert "log(amount)" in found.index


def test_numbered_columns_have_a_summary(rng):
    X = rng.normal(size=(200, 4)) + np.array([1e6, 0.0, 3.0, 0.0])
    X[:, 3] = 0.0  # no row has it
    y = X[:, 1] + rng.normal(size=200)
    model = linnet.train((X, y), task="regression", summary=True)
    fit = sm.OLS(y, sm.add_constant(X[:, :3])).fit()
    found = model.summary.frame()
    np.testing.assert_allclose(found.loc[["(intercept)", "0", "1", "2"], "coef"], fit.params, rtol=1e-5)
    np.testing.assert_allclose(found.loc[["(intercept)", "0", "1", "2"], "std err"], fit.bse, rtol=1e-5)


# -- refused ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def numbers(rng):
    x, z = rng.normal(size=(2, 60))
    return {"x": x, "z": z, "y": np.where(x + rng.logistic(size=60) > 0, "yes", "no")}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"penalty": "l1"}, "leave penalty out"),
        ({"C": 1.0}, "leave C out"),
        ({"class_weight": "balanced"}, "leave class_weight out"),
        ({"passes": 2}, "leave passes out"),
        ({"multiclass": "pairwise"}, "leave multiclass out"),
        ({"learner": "svm"}, "not for svm: it is for logistic-regression, least-squares"),
        ({"learner": "adaptive"}, "is not for"),
    ],
)
def test_what_makes_another_objective_is_refused(numbers, options, reason):
    with pytest.raises(RecipeError, match=reason):
        linnet.train(numbers, "y", summary=True, **options)


def test_collinear_columns_are_left_out_and_named_as_r_does(rng):
    """The later of two columns that say the same has no coefficient; the others are those of the reduced design."""
    n = 300
    city = rng.choice(["Bern", "Basel", "Ulm", "Kiel"], n, p=[0.4, 0.3, 0.2, 0.1])
    country = np.where(np.isin(city, ["Bern", "Basel"]), "CH", "DE")
    x = rng.normal(size=n)
    y = x + (city == "Ulm") + rng.normal(size=n)
    data = {"city": city, "country": country, "x": x, "twice": 2 * x + 1, "constant": np.full(n, 3.0), "y": y}
    model = linnet.train(data, "y", summary=True)
    assert model.summary.aliased == ("country=DE", "twice", "constant")
    X = pd.DataFrame({f"city={name}": (city == name).astype(float) for name in ("Basel", "Ulm", "Kiel")})
    X = X.assign(x=x, **{"(intercept)": 1.0})
    check_table(model.summary, sm.OLS(y, X).fit(), X, "t")
    assert set(model.summary.names) == set(X.columns)
    assert "not determined, and left out" in str(model.summary)
    assert model.summary.as_dict()["aliased"] == ["country=DE", "twice", "constant"]
    chosen = linnet.train(data | {"y": np.where(y > 0, "yes", "no")}, "y", summary=True).summary
    assert chosen.aliased == model.summary.aliased
    check_table(chosen, sm.GLM((y > 0).astype(float), X, family=sm.families.Binomial()).fit(), X, "z")


def test_data_without_standard_errors_are_refused(numbers, rng):
    def refused(data, reason, **options):
        with pytest.raises(InputError, match=reason):
            linnet.train(data, "y", summary=True, **options)

    refused(numbers | {"y": np.where(numbers["x"] > 0, "yes", "no")}, "no finite optimum without a penalty .*separated")
    wide = {f"x{j}": rng.normal(size=60) for j in range(70)}
    refused(wide | {"y": numbers["y"]}, "need more rows than coefficients, and there are 60 rows for 71")
    refused(numbers | {"text": ["good film"] * 60}, "are not for text", columns={"text": "text"})
    refused(numbers | {"w": np.full(60, 0.5)}, "numbers of copies", columns={"w": "weight"})


def test_a_damaged_summary_is_refused(numbers, tmp_path):
    linnet.train(numbers, "y", summary=True).save(tmp_path / "m")
    content, tensors = container.read(tmp_path / "m", "model")
    for name, value in (
        ("standard_errors", [1.0, -1.0, 1.0]),
        ("estimates", [1.0]),
        ("estimates", [1.0, "nan", 1.0]),
        ("level", 2.0),
        ("aic", "x"),
        ("rows", 0.0),
        ("degrees", -1.0),
    ):
        summary = content["record"]["summary"] | {name: value}
        spoilt = content | {"record": content["record"] | {"summary": summary}}
        container.write(tmp_path / "n", "model", spoilt, tensors)
        with pytest.raises(ModelFileError):
            load(tmp_path / "n")
    wide = content["record"]["summary"] | {"estimates": [1e300] * 3, "standard_errors": [1e-300] * 3, "bic": "inf"}
    container.write(tmp_path / "n", "model", content | {"record": content["record"] | {"summary": wide}}, tensors)
    assert json.dumps(load(tmp_path / "n").record.as_dict(), allow_nan=False)
    assert str(load(tmp_path / "n").summary)
