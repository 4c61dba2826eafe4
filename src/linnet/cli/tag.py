"""linnet tag: sequence taggers, trained on sentences with tags, and what they predict."""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from linnet.cli import interruption
from linnet.cli.options import AsJson, with_options, without_quarantine
from linnet.cli.show import Display, count, line, megabytes, percent
from linnet.cli.structures import checkpoint_beside, closed, note_skipped, quarantine_beside
from linnet.cli.tag_inspect import mistakes_of, mistakes_text
from linnet.cli.terminal import console, plain, print_json
from linnet.cli.train import before_replacing, default_output
from linnet.pipeline.services import NO_CHECKPOINT, Services
from linnet.structured.tag_options import TagOptions

if TYPE_CHECKING:
    from linnet.structured.tagger import Tagger
    from linnet.structured.tagger_training import TaggedSentences
    from linnet.structured.templates import Templates

GROUP = """Sequence tagging: parts of speech, chunks, entities.

Reads CoNLL-U, column files (CoNLL-2000, 2002, 2003), word/TAG, word_TAG, JSON Lines with tokens and tags, also
compressed; predicts plain text, too.

\b
Examples:
  linnet tag train en_ewt-ud-train.conllu.gz -o pos.linnet
  linnet tag evaluate pos.linnet en_ewt-ud-test.conllu.gz
  echo 'Time flies like an arrow .' | linnet tag predict pos.linnet
"""

Sentences = Annotated[
    list[str],
    typer.Argument(
        help="Files of sentences, globs, or - for standard input: CoNLL-U, columns, word/TAG, word_TAG, or JSON Lines "
        "with tokens and tags; also compressed (gz, bz2, xz, zst).",
        metavar="DATA...",
        show_default=False,
    ),
]
TaggerPath = Annotated[
    str, typer.Argument(metavar="MODEL", help="A tagger written by linnet tag train.", show_default=False)
]
READING = ("word", "format", "separator", "encoding", "on_error", "threads")


@with_options(cls=TagOptions)
def train(
    data: Sentences,
    options: TagOptions,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The model file (default: DATA.linnet).", show_default=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print the plan and the progress.")] = False,
    json: AsJson = False,
) -> None:
    """Train a tagger on sentences with tags, and save it.

    An averaged structured perceptron with exact decoding (Collins 2002). Format, tag scheme and features are chosen by
    looking at the data; the number of passes by sentences that are held out for that, after which all are trained on.

    \b
    Examples:
      linnet tag train en_ewt-ud-train.conllu.gz
      linnet tag train conll2000-train.txt.gz -o chunks.linnet
      linnet tag train esp.train --word 1 --target last --gazetteer city=cities.txt
      linnet tag train brown.txt --format slash --update passive-aggressive
    """
    from linnet.data.on_error import BadRows
    from linnet.storage.outputs import check_no_input, claimed
    from linnet.structured.tag_files import train_from_files
    from linnet.structured.tagger_file import save

    began = perf_counter()
    output = output or default_output(data)
    checkpoint = checkpoint_beside(output, options)
    before_replacing(output, data, quiet=quiet)
    display = Display(quiet=quiet or json)
    kept = quarantine_beside(output, options.on_error)
    rejected = BadRows(options.on_error, quarantine=kept)
    check_no_input({"the model": output} | ({} if kept is None else {"the quarantine": kept.path}), data)
    with interruption.graceful(NO_CHECKPOINT) as stopped, display, claimed([output]), closed(kept):
        services = Services(display.progress, stopped, options.threads, saving=interruption.saving)
        tagger = train_from_files(
            data, options, rejected, services, checkpoint, lambda *plan: _print_plan(display, *plan)
        )
        save(tagger, output)
    seconds = perf_counter() - began
    if json:
        print_json(_described(tagger) | {"seconds": round(seconds, 3), "model": output})
    else:
        _print_trained(tagger, seconds, output)
    note_skipped(rejected)


@with_options(*READING, cls=TagOptions)
def predict(
    model: TaggerPath,
    options: TagOptions,
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATA...",
            help="Sentences as for train, or plain text: a sentence a line, tokens separated by blanks (default: "
            "standard input).",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The output file; - is standard output.")
    ] = "-",
    margins: Annotated[
        bool,
        typer.Option(
            "--margins", help="How sure each tag is: by how much the best sequence with another tag there scores less."
        ),
    ] = False,
    scheme: Annotated[
        str | None,
        typer.Option(
            "--scheme",
            metavar="iob1|iob2|iobes|bilou|bmes",
            help="How to write spans (default: as in training).",
            show_default=False,
        ),
    ] = None,
    best: Annotated[
        int, typer.Option("--best", metavar="K", min=1, max=1000, help="The K best sequences of tags, as JSON Lines.")
    ] = 1,
) -> None:
    """Tag sentences, in order; the output is the input with the tags in it.

    CoNLL-U keeps everything else (comments, multiword tokens, empty nodes); column files get the tag as another
    column, so that conlleval can compare it; word/TAG its new tag, plain text becomes word/TAG; JSON Lines get tokens
    and tags.

    \b
    Examples:
      linnet tag predict pos.linnet new.conllu.gz -o tagged.conllu
      echo 'Time flies like an arrow .' | linnet tag predict pos.linnet
      linnet tag predict chunks.linnet test.txt --margins | awk '$NF < 1'
      linnet tag predict pos.linnet new.txt --best 3
      linnet tag predict entities.linnet new.txt --scheme iobes
    """
    from linnet.data.on_error import BadRows
    from linnet.storage.atomic import replacing
    from linnet.storage.outputs import check_no_input, claimed
    from linnet.structured.sentence_files import SentenceFiles
    from linnet.structured.tag_files import dialect_of, predictions
    from linnet.structured.tagger_file import load

    tagger = load(model)
    if scheme is not None:
        tagger = tagger.written_in(scheme)
    paths = data or ["-"]
    files = SentenceFiles(paths, dialect_of(options), to_predict=True, more_columns=bool(tagger.templates.columns))
    rejected = BadRows(without_quarantine(options.on_error))
    check_no_input({"the predictions": output}, [model, *files.files.paths])
    threads = options.threads or Services().reading_threads
    with claimed([output]), replacing(output) as out:
        for made in predictions(tagger, files, rejected, word=options.word, threads=threads, margins=margins, k=best):
            out.write(made)
            out.flush()
    note_skipped(rejected)


