"""How often comparisons of learners err: python benchmarks/comparison_tests.py [--draws N] [--only PART].

Learners that are equally good are compared thousands of times: a test of level 5 % may find a difference in 5 % of
them.  Then how often intervals hold what they should, and how large a difference must be to be found.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from scipy import stats

from benchmarks.simulated_pairs import CHECKED, LINEAR, UNSTABLE, Array, Pair, Tested
from linnet.evaluation.bayesian_t import correlated_t
from linnet.evaluation.comparisons import compare_on_folds, score_interval
from linnet.evaluation.corrected_t import differences, resampled
from linnet.evaluation.friedman import friedman_p_value, friedman_statistic, iman_davenport_p_value, ranks
from linnet.evaluation.holm import holm
from linnet.evaluation.mcnemar import mcnemar_p_value
from linnet.evaluation.nemenyi import critical_difference, nemenyi_difference
from linnet.evaluation.power_law import LearningCurveFit, PowerLaw
from linnet.evaluation.signed_ranks import bayesian_signed_ranks, wilcoxon_p_value
from linnet.evaluation.training_variance import variance_factor

LEVEL = 0.05
SEED = 18
DESIGNS = ((10, 3), (2, 15))


def percent(values: Iterable[float]) -> str:
    """The mean of zeros and ones in per cent, and its standard error."""
    found = np.asarray(list(values), float)
    mean = found.mean()
    return f"{100 * mean:.1f} ± {100 * math.sqrt(mean * (1 - mean) / len(found)):.1f}"


def row(*cells: object) -> None:
    print("| " + " | ".join(str(each) for each in cells) + " |", flush=True)


def header(title: str, *names: str) -> None:
    print(f"\n## {title}\n")
    row(*names)
    row(*("---" for _ in names))


# -- on the folds of one data set --------------------------------------------------------------------------------------


def gaussian(random: np.random.Generator, folds: int, repeats: int) -> Tested:
    """Any two folds correlated by 1 / folds, as the test assumes."""
    noise = random.standard_normal((2, folds * repeats)) * math.sqrt(1 - 1 / folds)
    scores = 0.02 * (noise + random.standard_normal((2, 1)) * math.sqrt(1 / folds)) + 0.9
    return Tested(scores, np.zeros((2, 1, 0)), np.zeros((1, 0), dtype=int))  # no rows: no factor


def factor(found: Tested, first: int, second: int | None = None) -> float:
    """The variance factor of a score or, of two learners, of the difference."""
    rows = found.rows[first] if second is None else found.rows[first] - found.rows[second]
    return variance_factor(rows, found.fold, int(found.fold.max(initial=1)) + 1)


def on_folds(draws: int) -> None:
    for folds, repeats in DESIGNS:
        header(
            f"Equally good learners, {folds} folds x {repeats} repeats",
            "pair", "corrected t of linnet", "corrected t (Nadeau, Bengio)", "uncorrected t",
            "probability over 97.5 %, rope 0.01", "interval of the difference holds", "interval of a score holds",
        )  # fmt: skip
        make: list[tuple[str, Callable[[np.random.Generator], Tested], str]] = [
            ("correlated normal scores", lambda random: gaussian(random, folds, repeats), "r2")  # noqa: B023
        ]
        for pair in (*LINEAR, *UNSTABLE, *CHECKED):
            metric = "mse" if pair.numbers else "accuracy"
            make.append((pair.name, lambda random, p=pair: p.cross_validated(random, folds, repeats), metric))  # noqa: B023
        for name, scores, metric in make:
            row(name, *_errors([scores(np.random.default_rng([SEED, each])) for each in range(draws)], metric, folds))


def _errors(tested: list[Tested], metric: str, folds: int) -> list[str]:
    truth = float(np.mean([each.scores for each in tested]))  # of a score; that of a difference is 0
    rejected, classical, uncorrected, probable, held, score_held = [], [], [], [], [], []
    for each in tested:
        scores = each.scores
        d = differences(*scores)
        found = resampled(d, 1 / folds, factor(each, 0, 1))
        rejected.append(found.p_value() <= LEVEL)
        classical.append(resampled(d, 1 / folds).p_value() <= LEVEL)
        uncorrected.append(resampled(d, 1e-12).p_value() <= LEVEL)
        posterior = correlated_t(found, 0.01)
        probable.append(max(posterior.better, posterior.worse) >= 0.975)
        low, high = found.interval()
        held.append(low <= 0 <= high if low == low else found.p_value() > LEVEL)
        sign = -1 if metric == "mse" else 1
        low, high = score_interval(sign * scores[0], metric, 1 / folds, variance_factor=factor(each, 0))
        if low == low:
            score_held.append(low <= sign * truth <= high)
    return [percent(each) for each in (rejected, classical, uncorrected, probable, held, score_held)]


def several_on_folds(draws: int) -> None:
    header(
        "Any difference found between 5 equally good learners (10 pairs), 10 folds x 3 repeats",
        "learners", "corrected t with Holm", "corrected t alone", "uncorrected t alone",
    )  # fmt: skip
    for pair in (LINEAR[0], LINEAR[2], LINEAR[4]):
        adjusted, alone, uncorrected = [], [], []
        for each in range(draws):
            tested = pair.cross_validated(np.random.default_rng([SEED, each]), 10, 3, learners=5)
            names, scores = [str(k) for k in range(5)], tested.scores
            factors = np.ones((5, 5))
            for a, b in combinations(range(5), 2):
                factors[a, b] = factor(tested, a, b)
            found = compare_on_folds(names, scores, metric="accuracy", test_fraction=0.1, variance_factors=factors)
            adjusted.append(min(pair.adjusted_p_value for pair in found) <= LEVEL)
            alone.append(min(pair.p_value for pair in found) <= LEVEL)
            raw = compare_on_folds(names, scores, metric="accuracy", test_fraction=1e-12)
            uncorrected.append(min(pair.p_value for pair in raw) <= LEVEL)
        row(pair.name, percent(adjusted), percent(alone), percent(uncorrected))


# -- on held-out rows --------------------------------------------------------------------------------------------------


def on_rows(draws: int) -> None:
    """Two planes, turned by the same angle to either side of the best one, are equally good."""
    header(
        "Two equally good planes on one held-out set",
        "rows", "angle", "exact McNemar", "χ² without correction", "unpaired test of two proportions",
    )  # fmt: skip
    for rows in (50, 200, 1000):
        for angle in (0.1, 0.5):
            exact, chi, unpaired = [], [], []
            for each in range(draws):
                random = np.random.default_rng([SEED, each])
                X = random.standard_normal((rows, 2))
                y = X[:, 0] + 0.5 * random.standard_normal(rows) > 0
                one, other = ((X @ [math.cos(turn), math.sin(turn)] > 0) == y for turn in (angle, -angle))
                b, c = int((one & ~other).sum()), int((other & ~one).sum())
                exact.append(mcnemar_p_value(b, c) <= LEVEL)
                chi.append(b + c > 0 and (b - c) ** 2 / (b + c) >= stats.chi2.ppf(0.95, 1))
                pooled = (one.mean() + other.mean()) / 2
                z = abs(one.mean() - other.mean()) / math.sqrt(max(2 * pooled * (1 - pooled) / rows, 1e-300))
                unpaired.append(z >= stats.norm.ppf(0.975))
            row(rows, angle, percent(exact), percent(chi), percent(unpaired))


# -- over data sets ----------------------------------------------------------------------------------------------------


def data_set_scores(random: np.random.Generator, learners: int, number: int, better: float = 0.0) -> Array:
    """Of learners on data sets that differ in difficulty and noise, with three digits, so that some are equal.

    The first learner is better by so much on average.
    """
    level, noise = random.uniform(0.6, 0.98, number), random.gamma(2.0, 0.01, number)
    scores = level + noise * random.standard_t(4, (learners, number))
    scores[0] += better * noise / noise.mean()
    return np.round(np.clip(scores, 0, 1), 3)


def on_data_sets(draws: int) -> None:
    header(
        "5 equally good learners over several data sets; pairs: the first two",
        "data sets", "Wilcoxon, a pair", "paired t, a pair", "Bayesian signed ranks over 97.5 %, a pair", "with rope",
        "Wilcoxon with Holm, any pair", "Friedman", "Iman-Davenport alone", "critical difference, any pair",
        "Nemenyi alone, any pair",
    )  # fmt: skip
    for number in (3, 5, 6, 10, 20, 40):
        cells: list[list[bool]] = [[] for _ in range(9)]
        for each in range(draws):
            scores = data_set_scores(np.random.default_rng([SEED, each, number]), 5, number)
            for cell, found in zip(cells, _found_over_data(scores), strict=True):
                cell.append(bool(found))
        row(number, *(percent(cell) for cell in cells))


def _found_over_data(scores: Array) -> list[bool]:
    """Whether each test finds a difference: the first four between the first two learners, the others any."""
    k, number = scores.shape
    pairs = [differences(scores[a], scores[b]) for a, b in combinations(range(k), 2)]
    p = [wilcoxon_p_value(d) for d in pairs]
    table = ranks(scores)
    widest = np.ptp(table.mean(axis=1))
    posteriors = [bayesian_signed_ranks(pairs[0], rope) for rope in (0.0, 0.01)]
    return [
        p[0] <= LEVEL,
        pairs[0].std() > 0 and stats.ttest_1samp(pairs[0], 0).pvalue <= LEVEL,
        *(max(each.better, each.worse) >= 0.975 for each in posteriors),
        min(holm(p)) <= LEVEL,
        friedman_p_value(table) <= LEVEL,
        iman_davenport_p_value(friedman_statistic(table), k, number) <= LEVEL,
        widest >= critical_difference(k, number) - 1e-9,
        widest >= nemenyi_difference(k, number) - 1e-9,
    ]


# -- learning curves ---------------------------------------------------------------------------------------------------

LAWS = (
    PowerLaw(0.1, 1.0, 0.5), PowerLaw(0.0, 1.0, 0.3), PowerLaw(0.2, 0.0, 0.5), PowerLaw(0.05, 3.0, 1.0),
    PowerLaw(0.3, 0.5, 0.2),
)  # fmt: skip
SIZES = {3: (100, 300, 1000), 5: (100, 200, 400, 800, 1600), 8: (50, 100, 200, 400, 800, 1600, 3200, 6400)}


def learning_curves(draws: int) -> None:
    header(
        "How often the interval of an extrapolated learning curve holds the truth",
        "curve", "sizes", "repeats", "at twice the rows", "at ten times", "width at twice the rows",
    )  # fmt: skip
    for law in LAWS:
        for number, repeats in ((3, 5), (5, 3), (5, 5), (8, 5)):
            n = np.array(SIZES[number], float)
            truth = np.array([law.at(each) for each in n])
            name = f"{law.floor} + {law.scale} n^-{law.exponent}" if law.scale else f"{law.floor}, flat"
            noise = 0.4 / np.sqrt(n)  # of an error rate of 0.2 on as many test rows
            _curve_row(name, n, repeats, draws, lambda r, t=truth, s=noise: t + s * r.standard_normal(t.shape), law.at)
    n, d = np.array(SIZES[5], float), 20
    # least squares of normal columns: exact, and a power law only nearly
    _curve_row(
        f"least squares, {d} columns, mean square error", n, 5, draws,
        lambda r: np.array([_mean_square(r, int(each), d) for each in n]), lambda rows: 1 + d / (rows - d - 1),
    )  # fmt: skip


def _mean_square(random: np.random.Generator, rows: int, d: int) -> float:
    """The expected squared error of least squares fitted to fresh rows, with noise of variance 1."""
    X = random.standard_normal((rows, d))
    w = np.linalg.solve(X.T @ X, X.T @ random.standard_normal(rows))
    return float(1 + w @ w)


def _curve_row(
    name: str, n: Array, repeats: int, draws: int, errors: Callable[..., Array], truth: Callable[[float], float]
) -> None:
    twice, ten, widths = [], [], []
    for each in range(draws):
        random = np.random.default_rng([SEED, each])
        fit = LearningCurveFit(n, np.column_stack([errors(random) for _ in range(repeats)]))
        for found, rows in ((twice, 2 * n[-1]), (ten, 10 * n[-1])):
            low, high = fit.at(float(rows))
            found.append(low <= truth(float(rows)) <= high)
            if found is twice:
                widths.append(high - low)
    row(name, len(n), repeats, percent(twice), percent(ten), f"{np.mean(widths):.4f}")


# -- power -------------------------------------------------------------------------------------------------------------


def power(draws: int) -> dict[str, list[tuple[float, dict[str, float]]]]:
    """For each subject, the true difference and how often each test finds one."""
    found: dict[str, list[tuple[float, dict[str, float]]]] = {}
    for rows in (200, 1000):
        title = f"least squares, {rows} rows"
        header(
            f"Power: {title}, 10 folds x 3 repeats",
            "true difference (points)", "corrected t of linnet", "corrected t (Nadeau, Bengio)",
            "uncorrected t (unsound)", "probability over 97.5 %, rope 0.01", "McNemar, a third held out",
        )  # fmt: skip
        for weaker in (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5):
            if rows == 1000 and weaker > 0.3:
                continue
            pair = Pair("", LINEAR[0].learner, rows, 10, weaker=weaker)
            found.setdefault(title, []).append(_power_on_folds(pair, draws))
    title = "over data sets"
    for number in (10, 20, 40):
        header(
            f"Power: two of 5 learners over {number} data sets",
            "true difference (points)", "Wilcoxon", "Bayesian signed ranks over 97.5 %, rope 0.01",
            "critical difference",
        )  # fmt: skip
        for better in (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04):
            found.setdefault(f"{number} data sets", []).append(_power_over_data(number, better, draws))
    return found


def _power_on_folds(pair: Pair, draws: int) -> tuple[float, dict[str, float]]:
    seen, corrected, classical, uncorrected, probable, mcnemar = [], [], [], [], [], []
    for each in range(draws):
        random = np.random.default_rng([SEED, each])
        tested = pair.cross_validated(random, 10, 3)
        d = differences(*tested.scores)
        found = resampled(d, 0.1, factor(tested, 0, 1))
        seen.append(found.mean)
        corrected.append(found.p_value() <= LEVEL)
        classical.append(resampled(d, 0.1).p_value() <= LEVEL)
        uncorrected.append(resampled(d, 1e-12).p_value() <= LEVEL)
        probable.append(correlated_t(found, 0.01).better >= 0.975)
        one, other = pair.held_out(random, 1 / 3)
        mcnemar.append(mcnemar_p_value(int((one & ~other).sum()), int((other & ~one).sum())) <= LEVEL)
    true = 0.0 if pair.weaker == 0 else 100 * float(np.mean(seen))
    measured = (corrected, classical, uncorrected, probable, mcnemar)
    row(f"{true:.1f}", *(percent(each) for each in measured))
    names = (
        "corrected t of linnet", "corrected t (Nadeau, Bengio)", "uncorrected t", "P(better) ≥ 97.5 %, rope 0.01",
        "McNemar, a third held out",
    )  # fmt: skip
    rates = [float(np.mean(each)) for each in measured]
    return true, dict(zip(names, rates, strict=True))


def _power_over_data(number: int, better: float, draws: int) -> tuple[float, dict[str, float]]:
    wilcoxon, probable, ranked = [], [], []
    for each in range(draws):
        scores = data_set_scores(np.random.default_rng([SEED, each, number]), 5, number, better)
        d, means = differences(scores[0], scores[1]), ranks(scores).mean(axis=1)
        wilcoxon.append(wilcoxon_p_value(d) <= LEVEL)
        probable.append(bayesian_signed_ranks(d, 0.01).better >= 0.975)
        ranked.append(means[1] - means[0] >= critical_difference(5, number) - 1e-9)
    row(f"{100 * better:.1f}", *(percent(each) for each in (wilcoxon, probable, ranked)))
    labels = ("Wilcoxon", "P(better) ≥ 97.5 %, rope 0.01", "critical difference")
    return 100 * better, dict(zip(labels, [float(np.mean(each)) for each in (wilcoxon, probable, ranked)], strict=True))


def picture(found: dict[str, list[tuple[float, dict[str, float]]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "linnet"  # the same bytes from the same figures
    subjects = [name for name in found if name not in ("10 data sets", "40 data sets")]
    tests = list(dict.fromkeys(test for subject in subjects for test in found[subject][0][1]))
    figure, axes = pyplot.subplots(
        1, len(subjects), figsize=(4.2 * len(subjects), 4), layout="constrained", sharey=True
    )
    for ax, subject in zip(axes, subjects, strict=True):
        for test in found[subject][0][1]:
            x, y = zip(*((true, 100 * rates[test]) for true, rates in found[subject]), strict=True)
            style = ":" if test.startswith("uncorrected") else "-"
            ax.plot(x, y, style, color=f"C{tests.index(test)}", marker="o", markersize=3, label=test)
        ax.axhline(100 * LEVEL, color="0.5", linewidth=0.8)
        ax.set(xlabel="true difference of accuracy, points", title=subject, ylim=(0, 102))
        ax.grid(True, alpha=0.3)
        ax.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2)
    axes[0].set_ylabel("difference found, % of data sets drawn")
    figure.savefig(path, metadata={"Date": None})


PARTS: dict[str, Callable[[int], object]] = {
    "folds": on_folds, "several": several_on_folds, "rows": on_rows, "data-sets": on_data_sets,
    "curves": learning_curves, "power": power,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2000, help="pairs, or data, drawn for each row (default: 2000)")
    parser.add_argument("--only", choices=list(PARTS), help="one part alone")
    parser.add_argument("--picture", type=Path, help="where to draw the power curves (SVG)")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, part in PARTS.items():
        if given.only in (None, name):
            found = part(given.draws)
            if given.picture and name == "power":
                picture(found, given.picture)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
