"""linnet verify --separable: can a plane separate the classes of the data?  The verdict, with its proof in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from time import perf_counter
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape

from linnet.cli.show import Shower
from linnet.data.features.schema import Role
from linnet.data.on_error import OnError
from linnet.data.reading import Rejected
from linnet.data.sources.formats import Format
from linnet.errors import CertificateError
from linnet.pipeline.separable import Separability, separability_of
from linnet.theory.separability_proofs import TOLERANCE, Answer, Answers, Inseparable, Separable, Undecided

UNDECIDED = 1
# So many examples of a proof, and weights of a plane, are printed; --json has all.
SHOWN = 12


def run(
    data: list[str],
    target: str | None,
    roles: Mapping[str, Role],
    form: Format | None,
    on_error: OnError,
    seconds: float | None,
    *,
    as_json: bool,
) -> None:
    """Find a proof, check it, and print it; an error if it does not hold."""
    began = perf_counter()
    rejected = Rejected(on_error)
    with Shower(quiet=as_json) as shower:
        found = separability_of(data, target, roles, form, rejected, max_seconds=seconds, watch=shower.progress)
    taken = perf_counter() - began
    if as_json:
        print(json.dumps(_described(found, rejected, taken), ensure_ascii=False, indent=2))
    else:
        _print(found, rejected, taken)
    if found.why_not:
        raise CertificateError(f"{data[0]}: the proof does not hold: {found.why_not}")
    if found.answer.separable is None:
        raise typer.Exit(UNDECIDED)


def _described(found: Separability, rejected: Rejected, seconds: float) -> dict[str, Any]:
    """The whole proof: weights by the names of their features, examples by where they stand."""
    described = found.answer.as_dict()
    each = described["each_against_the_rest"] if isinstance(found.answer, Answers) else [described]
    for proof in each:
        if "weights" in proof:
            weights = enumerate(proof["weights"])
            proof["weights"] = {found.features.name(number): weight for number, weight in weights if weight}
        for example in proof.get("examples", []):
            example["place"] = found.places[example["row"]]
    return {
        **described,
        "checked": found.answer.separable is not None and not found.why_not,
        "rows": found.rows,
        "rejected_rows": rejected.count,
        "features": len(found.features),
        "seconds": round(seconds, 3),
    }


def _print(found: Separability, rejected: Rejected, seconds: float) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for answer in found.answers:
        if len(found.answers) > 1:
            console.print(f"[bold]{escape(str(answer.classes[1]))} against the rest[/]")
        for line in _lines(answer, found):
            console.print(line)
    if isinstance(found.answer, Answers):
        many = len(found.answer.inseparable)
        console.print(f"[bold]together[/]  {many or 'none'} of {len(found.answers)} classes cannot be separated")
    held = "" if found.answer.separable is None or found.why_not else "; the proof was checked"
    left_out = f"; {rejected.count:,} could not be read" if rejected.count else ""
    console.print(f"[dim]{found.rows:,} rows, {found.features.extent}, {seconds:.1f} s{left_out}{held}[/]")


def _lines(answer: Answer, found: Separability) -> list[str]:
    if isinstance(answer, Separable):
        return _of_plane(answer, found)
    if isinstance(answer, Inseparable):
        return _of_examples(answer, found)
    assert isinstance(answer, Undecided)
    return [f"[bold]undecided[/]  {escape(str(answer).removeprefix('undecided: '))}"]


def _of_plane(answer: Separable, found: Separability) -> list[str]:
    negative, positive = (escape(str(label)) for label in answer.classes)
    most = "" if answer.most == float("inf") else f"; no plane has more than {answer.most:.6g}"
    order = sorted(range(len(answer.weights)), key=lambda j: -abs(answer.weights[j]))[:SHOWN]
    terms = ", ".join(f"{found.features.name(j)} {answer.weights[j]:+.4g}" for j in order if answer.weights[j])
    parted = f"a plane has every {positive} on one side and every {negative} on the other"
    if answer.one_class:
        parted = f"there is nothing to separate: every row is {positive}"
    return [
        f"[bold]separable[/]  {parted}",
        f"  margin   γ = {answer.margin:.6g} [dim]in the space (x, 1), in which the intercept is a weight{most}[/]",
        f"  radius   R = {answer.radius:.6g}",
        f"  bound    (R/γ)² = {answer.bound:.6g} [dim]mistakes that a perceptron makes at most[/]",
        f"  plane    {escape(terms) or 'no weights'}{', ...' if (answer.weights != 0).sum() > SHOWN else ''}, "
        f"intercept {answer.bias:+.4g}",
        f"  found by {answer.method}",
    ]


def _of_examples(answer: Inseparable, found: Separability) -> list[str]:
    rows = answer.rows.tolist()
    lines = ["[bold]not separable[/]  no plane has the classes on its two sides"]
    if answer.twins and len(rows) == 2:
        lines.append("  two rows have the same features and different labels:")
    else:
        exact = (
            "is 0 exactly" if answer.exact else f"has length {answer.residual:.2g}: 0 to a tolerance of {TOLERANCE:g}"
        )
        lines.append(f"  the sum of λ y (x, 1) over these {len(rows)} rows {exact}, with λ > 0:")
    width = max(len(found.places[row]) for row in rows[:SHOWN])
    for row, label, share in list(zip(rows, answer.labels, answer.multipliers.tolist(), strict=True))[:SHOWN]:
        lines.append(f"    {escape(found.places[row]):<{width}}  {escape(str(label))}  [dim]λ = {share:.6g}[/]")
    if len(rows) > SHOWN:
        lines.append(f"    [dim]and {len(rows) - SHOWN} more: --json has all, and λ in whole numbers[/]")
    if answer.twins:
        lines.append(f"  {answer.twins:,} rows have the features of a row with another label")
    lines.append(f"  found by {answer.method}")
    return lines
