"""What a model's record keeps for its page: the progressive error, and points of two columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet.model.point_sample import PointSampling


def table(path, points, codes):
    rows = "".join(f"{x:.3f},{y:.3f},{'ab'[code]}\n" for (x, y), code in zip(points, codes, strict=True))
    path.write_text("x,y,kind\n" + rows)
    return str(path)


@pytest.fixture
def rows(rng):
    codes = rng.integers(0, 2, 1000)
    return np.round(rng.normal(size=(1000, 2)) + codes[:, None], 3), codes


def test_the_progressive_error_is_that_of_a_perceptron_run_by_hand(tmp_path, rows):
    points, codes = rows
    model = linnet.train(table(tmp_path / "rows.csv", points, codes), target="kind", learner="perceptron", holdout=0)
    found = model.record.progressive
    signs = np.where(codes == codes[0], 1, -1)  # the first label is the only one known at the first row
    assert list(found.curve_rows[:8]) == [1, 2, 3, 4, 6, 8, 11, 16]
    assert found.curve_rows[-1] <= 1000 < found.curve_rows[-1] * np.sqrt(2) + 1
    assert all(a <= b for a, b in zip(found.curve_mistakes, found.curve_mistakes[1:], strict=False))
    assert found.curve_mistakes[-1] <= found.mistakes
    w, made, upto = np.zeros(3), 0, []
    for x, y in zip(np.column_stack([points, np.ones(1000)]), signs, strict=True):
        wrong = y * (w @ x) <= 0
        made += int(wrong)
        upto.append(made)
        w += wrong * y * x
    # two ways to count the very first rows, where one label is known, differ by a mistake or two
    by_hand = np.array(upto)[np.array(found.curve_rows) - 1]
    assert np.abs(np.array(found.curve_mistakes) - by_hand).max() <= 2


@pytest.mark.parametrize("learner", ["logistic-regression", "perceptron", "naive-bayes-gaussian"])
def test_the_points_of_two_columns_are_a_sample_of_the_rows_whatever_their_order(tmp_path, rng, rows, learner):
    points, codes = rows
    model = linnet.train(table(tmp_path / "rows.csv", points, codes), target="kind", learner=learner)
    sample = model.record.points
    assert (len(sample.x), sample.rows) == (300, 1000)
    known = {(x, y, code) for (x, y), code in zip(points.tolist(), codes.tolist(), strict=True)}
    assert set(zip(sample.x, sample.y, sample.codes, strict=True)) <= known
    order = rng.permutation(1000)
    again = linnet.train(table(tmp_path / "other.csv", points[order], codes[order]), target="kind", learner=learner)
    assert again.record.points == sample


def test_rows_with_a_missing_number_are_not_drawn_and_other_models_have_no_points(tmp_path, rows):
    points, codes = rows
    text = Path(table(tmp_path / "rows.csv", points[:100], codes[:100])).read_text().splitlines()
    (tmp_path / "gaps.csv").write_text("\n".join([*text, ",1.5,a", "2.5,,b"]) + "\n")
    model = linnet.train(str(tmp_path / "gaps.csv"), target="kind")
    assert model.record.points.rows == 100
    wider = [f"z,{text[0]}", *(f"{i * i % 17 / 4},{line}" for i, line in enumerate(text[1:]))]
    (tmp_path / "three.csv").write_text("\n".join(wider))
    assert linnet.train(str(tmp_path / "three.csv"), target="kind").record.points is None


def test_a_sample_that_goes_on_from_a_checkpoint_is_the_sample_of_all_rows(rng):
    points, labels = rng.integers(0, 40, (2000, 2)).astype(float), rng.integers(0, 3, 2000)
    whole, first, then = PointSampling(), PointSampling(), PointSampling()
    whole.add(points, labels)
    first.add(points[:700], labels[:700])
    then.restore(first.kept, first.rows, 3)
    then.add(points[700:], labels[700:])
    assert then.result() == whole.result()
    with pytest.raises(ValueError, match="labels that there are not"):
        PointSampling().restore(first.kept[:10], first.rows, 1)
