"""The page of a comparison: the conclusion, the scores, every pair, time, ranks over data sets, and the reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence

from linnet.comparison.reasons import Disagreement, Reasons
from linnet.comparison.results import ContenderResults, Cost, DataResults, Results
from linnet.evaluation.paired_comparison import RankComparison
from linnet.report import comparison_figures as pictures
from linnet.report.figures import Section, Table, bullets, paragraph
from linnet.report.markup import Markup, element, shortened
from linnet.report.numbers import count, figure, fixed, probability, signed, span
from linnet.report.page import Tile, document, tiles

# Of more pairs those with the smallest p-values are shown; so many of all data sets together.
MOST_PAIRS = 60
MOST_PAIRS_IN_ALL = 300
# Data sets that are shown in detail; of more, the best learner is.
MOST_DETAILED = 10
MOST_ROWS_NAMED = 10
LONGEST = 80


def comparison_page(results: Results) -> str:
    """The page; of several data sets, a section for each."""
    several = len(results.data) > 1
    by_data = {} if results.costs is None else results.costs.data
    sections = [_conclusion(results)]
    if results.over_data is not None:
        sections.append(_over_data(results.over_data))
    most = max(5, min(MOST_PAIRS, MOST_PAIRS_IN_ALL // max(len(results.data), 1)))
    for number, data in enumerate(results.data[:MOST_DETAILED], start=1):
        key = f"data-{number}" if several else "data"
        sections += _of_data(data, by_data.get(data.name, {}), key, several=several, most=most)
    if len(results.data) > MOST_DETAILED:
        sections.append(_in_brief(results.data[MOST_DETAILED:]))
    sections.append(_how(results))
    names = ", ".join(shortened(data.name, 40) for data in results.data[:3])
    more = f" and {len(results.data) - 3} more" if len(results.data) > 3 else ""
    return document(
        f"Comparison on {names}{more}", "Report on a comparison of learners", [_tiles(results)],
        [each for each in sections if each.content],
    )  # fmt: skip


def _tiles(results: Results) -> Markup:
    learners = list(dict.fromkeys(each.name for data in results.data for each in data.contenders))
    shown = [Tile("Learners", count(len(learners)))]
    if len(results.data) > 1:
        shown.append(Tile("Data sets", count(len(results.data))))
    else:
        for data in results.data:
            best = ranked(data)
            if best:
                score = pictures.measured(best[0], data.metric)
                assert score is not None
                ends = span(score.interval)
                level = f"; {100 * results.confidence:g} % interval {ends}" if ends else ""
                more = f"{pictures.short(best[0].name)}{level}"
                shown.append(Tile(f"Best mean {data.metric}", fixed(score.mean), more))
            shown.append(Tile("Rows", count(data.rows), f"{data.features:,} features"))
            shown.append(Tile("Folds", f"{data.folds} × {data.repeats}", data.split))
    return tiles(shown)


def ranked(data: DataResults) -> list[ContenderResults]:
    """Those with figures, the best first: by wins over the others' means, in the direction that pairs have."""
    found = [(each, pictures.measured(each, data.metric)) for each in data.contenders]
    scored = [(each, score.mean) for each, score in found if score is not None and math.isfinite(score.mean)]
    return [each for each, _ in sorted(scored, key=lambda pair: -pair[1] if larger_is_better(data) else pair[1])]


def larger_is_better(data: DataResults) -> bool:
    """By the pairs, whose differences are positive where the first is better."""
    means = {
        each.name: score.mean for each in data.contenders if (score := pictures.measured(each, data.metric)) is not None
    }
    for pair in data.pairs:
        apart = means.get(pair.first, math.nan) - means.get(pair.second, math.nan)
        if apart and pair.difference and math.isfinite(apart):
            return (apart > 0) == (pair.difference > 0)
    return "loss" not in data.metric and "error" not in data.metric and "rmse" not in data.metric.lower()


def _conclusion(results: Results) -> Section:
    section = Section("conclusion", "Conclusion")
    lines = list(results.conclusion)
    for data in results.data:
        own = (
            [f"{shortened(data.name, 40)}: {text}" for text in data.conclusion]
            if len(results.data) > 1
            else data.conclusion
        )
        lines += [text for text in own if text not in lines]
    if lines:
        section.add(bullets([shortened(text, 600) for text in lines[:100]], "conclusion"))
    return section


