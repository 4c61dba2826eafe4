"""linnet verify: does a model's certificate hold on the data?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.cli.options import FILES, AsJson, Data, ModelPath, with_options, without_quarantine
from linnet.cli.terminal import console, plain, print_json
from linnet.errors import CertificateError, RecipeError
from linnet.pipeline.options import TrainOptions

if TYPE_CHECKING:
    from linnet.pipeline.verify import Verdict


@with_options(*FILES, "on_error")
def command(model: ModelPath, data: Data, options: TrainOptions, json: AsJson = False) -> None:
    """Verify a model's certificate on the data it was trained on; exit with 5 if it does not hold.

    The certificate is computed again from the model's weights and the data: a duality gap, or the margin and mistake
    bound of a separating plane. See linnet separable for a proof about data without a model.

    \b
    Examples:
      linnet train reviews.jsonl.gz --target label -o reviews.linnet
      linnet verify reviews.linnet reviews.jsonl.gz
      linnet verify reviews.linnet reviews.jsonl.gz --json
    """
    run(model, data, options, as_json=json)


def run(path: str, data: list[str], options: TrainOptions, *, as_json: bool) -> None:
    """Compute the certificate again; raise an error if it does not hold."""
    from linnet.data.on_error import BadRows
    from linnet.model.file import load
    from linnet.pipeline.verify import verify

    verdict = verify(load(path), data, options.form, BadRows(without_quarantine(options.on_error)))
    if as_json:
        print_json(_described(verdict))
    elif verdict.holds:
        console().print(f"[bold]holds[/]  {plain(str(verdict.stated))}")
    if not verdict.holds:
        if verdict.stated.reason:
            raise RecipeError(f"{path} has no certificate to verify: {verdict.why}")
        raise CertificateError(f"{path}: the certificate does not hold: {verdict.why}")


def _described(verdict: Verdict) -> dict[str, Any]:
    found = verdict.found
    return {
        "holds": verdict.holds,
        "why": verdict.why,
        "stated": verdict.stated.as_dict(),
        "found": None if found is None else found.as_dict(),
    }
