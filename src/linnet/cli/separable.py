"""linnet separable: is there a plane that separates the classes of the data?  A proof either way."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.cli.options import FILES, AsJson, Data, with_options, without_quarantine
from linnet.cli.show import Display
from linnet.cli.terminal import console, plain, print_json
from linnet.errors import CertificateError, RecipeError
from linnet.pipeline.options import TrainOptions

if TYPE_CHECKING:
    from linnet.data.on_error import BadRows
    from linnet.pipeline.separable import Separability
    from linnet.theory.separability_proofs import Answer, Inseparable, Separable

UNDECIDED = 6
# Rows of a proof, and weights of a plane, that are printed; --json has all.
SHOWN = 12


@with_options("target", "columns", *FILES, "on_error")
def command(
    data: Data,
    options: TrainOptions,
    seconds: Annotated[float, typer.Option(metavar="SECONDS", help="Time limit for the proof, per class.")] = 60.0,
    json: AsJson = False,
) -> None:
    """Prove that a plane separates the classes of the data, or that none does.

    Separable: prints a plane with its margin, and the bound on the mistakes of a perceptron. Not separable: prints
    rows that no plane can separate. The proof is checked against the data. Columns become features as in linnet train;
    more than two classes are taken one-vs-rest.

    Exit codes: 0 proven, separable or not; 6 undecided within the time limit; 5 the proof does not hold.

    \b
    Examples:
      linnet separable mushrooms.csv --target kind
      linnet separable a9a.svm.gz --seconds 300
      linnet separable adult.csv --target income --column id:ignore --json
    """
    run(data, options, seconds, as_json=json)


def run(data: list[str], options: TrainOptions, seconds: float, *, as_json: bool) -> None:
    """Find a proof, check it, and print it; raise an error if it does not hold."""
    from linnet.data.on_error import BadRows
    from linnet.pipeline.separable import separability_of

    if not seconds > 0:
        raise RecipeError(f"--seconds must be above 0; it is {seconds:g}")
    began = perf_counter()
    rejected = BadRows(without_quarantine(options.on_error))
    with Display(quiet=as_json) as display:
        found = separability_of(
            data,
            options.target,
            options.columns,
            options.form,
            rejected,
            max_seconds=seconds,
            watch=display.progress,
        )
    taken = perf_counter() - began
    if as_json:
        print_json(_described(found, rejected, taken))
    else:
        _print(found, rejected, taken)
    if found.why_not:
        raise CertificateError(f"{data[0]}: the proof does not hold: {found.why_not}")
    if found.answer.separable is None:
        raise typer.Exit(UNDECIDED)


def _described(found: Separability, rejected: BadRows, seconds: float) -> dict[str, Any]:
    """The whole proof: weights by feature name, examples by file and line."""
    from linnet.theory.separability_proofs import Answers

    described = found.answer.as_dict()
    each = described["each_against_the_rest"] if isinstance(found.answer, Answers) else [described]
    for proof in each:
        if "weights" in proof:
            weights = enumerate(proof["weights"])
            given = [(number, weight) for number, weight in weights if weight]
            names = found.features.names_of(number for number, _ in given)
            proof["weights"] = dict(zip(names, (weight for _, weight in given), strict=True))
        for example in proof.get("examples", []):
            example["place"] = found.origins[example["row"]]
    return {
        **described,
        "checked": found.answer.separable is not None and not found.why_not,
        "rows": found.rows,
        "rejected_rows": rejected.count,
        "features": len(found.features),
        "seconds": round(seconds, 3),
    }


def _print(found: Separability, rejected: BadRows, seconds: float) -> None:
    from linnet.theory.separability_proofs import Answers

    out = console()
    for answer in found.answers:
        if len(found.answers) > 1:
            out.print(f"[bold]{plain(str(answer.classes[1]))} vs. rest[/]")
        for text in _lines(answer, found):
            out.print(text)
    if isinstance(found.answer, Answers):
        verdicts = [answer.separable for answer in found.answers]
        named = ((True, "separable"), (False, "not separable"), (None, "undecided"))
        counts = ", ".join(f"{verdicts.count(verdict)} {name}" for verdict, name in named if verdict in verdicts)
        out.print(f"[bold]in total[/]  of {len(verdicts)} classes {counts}")
    checked = "" if found.answer.separable is None or found.why_not else "; the proof was checked"
    skipped = f"; {rejected.count:,} could not be read" if rejected.count else ""
    out.print(f"[dim]{found.rows:,} rows, {found.features.extent}, {seconds:.1f} s{skipped}{checked}[/]")


def _lines(answer: Answer, found: Separability) -> list[str]:
    from linnet.theory.separability_proofs import Inseparable, Separable, Undecided

    if isinstance(answer, Separable):
        return _of_plane(answer, found)
    if isinstance(answer, Inseparable):
        return _of_examples(answer, found)
    assert isinstance(answer, Undecided)
    return [f"[bold]undecided[/]  {plain(str(answer).removeprefix('undecided: '))}"]


def _of_plane(answer: Separable, found: Separability) -> list[str]:
    negative, positive = (plain(str(label)) for label in answer.classes)
    most = "" if answer.most == float("inf") else f"; the largest margin is at most {answer.most:.6g}"
    order = sorted(range(len(answer.weights)), key=lambda j: -abs(answer.weights[j]))[:SHOWN]
    terms = ", ".join(f"{found.features.name(j)} {answer.weights[j]:+.4g}" for j in order if answer.weights[j])
    verdict = f"a plane has every {positive} on one side and every {negative} on the other"
    if answer.one_class:
        verdict = f"there is nothing to separate: every row is {positive}"
    return [
        f"[bold]separable[/]  {verdict}",
        f"  margin   γ = {answer.margin:.6g} [dim](the intercept counted as a weight{most})[/]",
        f"  radius   R = {answer.radius:.6g}",
        f"  bound    (R/γ)² = {answer.bound:.6g} [dim](the most mistakes that a perceptron makes)[/]",
        f"  plane    {plain(terms) or 'all weights 0'}{', ...' if (answer.weights != 0).sum() > SHOWN else ''}, "
        f"intercept {answer.bias:+.4g}",
        f"  found by {answer.method}",
    ]


def _of_examples(answer: Inseparable, found: Separability) -> list[str]:
    from linnet.theory.separability_proofs import TOLERANCE

    rows = answer.rows.tolist()
    lines = ["[bold]not separable[/]  no plane has the two classes on different sides"]
    if answer.twins and len(rows) == 2:
        lines.append("  two rows have the same features and different labels:")
    else:
        exact = (
            "is 0 exactly"
            if answer.exact
            else f"is 0 within a tolerance of {TOLERANCE:g} (its length is {answer.residual:.2g})"
        )
        lines.append(f"  the sum of λ y (x, 1) over these {len(rows)} rows {exact}, with λ > 0:")
    width = max(len(found.origins[row]) for row in rows[:SHOWN])
    for row, label, multiplier in list(zip(rows, answer.labels, answer.multipliers.tolist(), strict=True))[:SHOWN]:
        lines.append(f"    {plain(found.origins[row]):<{width}}  {plain(str(label))}  [dim]λ = {multiplier:.6g}[/]")
    if len(rows) > SHOWN:
        lines.append(f"    [dim]and {len(rows) - SHOWN} more rows: --json has all, with λ as whole numbers[/]")
    if answer.twins:
        lines.append(f"  {answer.twins:,} rows have the same features as a row with another label")
    lines.append(f"  found by {answer.method}")
    return lines