def _over_data(ranks: RankComparison) -> Section:
    section = Section("over-data", "Over all data sets")
    section.figures([pictures.critical_difference(ranks)])
    if ranks.pairs:
        rows = [
            (
                f"{pictures.short(each.first)} against {pictures.short(each.second)}",
                probability(each.p_value),
                probability(each.adjusted_p_value),
                pictures.posterior_bar(each.posterior, each.first, each.second),
            )
            for each in sorted(ranks.pairs, key=lambda each: each.adjusted_p_value)[:MOST_PAIRS]
        ]
        section.add(
            element("h3", "Signed ranks of every pair"),
            _posterior_key(),
            Table(("pair", "p", "p (Holm)", "probabilities"), rows, left=frozenset({0, 3})).html("Signed ranks"),
        )
    return section


def _of_data(data: DataResults, costs: dict[str, Cost], key: str, *, several: bool, most: int) -> list[Section]:
    name = f"{shortened(data.name, LONGEST)}: " if several else ""
    order, prefix = ranked(data), f"{key}-"
    scores = Section(f"{key}-scores", f"{name}{'results' if several else 'Results'}")
    scores.add(
        paragraph(
            f"{data.rows:,} rows and {data.features:,} features, target {shortened(data.target, LONGEST)}; "
            f"{data.folds} {data.split} folds, {data.repeats} times.",
            class_="note",
        )
    )
    names = [each.name for each in order]
    scores.figures(
        [pictures.scores(data, names), pictures.time_and_score(data, costs, larger=larger_is_better(data))], prefix
    )
    scores.add(_metrics(data, order))
    failed = [f"{each.name}: {each.failed}" for each in data.contenders if each.failed]
    if failed:
        scores.add(element("h3", "Not measured"), bullets([shortened(text, 400) for text in failed], "warnings"))
    pairs = Section(f"{key}-pairs", f"{name}{'pairs' if several else 'Pairs of learners'}", listed=not several)
    pairs.add(*_pairs(data, most))
    reasons = Section(f"{key}-reasons", f"{name}{'reasons' if several else 'Reasons'}", listed=not several)
    if data.reasons is not None:
        _reasons(reasons, data.reasons, prefix)
    return [scores, pairs, reasons]


def _in_brief(others: Sequence[DataResults]) -> Section:
    """The best learner of each of many data sets."""
    section, rows = Section("others", "Other data sets"), []
    for data in others:
        for best in ranked(data)[:1]:
            score = pictures.measured(best, data.metric)
            assert score is not None
            rows.append(
                (shortened(data.name, LONGEST), count(data.rows), pictures.short(best.name), data.metric,
                 fixed(score.mean, 4), span(score.interval, 4))
            )  # fmt: skip
    heads = ("data set", "rows", "best learner", "metric", "mean", "interval")
    section.add(Table(heads, rows, left=frozenset({0, 2, 3})).html("Other data sets"))
    return section


def _metrics(data: DataResults, order: list[ContenderResults]) -> Markup | None:
    """All metrics of all learners."""
    metrics = list(dict.fromkeys(each.metric for one in order for each in one.metrics))
    if not metrics:
        return None
    rows = []
    for one in order:
        found = {each.metric: each for each in one.metrics}
        cells = [
            "–" if metric not in found else f"{fixed(found[metric].mean, 4)} ({span(found[metric].interval, 3)})"
            for metric in metrics
        ]
        how = ", ".join(filter(None, ("yardstick" if one.yardstick else "linear", "tuned" if one.tuned else "")))
        rows.append((element("span", pictures.short(one.name), title=one.name), how, *cells))
    table = Table(("learner", "kind", *metrics), rows, left=frozenset({0, 1}))
    return table.html(f"All metrics on {data.name}")


