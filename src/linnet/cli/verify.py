"""linnet verify: does a model's certificate hold on the data?"""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.markup import escape

from linnet.data.on_error import OnError
from linnet.data.reading import Rejected
from linnet.data.sources.formats import Format
from linnet.errors import CertificateError, RecipeError
from linnet.model.model import load
from linnet.pipeline.verify import Verdict, verify


def run(path: str, data: list[str], form: Format | None, on_error: OnError, *, as_json: bool) -> None:
    """Work the certificate out again; an error if it does not hold."""
    verdict = verify(load(path), data, form, Rejected(on_error))
    if as_json:
        print(json.dumps(_described(verdict), ensure_ascii=False, indent=2))
    elif verdict.holds:
        console = Console(highlight=False, soft_wrap=True)
        console.print(f"[bold]holds[/]  {escape(str(verdict.stated))}")
    if not verdict.holds:
        if verdict.stated.reason:
            raise RecipeError(f"{path}: there is no certificate to check: {verdict.why}")
        raise CertificateError(f"{path}: the certificate does not hold: {verdict.why}")


def _described(verdict: Verdict) -> dict[str, Any]:
    found = verdict.found
    return {
        "holds": verdict.holds,
        "why": verdict.why,
        "stated": verdict.stated.as_dict(),
        "found": None if found is None else found.as_dict(),
    }