@with_options("target", *READING, cls=TagOptions)
def evaluate(model: TaggerPath, data: Sentences, options: TagOptions, json: AsJson = False) -> None:
    """Evaluate a tagger on sentences with true tags: figures with 95 % intervals over sentences.

    Prints the accuracy on tokens and on words that training did not have; of spans precision, recall and F1 by type,
    exactly as conlleval counts them.

    \b
    Examples:
      linnet tag evaluate pos.linnet en_ewt-ud-test.conllu.gz
      linnet tag evaluate chunks.linnet conll2000-test.txt.gz --json
    """
    from linnet.data.on_error import BadRows
    from linnet.structured.tag_files import evaluate as evaluated
    from linnet.structured.tagger_file import load

    rejected = BadRows(without_quarantine(options.on_error))
    result = evaluated(load(model), data, options, rejected, Services(threads=options.threads))
    if json:
        print_json(result)
    else:
        _print_figures(result)
    note_skipped(rejected)


commands = (train, predict, evaluate)


def _print_plan(
    display: Display, tagged: TaggedSentences, templates: Templates | None, columns: tuple[str, ...]
) -> None:
    """What will be trained on, before it starts."""
    sentences = tagged.sentences
    display.print(line("sentences", f"{len(sentences):,} with {sentences.tokens:,} tokens"))
    display.print(line("words", plain(tagged.word)))
    spans = tagged.scheme != "none"
    what = f"spans in {tagged.scheme.upper()}, decoded as IOBES" if spans else "tags of words"
    display.print(line("tags", f"{plain(tagged.target)}  [dim]{len(tagged.tags)} different, {what}[/]"))
    beside = f" and of {plain(', '.join(columns))}" if columns else ""
    of = "templates of the file" if templates is not None else "default templates"
    display.print(line("features", f"of words{beside}  [dim]{of}[/]"))


def _described(tagger: Tagger) -> dict[str, Any]:
    """The results of training, for machines."""
    history = tagger.record.history
    return {
        "sentences": tagger.record.sentences,
        "tokens": tagger.record.tokens,
        "tags": list(tagger.outputs),
        "scheme": str(tagger.scheme),
        "order": tagger.order,
        "features": len(tagger.keys),
        "weights": len(tagger.weights),
        "templates": list(tagger.templates.texts),
        "passes": history.passes,
        "margin": tagger.record.margin,
        "held_out_sentences": history.held_out_examples,
        "held_out": {"metric": tagger.record.metric, "value": history.held_out_score},
        "rejected_sentences": tagger.record.rejected,
        "mistakes": mistakes_of(tagger),
    }


def _print_trained(tagger: Tagger, seconds: float, output: str) -> None:
    out, record = console(), tagger.record
    size = f"{record.sentences:,} sentences, {record.tokens:,} tokens"
    out.print(line("trained", f"averaged perceptron on {size} in {seconds:.1f} s"))
    for number, text in enumerate(record.history.lines(record.missed)):
        out.print(line("" if number else "passes", text))
    if record.margin_text is not None:
        out.print(line("margin", record.margin_text))
    if record.mistakes is not None:
        out.print(line("mistakes", mistakes_text(record.mistakes)))
    if record.history.held_out_score is not None:
        figure = f"{record.metric} {percent(record.history.held_out_score)}"
        out.print(line("held-out", f"{figure}  [dim]optimistic by a little: it chose the passes[/]"))
    out.print(line("weights", f"{len(tagger.weights):,} for {len(tagger.keys):,} features"))
    size = f"  [dim]{megabytes(os.path.getsize(output))}[/]" if os.path.isfile(output) else ""
    out.print(line("model", f"{plain(output)}{size}"))


def _print_figures(result: dict[str, Any]) -> None:
    out = console()
    for name, title in (
        ("f1", "F1"), ("precision", "precision"), ("recall", "recall"), ("accuracy", "accuracy"),
        ("unknown_accuracy", "unknown words"),
    ):  # fmt: skip
        if result.get(name) is None or (name == "f1" and "precision" not in result):
            continue
        low, high = result.get(f"{name}_interval", (None, None))
        interval = "no interval" if low is None else f"95 % interval {percent(low)} to {percent(high)}"
        of = {
            "accuracy": f" of {result['tokens']:,} tokens",
            "unknown_accuracy": f" of {result['unknown_words']:,}, which training did not have",
            "f1": f" of spans, in {result['sentences']:,} sentences",
        }.get(name, "")
        out.print(line(title, f"{percent(result[name])}{of}  [dim]{interval}[/]"))
    spans = "per_type" in result
    table = Table(box=None, pad_edge=False)
    table.add_column("type" if spans else "tag")
    for name in ("precision", "recall", "F1", "spans" if spans else "tokens"):
        table.add_column(name, justify="right")
    for tag, each in result["per_type" if spans else "per_tag"].items():
        figures = ["–" if each[name] is None else f"{100 * each[name]:.2f}" for name in ("precision", "recall", "f1")]
        table.add_row(plain(tag), *figures, count(each["spans" if spans else "tokens"]))
    out.print(table)