def _pairs(data: DataResults, most: int) -> list[Markup]:
    parts: list[Markup] = []
    if data.pairs:
        shown = sorted(data.pairs, key=lambda each: (each.adjusted_p_value, -abs(each.difference)))[:most]
        rows = [
            (
                f"{pictures.short(each.first)} − {pictures.short(each.second)}",
                signed(each.difference, 4),
                span(each.interval, 4),
                probability(each.p_value),
                probability(each.adjusted_p_value),
                figure(each.effect_size, 2),
                pictures.posterior_bar(each.posterior, each.first, each.second),
                f"{each.wins} / {each.ties} / {each.losses}",
            )
            for each in shown
        ]
        heads = (
            "pair", "difference", "interval", "p", "p (Holm)", "effect size", "probabilities",
            "folds won / tied / lost",
        )  # fmt: skip
        rope = {each.posterior.rope for each in data.pairs}
        region = f" Equivalent means that they differ by at most {figure(max(rope), 3)}." if rope else ""
        more = (
            f" Of {len(data.pairs):,} pairs, the {len(shown)} with the smallest p-values are shown."
            if len(data.pairs) > len(shown)
            else ""
        )
        parts += [
            paragraph(
                "Differences of scores on the same folds, positive where the first is better; p-values of the "
                "corrected resampled t-test, with Holm's correction over all pairs; and the Bayesian answer."
                f"{region}{more}",
                class_="note",
            ),
            _posterior_key(),
            Table(heads, rows, left=frozenset({0, 6})).html(f"Pairs on {data.name}"),
        ]
    if data.held_out:
        tested = [
            (
                f"{pictures.short(each.first)}, {pictures.short(each.second)}",
                count(each.rows),
                count(each.only_first_right),
                count(each.only_second_right),
                probability(each.p_value),
                probability(each.adjusted_p_value),
            )
            for each in data.held_out[:most]
        ]
        columns = ("pair", "rows", "only first right", "only second right", "p", "p (Holm)")
        parts += [
            element("h3", "McNemar's exact test on one held-out set"),
            Table(columns, tested).html(f"McNemar's test on {data.name}"),
        ]
    return parts


def _posterior_key() -> Markup:
    keys = (("s0", "first is better"), ("s7", "equivalent"), ("s1", "second is better"))
    items = [element("li", element("span", class_=f"key {class_}", aria_hidden="true"), name) for class_, name in keys]
    return element("ul", items, class_="legend")


def _reasons(section: Section, reasons: Reasons, prefix: str) -> None:
    if reasons.facts:
        rows = [
            (shortened(each.name, LONGEST), shortened(each.text, 200), shortened(each.meaning, 400))
            for each in reasons.facts[:100]
        ]
        section.add(Table(("fact", "measured", "what follows"), rows, words=True).html("Facts about the data"))
    section.figures([pictures.learning_curves(reasons.curves), pictures.sensitivities(reasons.sensitivities)], prefix)
    if reasons.curves:
        laws = [
            (
                pictures.short(each.learner),
                *(fixed(each.floor, 4), figure(each.exponent, 3), fixed(each.errors[-1], 4) if each.errors else "–"),
                *(fixed(each.at_twice, 4), span(each.at_twice_interval, 4)),
            )
            for each in reasons.curves
        ]
        heads = ("learner", "floor", "exponent", "error now", "error at twice the rows", "interval")
        section.add(element("h3", "What more rows would buy"), Table(heads, laws).html("Power laws"))
    if reasons.disagreements:
        section.add(element("h3", "Where learners disagree"), _disagreements(reasons.disagreements))


def _disagreements(found: tuple[Disagreement, ...]) -> Markup:
    rows = [
        (
            f"{pictures.short(each.first)}, {pictures.short(each.second)}",
            f"{100 * each.fraction:.1f} %",
            count(each.only_first_right),
            count(each.only_second_right),
            shortened(", ".join(each.rows[:MOST_ROWS_NAMED]), 200),
        )
        for each in sorted(found, key=lambda each: -each.fraction)[:MOST_PAIRS]
    ]
    heads = ("pair", "rows predicted differently", "only first right", "only second right", "the first such rows")
    return Table(heads, rows, left=frozenset({0, 4})).html("Disagreements")


def _how(results: Results) -> Section:
    section = Section("how", "How it was measured")
    rows: list[tuple[object, ...]] = [("seed", str(results.seed)), ("confidence", f"{100 * results.confidence:g} %")]
    rows += [
        (name, shortened(str(value), 200))
        for name, value in sorted(results.options.items())
        if value not in (None, [], {})
    ]
    section.add(Table(("option", "value"), rows[:100], words=True).html("Options"))
    return section
