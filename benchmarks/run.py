"""Run the benchmarks: python benchmarks/run.py [--data FOLDER] [--only WORKLOAD] [--repeats N]."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated

# instead of this folder, whose coverage.py would hide the package of that name from Numba
sys.path.pop(0)
sys.path.insert(0, str(Path(__file__).parents[1]))

import typer
from rich.console import Console

from benchmarks.measure import save, show
from benchmarks.workloads import WORKLOADS, Options


def main(
    data: Annotated[Path | None, typer.Option(help="A folder of real data sets, beside the ones made here.")] = None,
    only: Annotated[list[str] | None, typer.Option(help=f"One of {', '.join(WORKLOADS)}; may be repeated.")] = None,
    repeats: Annotated[int, typer.Option(help="How many turns each contender takes.")] = 9,
    out: Annotated[Path, typer.Option(help="Where the figures are saved.")] = Path("benchmarks/results/latest.json"),
) -> None:
    """Run linnet and its peers in turns and print ratios. Times are medians."""
    warnings.simplefilter("ignore")
    console = Console(width=None if sys.stdout.isatty() else 170)
    figures = []
    for name in only or WORKLOADS:
        if name not in WORKLOADS:
            raise typer.BadParameter(f"no workload is called {name!r}; there are {', '.join(WORKLOADS)}")
        console.log(f"{name} ...")
        figures += list(WORKLOADS[name](Options(repeats, data)))
    show(figures, console)
    save(figures, out)
    console.print(f"saved to {out}")


if __name__ == "__main__":
    typer.run(main)
