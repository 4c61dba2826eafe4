"""linnet boolean: is a Boolean function a linear threshold function?  Its weights, or a proof that it is not one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from linnet.cli.options import AsJson
from linnet.cli.terminal import console, plain, print_json
from linnet.errors import RecipeError

if TYPE_CHECKING:
    from linnet.boolean import Compiled, Witness
    from linnet.boolean.census import Kind

SHOWN = 30
MOST_TERMS = 60
MOST_ROWS = 256


def command(
    expression: Annotated[
        str | None,
        typer.Argument(
            metavar="EXPRESSION",
            help="Names with & | ~ ^ -> <-> (also and, or, not), 0, 1, parentheses, atleast(k, ...), atmost, exactly, "
            "majority; or a truth table like 0110.",
            show_default=False,
        ),
    ] = None,
    variables: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...", help="The variables, in order (default: as in the expression).", show_default=False
        ),
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="Print the truth table with the weighted sums.")] = False,
    count: Annotated[
        int | None,
        typer.Option(metavar="N", help="Count the linear threshold functions of N variables.", show_default=False),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.0, metavar="SECONDS", help="Time limit of the search for the fewest conjunctions.")
    ] = 10.0,
    json: AsJson = False,
) -> None:
    """Find the smallest integer weights of a Boolean function, or prove that it is not linear.

    For a function that is not a linear threshold function, prints points that prove it, and the fewest conjunctions
    that make it one when they are added as features.

    \b
    Examples:
      linnet boolean 'x1 & x2 & ~x3'
      linnet boolean 'atleast(2, x1, x2, x3)' --table
      linnet boolean 'x1 ^ x2'
      linnet boolean --count 4
    """
    run(expression, variables, count, seconds, table=table, as_json=json)


def run(
    expression: str | None, variables: str | None, count: int | None, seconds: float, *, table: bool, as_json: bool
) -> None:
    """Compile an expression, or count."""
    from linnet.boolean import compile as compiled_of
    from linnet.boolean import threshold_kinds

    if (expression is None) == (count is None):
        raise RecipeError("give either an expression, as in linnet boolean 'x1 & ~x2', or --count N")
    out = console()
    if count is not None:
        kinds = threshold_kinds(count)
        if as_json:
            print_json(_counted(count, kinds))
        else:
            _print_count(out, count, kinds)
        return
    assert expression is not None
    names = None if variables is None else [name.strip() for name in variables.split(",") if name.strip()]
    compiled = compiled_of(expression, names, seconds=seconds)
    if as_json:
        print_json({"expression": expression} | compiled.as_dict())
        return
    if compiled.linear:
        _print_linear(out, expression, compiled)
    else:
        _print_not_linear(out, expression, compiled)
    if table:
        _print_table(out, compiled)


def _print_linear(out: Console, expression: str, compiled: Compiled) -> None:
    from linnet.boolean import RuleKind, rule_of

    assert compiled.unit is not None
    unit, points = compiled.unit, len(compiled.function.table)
    out.print(f"{plain(expression)}  is a [bold green]linear threshold function[/]")
    out.print(f"\n    [bold]{plain(compiled.formula)}[/]\n")
    rule = rule_of(unit, compiled.variables)
    if rule.kind not in (RuleKind.WEIGHTED, RuleKind.NONE):
        out.print(f"[bold]in words[/]  {plain(str(rule))}")
    total = sum(map(abs, unit.weights))
    if total:
        out.print(
            f"[bold]smallest[/]  no integer weights of this function have a smaller sum of absolute values than {total}"
        )
    unused = [name for name, weight in compiled.weights.items() if not weight]
    if unused:
        out.print(f"[bold]unused[/]    {plain(', '.join(unused))} [dim]have no influence: weight 0[/]")
    true = int(compiled.function.table.sum())
    out.print(
        f"[bold]checked[/]   [dim]in integers at {'the' if points == 1 else f'all {points:,}'} "
        f"point{'s' * (points > 1)}, {true:,} of them true[/]"
    )


def _print_not_linear(out: Console, expression: str, compiled: Compiled) -> None:
    witness, lifted = compiled.witness, compiled.lifted
    assert witness is not None
    assert lifted is not None
    out.print(f"{plain(expression)}  is [bold red]not a linear threshold function[/]\n")
    _print_witness(out, compiled.variables, witness)
    names = lifted.names(compiled.variables)[len(compiled.variables) :]
    several = len(names) > 1
    out.print(
        f"\n[bold]remedy[/]      linear with {f'{len(names):,} conjunctions' if several else 'one conjunction'} as "
        f"{'additional features' if several else 'an additional feature'}: [bold]{plain(_some(names))}[/]"
    )
    formula = compiled.formula if len(names) <= MOST_TERMS else "too many weights to print: use --json"
    out.print(f"\n    [bold]{plain(formula)}[/]\n")
    if lifted.smallest:
        out.print("[bold]smallest[/]    [dim]no smaller set of conjunctions will do, nor one of lower degree[/]")
    else:
        out.print(f"[bold]smallest?[/]   [dim]not proven: at least {lifted.at_least} are needed; increase --seconds[/]")
    if not lifted.unit.smallest:
        out.print("            [dim]nor is it proven that these weights are the smallest[/]")
    points = len(compiled.function.table)
    out.print(f"[bold]checked[/]     [dim]in integers at all {points:,} points[/]")


def _print_witness(out: Console, variables: tuple[str, ...], witness: Witness) -> None:
    middle = ", ".join(map(_fraction, witness.meeting_point))
    out.print("[bold]proof[/]  true points and false points with the same mean:\n")
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    weighted = len({*witness.true_multipliers, *witness.false_multipliers}) > 1
    shown.add_column("")
    shown.add_column("times" if weighted else "", justify="right")
    for name in variables:
        shown.add_column(plain(name), justify="right")
    for what, colour, points, multipliers in (
        ("true", "green", witness.true, witness.true_multipliers),
        ("false", "red", witness.false, witness.false_multipliers),
    ):
        for point, m in zip(points, multipliers, strict=True):
            shown.add_row(f"    [{colour}]{what}[/]", str(m) if weighted else "", *map(str, point))
    shown.add_row("    [dim]mean[/]", "", *(f"[dim]{_fraction(value)}[/]" for value in witness.meeting_point))
    out.print(shown)
    out.print(
        f"\n     [dim]A plane with the true points on one side has their mean ({middle}) on that side.\n"
        "     The false points have the same mean, so they cannot all be on the other side.[/]"
    )


def _some(names: list[str], most: int = 12) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def _fraction(value: Fraction) -> str:
    return {Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔"}.get(value, str(value))


def _print_table(out: Console, compiled: Compiled) -> None:
    import numpy as np

    function, weights = compiled.function, compiled.weights
    lifted, columns = compiled.lifted, function.points
    if lifted is None:
        sums = columns @ np.array(list(weights.values()), dtype=np.int64)
    else:
        sums = lifted.sums(function.n)
        if len(lifted.conjunctions) <= MOST_TERMS:
            columns = lifted.columns(function.n)
    heads = [*list(weights)[: columns.shape[1]], "sum", f">= {compiled.threshold}"]
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in heads:
        shown.add_column(plain(name), justify="right")
    for row, total, true in list(zip(columns.tolist(), sums, function.table.tolist(), strict=True))[:MOST_ROWS]:
        cells = [f"[dim]{x}[/]" if not x else str(x) for x in row]
        shown.add_row(*cells, str(total), "[bold green]1[/]" if true else "[red]0[/]")
    out.print()
    out.print(shown)
    if len(columns) > MOST_ROWS:
        out.print(f"[dim]... and {len(columns) - MOST_ROWS:,} more rows[/]")


def _counted(n: int, kinds: list[Kind]) -> dict[str, Any]:
    return {
        "variables": n,
        "functions": 2**2**n,
        "threshold_functions": sum(kind.functions for kind in kinds),
        "kinds": [
            {"weights": list(kind.unit.weights), "threshold": kind.unit.threshold, "functions": kind.functions}
            for kind in kinds
        ],
    }


def _print_count(out: Console, n: int, kinds: list[Kind]) -> None:
    from linnet.boolean import RuleKind, rule_of

    linear, functions = sum(kind.functions for kind in kinds), 2**2**n
    out.print(
        f"[bold]{linear:,}[/] of the {functions:,} functions of {n} variable{'s' * (n != 1)} are linear threshold "
        f"functions [dim]({100 * linear / functions:.3g} %)[/]\n"
    )
    names = [f"x{j + 1}" for j in range(n)]
    shown = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    shown.add_column("functions", justify="right")
    shown.add_column("example")
    shown.add_column("in words")
    for kind in kinds[:SHOWN]:
        rule = rule_of(kind.unit, names)
        words = "" if rule.kind is RuleKind.WEIGHTED else f"[dim]{plain(str(rule))}[/]"
        shown.add_row(f"{kind.functions:,}", plain(kind.unit.formula(names)), words)
    out.print(shown)
    if len(kinds) > SHOWN:
        rest = sum(kind.functions for kind in kinds[SHOWN:])
        out.print(f"[dim]... and {len(kinds) - SHOWN} more kinds with {rest:,} functions[/]")
    out.print("\n[dim]Functions of a kind differ by exchanging and negating variables.[/]")
