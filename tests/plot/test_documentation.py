"""The page of pictures runs, names every function, and has every picture that its script draws."""

from __future__ import annotations

import re
from pathlib import Path

from linnet import plot

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "plots.md").read_text()


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL):
        exec(compile(code, "plots.md", "exec"), names)
    assert (tmp_path / "roc.svg").stat().st_size > 1000


def test_every_function_is_named():
    assert all(f"`{name}`" in PAGE for name in plot.__all__)


def test_the_pictures_are_those_of_the_script():
    drawn = set(re.findall(r'yield "([\w-]+)"', (DOCS / "pictures.py").read_text()))
    assert {path.stem for path in (DOCS / "pictures").glob("*.png")} == drawn
    assert set(re.findall(r"\(pictures/([\w-]+)\.png\)", PAGE)) == drawn
    shown = re.findall(r"\(docs/pictures/([\w-]+)\.png\)", (DOCS.parent / "README.md").read_text())
    assert len(shown) == 2
    assert set(shown) <= drawn
    assert all(path.stat().st_size < 50_000 for path in (DOCS / "pictures").glob("*.png"))
