"""linnet boolean: can a line say it? If so, how; if not, why not, and what helps."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from linnet import boolean
from linnet.boolean import Compiled, RuleKind, Witness, rule_of, threshold_kinds
from linnet.boolean.counting import Kind
from linnet.errors import RecipeError

SHOWN = 30
MOST_TERMS = 60
MOST_ROWS = 256


def run(
    expression: str | None, variables: str | None, count: int | None, seconds: float, *, table: bool, as_json: bool
) -> None:
    """Show what an expression is; or count."""
    if (expression is None) == (count is None):
        raise RecipeError("give an expression, as in linnet boolean 'x1 & ~x2', or --count N; one of the two")
    console = Console(highlight=False, soft_wrap=True)
    if count is not None:
        kinds = threshold_kinds(count)
        if as_json:
            print(json.dumps(_counted(count, kinds), indent=2))
        else:
            _print_count(console, count, kinds)
        return
    assert expression is not None
    names = None if variables is None else [name.strip() for name in variables.split(",") if name.strip()]
    compiled = boolean.compile(expression, names, seconds=seconds)
    if as_json:
        print(json.dumps({"expression": expression} | compiled.as_dict(), ensure_ascii=False, indent=2))
        return
    if compiled.linear:
        _print_linear(console, expression, compiled)
    else:
        _print_not_linear(console, expression, compiled)
    if table:
        _print_table(console, compiled)


def _print_linear(console: Console, expression: str, compiled: Compiled) -> None:
    assert compiled.unit is not None
    unit, points = compiled.unit, len(compiled.function.table)
    console.print(f"{escape(expression)}  is a [bold green]linear threshold function[/]")
    console.print(f"\n    [bold]{escape(compiled.formula)}[/]\n")
    rule = rule_of(unit, compiled.variables)
    if rule.kind not in (RuleKind.WEIGHTED, RuleKind.NONE):
        console.print(f"[bold]in words[/]  {escape(str(rule))}")
    total = sum(map(abs, unit.weights))
    if total:
        console.print(f"[bold]smallest[/]  no whole numbers that say the same have a smaller sum of sizes than {total}")
    idle = [name for name, weight in compiled.weights.items() if not weight]
    if idle:
        console.print(f"[bold]idle[/]      {escape(', '.join(idle))} [dim]may be anything: weight 0[/]")
    true = int(compiled.function.table.sum())
    console.print(
        f"[bold]checked[/]   [dim]in whole numbers at {'the' if points == 1 else f'all {points:,}'} "
        f"point{'s' * (points > 1)}, {true:,} of them true[/]"
    )


def _print_not_linear(console: Console, expression: str, compiled: Compiled) -> None:
    witness, lifted = compiled.witness, compiled.lifted
    assert witness is not None
    assert lifted is not None
    console.print(f"{escape(expression)}  is [bold red]no linear threshold function[/]\n")
    _print_witness(console, compiled.variables, witness)
    names = lifted.names(compiled.variables)[len(compiled.variables) :]
    several = len(names) > 1
    console.print(
        f"\n[bold]what helps[/]  with {f'{len(names):,} conjunctions' if several else 'one conjunction'} as "
        f"{'features' if several else 'a feature'} beside the variables it is one: [bold]{escape(_some(names))}[/]"
    )
    formula = compiled.formula if len(names) <= MOST_TERMS else "weights: --json has them all"
    console.print(f"\n    [bold]{escape(formula)}[/]\n")
    if lifted.smallest:
        console.print("[bold]smallest[/]    [dim]no set of conjunctions has fewer or, of as many, smaller degrees[/]")
    else:
        console.print(
            f"[bold]smallest?[/]   [dim]not proven: {lifted.at_least} or more are needed; --seconds gives more time[/]"
        )
    if not lifted.unit.smallest:
        console.print("            [dim]and of these weights it is not proven that they are the smallest[/]")
    points = len(compiled.function.table)
    console.print(f"[bold]checked[/]     [dim]in whole numbers at all {points:,} points[/]")


def _print_witness(console: Console, variables: tuple[str, ...], witness: Witness) -> None:
    middle = ", ".join(map(_fraction, witness.meeting_point))
    console.print("[bold]why[/]  true points and false points with the same mean:\n")
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    weighed = len({*witness.true_multipliers, *witness.false_multipliers}) > 1
    shown.add_column("")
    shown.add_column("times" if weighed else "", justify="right")
    for name in variables:
        shown.add_column(escape(name), justify="right")
    for what, colour, points, multipliers in (
        ("true", "green", witness.true, witness.true_multipliers),
        ("false", "red", witness.false, witness.false_multipliers),
    ):
        for point, m in zip(points, multipliers, strict=True):
            shown.add_row(f"    [{colour}]{what}[/]", str(m) if weighed else "", *map(str, point))
    shown.add_row("    [dim]mean[/]", "", *(f"[dim]{_fraction(value)}[/]" for value in witness.meeting_point))
    console.print(shown)
    console.print(
        f"\n     [dim]A plane with these true points on one side has their mean ({middle}) there, too; with the false\n"
        "     points on the other side, it has the same point on the other side. There is no such plane.[/]"
    )


def _some(names: list[str], most: int = 12) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def _fraction(value: Fraction) -> str:
    return {Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔"}.get(value, str(value))


def _print_table(console: Console, compiled: Compiled) -> None:
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
        shown.add_column(escape(name), justify="right")
    for row, total, true in list(zip(columns.tolist(), sums, function.table.tolist(), strict=True))[:MOST_ROWS]:
        cells = [f"[dim]{x}[/]" if not x else str(x) for x in row]
        shown.add_row(*cells, str(total), "[bold green]1[/]" if true else "[red]0[/]")
    console.print()
    console.print(shown)
    if len(columns) > MOST_ROWS:
        console.print(f"[dim]... and {len(columns) - MOST_ROWS:,} more rows[/]")


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


def _print_count(console: Console, n: int, kinds: list[Kind]) -> None:
    linear, functions = sum(kind.functions for kind in kinds), 2**2**n
    console.print(
        f"[bold]{linear:,}[/] of the {functions:,} functions of {n} variable{'s' * (n != 1)} are linear threshold "
        f"functions [dim]({100 * linear / functions:.2g} %)[/]\n"
    )
    names = [f"x{j + 1}" for j in range(n)]
    shown = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    shown.add_column("functions", justify="right")
    shown.add_column("one of them")
    shown.add_column("in words")
    for kind in kinds[:SHOWN]:
        rule = rule_of(kind.unit, names)
        words = "" if rule.kind is RuleKind.WEIGHTED else f"[dim]{escape(str(rule))}[/]"
        shown.add_row(f"{kind.functions:,}", escape(kind.unit.formula(names)), words)
    console.print(shown)
    if len(kinds) > SHOWN:
        rest = sum(kind.functions for kind in kinds[SHOWN:])
        console.print(f"[dim]... and {len(kinds) - SHOWN} kinds more, with {rest:,} functions[/]")
    console.print("\n[dim]The others of a kind: exchange variables, or negate some.[/]")
