"""linnet inspect, for taggers: how one was trained, its top features, and why tokens got their tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.cli.show import line, percent
from linnet.cli.terminal import console, plain, print_json, shortened
from linnet.errors import InputError

if TYPE_CHECKING:
    from linnet.structured.mistakes import MistakeBound
    from linnet.structured.tagger import Tagger

# Reasons of a token that are printed in its line.
REASONS = 4


def run(path: str, data: list[str], number: int, top: int, pattern: str | None, *, as_json: bool) -> None:
    """Show a tagger; with data, explain the tags of one sentence."""
    from linnet.structured.tagger_file import load

    tagger = load(path)
    if data:
        _explain(tagger, data, number, top, as_json=as_json)
    elif as_json:
        print_json(_contents(tagger, top, pattern))
    else:
        _print_contents(tagger, _contents(tagger, top, pattern))


def _contents(tagger: Tagger, top: int, pattern: str | None) -> dict[str, Any]:
    from linnet.structured.tag_explanation import matching, top_features, top_transitions, top_trigrams

    record, history = tagger.record, tagger.record.history
    report: dict[str, Any] = {
        "structure": "tagger",
        "tags": list(tagger.outputs),
        "scheme": str(tagger.scheme),
        "order": tagger.order,
        "word": tagger.word,
        "target": tagger.target,
        "columns": list(tagger.templates.columns),
        "templates": list(tagger.templates.texts),
        "features": len(tagger.keys),
        "weights": len(tagger.weights),
        "sentences": record.sentences,
        "tokens": record.tokens,
        "options": record.options,
        "passes": history.passes,
        "margin": record.margin,
        "held_out_sentences": history.held_out_examples,
        "held_out": {"metric": record.metric, "value": history.held_out_score},
    }
    if record.mistakes is not None:
        report["mistakes"] = mistakes_of(tagger)
    if pattern is not None:
        report["weights_of_features"] = [
            {"feature": name, "weights": weights} for name, weights in matching(tagger, pattern, top)
        ]
        return report
    report["top_features"] = {
        tag: [{"feature": name, "weight": weight} for name, weight in found]
        for tag, found in top_features(tagger, top).items()
    }
    report["top_transitions"] = [
        {"before": before, "after": after, "weight": weight} for before, after, weight in top_transitions(tagger, top)
    ]
    if tagger.order == 2:
        report["top_trigrams"] = [{"tags": list(tags), "weight": weight} for *tags, weight in top_trigrams(tagger, top)]
    return report


def mistakes_of(tagger: Tagger) -> dict[str, Any] | None:
    """Mistakes beside their bound, for machines; None where training was not without mistakes at its end."""
    found = tagger.record.mistakes
    if found is None:
        return None
    return {"sentences": found.mistakes, "bound": found.bound, "radius": found.radius, "margin": found.margin,
            "allowance": found.allowance}  # fmt: skip


def mistakes_text(found: MistakeBound) -> str:
    """Mistakes beside their bound."""
    formula, near = "(R/γ)²", ""
    if found.allowance:
        formula, near = "(R² + 2ρn)/γ²", " with mistakes or within the margin"
    return (
        f"{found.mistakes:,} sentences{near} in all passes, none in the last; at most {formula} = {found.bound:.3g} "
        f"were possible  [dim]R {found.radius:.4g}, γ {found.margin:.3g} (Collins 2002)[/]"
    )


def _print_contents(tagger: Tagger, report: dict[str, Any]) -> None:
    out = console()
    what = f"{len(report['tags'])} tags, scheme {report['scheme']}, order {report['order']}"
    out.print(line("tagger", f"of {plain(report['target'])}, {what}"))
    out.print(line("trained on", f"{report['sentences']:,} sentences, {report['tokens']:,} tokens"))
    for text in tagger.record.history.lines(tagger.record.missed):
        out.print(line("", text))
    if tagger.record.margin_text is not None:
        out.print(line("margin", tagger.record.margin_text))
    if tagger.record.mistakes is not None:
        out.print(line("mistakes", mistakes_text(tagger.record.mistakes)))
    value = report["held_out"]["value"]
    if value is not None:
        out.print(line("held-out", f"{plain(report['held_out']['metric'])} {percent(value)}"))
    out.print(line("weights", f"{report['weights']:,} for {report['features']:,} features"))
    if "weights_of_features" in report:
        for each in report["weights_of_features"]:
            weights = "  ".join(f"{plain(tag)} [dim]{weight:+.3g}[/]" for tag, weight in each["weights"].items())
            out.print(f"  {plain(shortened(each['feature']))}: {weights}")
        return
    out.print("[bold]top features[/]")
    for tag, found in report["top_features"].items():
        listed = "  ".join(f"{plain(shortened(each['feature']))} [dim]{each['weight']:+.3g}[/]" for each in found)
        out.print(f"  [green]{plain(tag)}[/]: {listed or '[dim]none[/]'}")
    out.print("[bold]top transitions[/]")
    listed = "  ".join(
        f"{plain(each['before'])} {plain(each['after'])} [dim]{each['weight']:+.3g}[/]"
        for each in report["top_transitions"]
    )
    out.print(f"  {listed}")
    if "top_trigrams" in report:
        out.print("[bold]top trigrams of tags[/]")
        for each in report["top_trigrams"]:
            out.print(f"  {plain(' '.join(each['tags']))} [dim]{each['weight']:+.3g}[/]")


def _explain(tagger: Tagger, data: list[str], number: int, top: int, *, as_json: bool) -> None:
    from linnet.data.on_error import BadRows
    from linnet.structured.sentence_files import SentenceDialect, SentenceFiles
    from linnet.structured.tag_explanation import explained
    from linnet.structured.tag_files import word_of

    files = SentenceFiles(data, SentenceDialect(), to_predict=True, more_columns=bool(tagger.templates.columns))
    word = word_of(tagger, files, None)
    files.only(word, *tagger.templates.columns)
    before = 0
    for block in files.blocks(BadRows()):
        if number - 1 < before + len(block):
            found = explained(tagger, block, word, number - 1 - before, top)
            break
        before += len(block)
    else:
        raise InputError(f"there is no sentence {number}: there are {before:,}")
    if as_json:
        print_json({"sentence": number, "tokens": [each.as_dict() for each in found]})
        return
    out = console()
    out.print(line("sentence", f"{number}  [dim]tag, margin, and what speaks for the tag more than for its rival[/]"))
    for each in found:
        reasons = "  ".join(
            f"{plain(shortened(name, 40))} [dim]{value:+.3g}[/]" for name, value in each.reasons[:REASONS]
        )
        rival = "" if each.rival is None else f" [dim]not {plain(each.rival)}, by {each.margin:.3g}[/]"
        out.print(f"  [bold]{plain(shortened(each.word, 30))}[/] [green]{plain(each.tag)}[/]{rival}: {reasons}")
