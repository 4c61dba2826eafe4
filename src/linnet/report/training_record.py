"""What happened in training, as tables: columns, settings, options, and what is proven."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from linnet.data.role import Role
from linnet.learners.recipe import Update
from linnet.report.figures import Table
from linnet.report.markup import shortened
from linnet.report.numbers import count, figure
from linnet.theory.mistake_bounds import Mistakes

if TYPE_CHECKING:
    from linnet.model.model import Model

MOST_COLUMNS = 100
MOST_COEFFICIENTS = 100
LONGEST = 80
LONGEST_VALUE = 200


def columns(model: Model) -> Table | None:
    """Name, role and type of each column, and what is known of its numbers; the target first."""
    schema, numbers = model.features.schema, model.record.numbers
    names = sorted(schema.roles, key=lambda name: schema.roles[name] is not Role.TARGET)
    rows: list[tuple[object, ...]] = []
    for name in names[:MOST_COLUMNS]:
        known = numbers.get(name)
        found = (figure(known.mean, 4), figure(known.deviation, 4), count(known.missing)) if known else ("", "", "")
        rows.append((shortened(name, LONGEST), str(schema.roles[name]), *found))
    if not rows:
        return None
    if len(names) > MOST_COLUMNS:
        rows.append((f"and {len(names) - MOST_COLUMNS:,} more columns", "", "", "", ""))
    return Table(("column", "role", "mean", "deviation", "missing"), rows, left=frozenset({0, 1}))


def settings(model: Model) -> Table:
    """How the model was fitted."""
    record = model.record
    rows = [
        ("learner", record.learner),
        ("why", record.reason),
        ("formula", model.entry.formula),
        ("solver", record.solver),
        ("why this solver", record.solver_reason),
        ("penalty", penalty(model)),
        ("factors", factors(model)),
        ("iterations", "" if record.iterations is None else f"{record.iterations:,}"),
        ("converged", "" if record.converged is None else "yes" if record.converged else "no"),
        ("tolerance", "" if record.tol is None else f"{record.tol:g}"),
        ("passes", "" if record.passes is None else f"{record.passes:,}"),
        ("seed", str(record.seed)),
        ("rows", f"{record.rows:,}"),
        ("rows held out", f"{record.rows_held_out:,}"),
        ("rows left out", f"{record.rejected_rows:,}" if record.rejected_rows else ""),
        ("features", f"{len(model.features):,}"),
        ("class weights", _class_weights(model)),
        ("calibration", "" if model.calibration is None else "yes"),
    ]
    return Table(("setting", "value"), [(a, shortened(b, 2 * LONGEST_VALUE)) for a, b in rows if b], words=True)


def penalty(model: Model) -> str:
    """Kind and strength; empty for learners without one."""
    entry, chosen, choice = model.entry, model.record.recipe.penalty, model.record.strength
    weight = chosen.l1 + chosen.l2
    if not entry.penalties:
        return ""
    if not weight:
        return "none"
    kind = "L2" if not chosen.l1 else "L1" if not chosen.l2 else f"elastic net, l1_ratio = {chosen.l1 / weight:g}"
    strength = f"C = {1 / weight:g}" if entry.strength == "C" else f"alpha = {weight:g}"
    how = f", chosen by {choice.way} on {choice.rows:,} rows" if choice is not None else ""
    return f"{kind}, {strength}{how}"


def factors(model: Model) -> str:
    """Of Winnow."""
    recipe = model.record.recipe
    if recipe.update is not Update.MULTIPLICATIVE:
        return ""
    found = recipe.factors
    return f"α = {found.promotion:g}" + ("" if found.threshold is None else f", Θ = {found.threshold:g}")


def _class_weights(model: Model) -> str:
    each = list((model.record.class_weight or {}).items())
    more = f" and {len(each) - 8:,} more" if len(each) > 8 else ""
    return ", ".join(f"{shortened(label, 30)} {weight:.4g}" for label, weight in each[:8]) + more


def options(model: Model) -> Table | None:
    """The options of the run, as the record has them."""
    rows = [
        (name, shortened(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), LONGEST_VALUE))
        for name, value in sorted(model.record.options.items())
        if value is not None and value != [] and value != {}
    ]
    return Table(("option", "value"), rows[:MOST_COLUMNS], words=True) if rows else None


def proof(model: Model) -> tuple[str, Table | None]:
    """What is proven of the model, in words and numbers; or why nothing is."""
    certificate = model.certificate
    if certificate is None:
        return "Nothing is proven of this model.", None
    if not model.certificate_matches_weights:
        return "The certificate in the file was not stated of these weights: it proves nothing of them.", None
    if isinstance(certificate, Mistakes):
        facts = [(name, figure(value, 6)) for name, value in certificate.facts.items()]
        rows = [("mistakes", count(certificate.made)), ("bound", figure(certificate.bound, 6)), *facts]
        return f"{certificate}.", None if certificate.reason else Table(("quantity", "value"), list(rows))
    if certificate.reason:
        return f"No certificate: {certificate.reason}.", None
    rows = [
        ("objective at the weights", figure(certificate.primal, 10)),
        ("the optimum is at least", figure(certificate.dual, 10)),
        ("duality gap, relative", f"{certificate.gap:.2g}"),
    ]
    words = (
        f"The objective of the weights is proven to be within {certificate.gap:.2g} of the optimum, relatively. "
        "linnet verify checks this against the data."
    )
    return words, Table(("quantity", "value"), list(rows))


def coefficients(model: Model) -> Table | None:
    """With standard errors, if they were asked for."""
    summary = model.record.summary
    if summary is None:
        return None
    found = summary.table.as_dict()
    names = [str(name) for name in found.pop("name")]
    rows: list[tuple[object, ...]] = [
        (shortened(name, LONGEST), *(figure(float(values[i]), 4) for values in found.values()))
        for i, name in enumerate(names[:MOST_COEFFICIENTS])
    ]
    if len(names) > MOST_COEFFICIENTS:
        rows.append((f"and {len(names) - MOST_COEFFICIENTS:,} more", *("" for _ in found)))
    return Table(("coefficient", *found), rows)
