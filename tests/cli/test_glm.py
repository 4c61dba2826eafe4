"""Counts, quantiles and outliers on the command line: predictions, figures, errors and certificates."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest
from sklearn.metrics import d2_tweedie_score, mean_pinball_loss, mean_poisson_deviance

from tests.cli.calling import call, predictions

LEARNERS = {
    "poisson": [],
    "gamma": [],
    "tweedie": ["--power", "1.3"],
    "quantile": ["--quantile", "0.8"],
    "huber": ["--epsilon", "1.5"],
}


@pytest.fixture(scope="module")
def claims(tmp_path_factory):
    """Counts of 1 and more, by a number and a category."""
    folder, rng = tmp_path_factory.mktemp("claims"), np.random.default_rng(1)
    lines = ["age,kind,claims"]
    for _ in range(400):
        age, kind = rng.normal(50, 10), rng.choice(["a", "b"])
        lines.append(f"{age:.2f},{kind},{1 + rng.poisson(math.exp(0.03 * (age - 50) + (kind == 'a')))}")
    (folder / "claims.csv").write_text("\n".join(lines) + "\n")
    for name, options in LEARNERS.items():
        arguments = [*options, "--target", "claims", "--learner", name, "-o", folder / name]
        call("train", folder / "claims.csv", *arguments)
    return folder


def truth(claims):
    return np.array([float(row["claims"]) for row in csv.DictReader(io.StringIO((claims / "claims.csv").read_text()))])


@pytest.mark.parametrize("name", LEARNERS)
def test_the_certificate_holds_on_the_data_and_on_no_other(name, claims, tmp_path):
    assert "holds" in call("verify", claims / name, claims / "claims.csv").stdout
    other = tmp_path / "other.csv"
    other.write_text((claims / "claims.csv").read_text().replace(",a,1\n", ",a,2\n"))
    assert call("verify", claims / name, other).returncode == 5


def test_predictions_are_means_and_contributions_logarithms(claims):
    rows = predictions(claims / "poisson", str(claims / "claims.csv"))
    explained = json.loads(call("inspect", claims / "poisson", claims / "claims.csv", "--row", "3", "--json").stdout)
    total = explained["baseline"] + sum(each["contribution"] for each in explained["contributions"])
    assert math.exp(total) == pytest.approx(float(rows[2]["prediction"]), rel=1e-6)
    assert explained["link"] == "log"


def test_evaluation_reports_the_deviance_and_what_is_explained(claims):
    result = json.loads(call("evaluate", claims / "poisson", claims / "claims.csv", "--json").stdout)
    predicted = np.array([float(row["prediction"]) for row in predictions(claims / "poisson", claims / "claims.csv")])
    y, own = truth(claims), result["loss"]
    assert own["name"] == "Poisson deviance"
    assert own["mean"] == pytest.approx(mean_poisson_deviance(y, predicted), rel=1e-6)
    assert own["d2"] == pytest.approx(d2_tweedie_score(y, predicted, power=1), rel=1e-6)
    assert own["mean_interval"][0] < own["mean"] < own["mean_interval"][1]
    assert "mean Poisson deviance" in call("evaluate", claims / "poisson", claims / "claims.csv").stdout


def test_evaluation_of_a_quantile_reports_its_pinball_loss(claims):
    own = json.loads(call("evaluate", claims / "quantile", claims / "claims.csv", "--json").stdout)["loss"]
    predicted = np.array([float(row["prediction"]) for row in predictions(claims / "quantile", claims / "claims.csv")])
    assert own["mean"] == pytest.approx(mean_pinball_loss(truth(claims), predicted, alpha=0.8), rel=1e-6)
    assert own["d2"] is None
    assert (truth(claims) <= predicted + 1e-9).mean() >= 0.8


def test_a_negative_count_is_an_error_with_its_line(tmp_path):
    data = tmp_path / "bad.csv"
    data.write_text("age,claims\n1,2\n2,1\n3,-1\n4,2\n")
    for learner, options in (("poisson", []), ("tweedie", ["--power", "2"])):
        arguments = ["train", data, "--target", "claims", "--learner", learner, *options, "-o", tmp_path / "m"]
        done = call(*arguments)
        assert done.returncode == 3
        assert "bad.csv:4: claims is -1" in done.stderr


def test_a_parameter_of_another_loss_is_refused(tmp_path, claims):
    arguments = ["train", claims / "claims.csv", "--target", "claims", "-o", tmp_path / "m", "--power", "1.5"]
    assert "--power is not for ridge: it is for tweedie" in call(*arguments, "--learner", "ridge").stderr
    assert "--learner tweedie" in call(*arguments).stderr
