"""linnet parse: dependency trees from tagged sentences."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.cli import interruption
from linnet.cli.options import AsJson, with_options, without_quarantine
from linnet.cli.show import Display, line, megabytes, percent
from linnet.cli.structures import checkpoint_beside, closed, note_skipped, quarantine_beside
from linnet.cli.terminal import console, plain, print_json
from linnet.pipeline.services import NO_CHECKPOINT, Services
from linnet.structured.parse_options import ParseOptions

if TYPE_CHECKING:
    from linnet.structured.parser_decoders import Decoder
    from linnet.structured.parser_model import ParserModel
    from linnet.structured.sentence_files import SentenceFiles

GROUP = """Dependency parsing: the head of every word, and its relation to it.

Reads and writes CoNLL-U, also compressed. Trains an averaged perceptron over transitions, greedy or with a beam, or
over the arcs of projective trees; predicts, evaluates and draws trees.

\b
Examples:
  linnet parse train en_ewt-ud-train.conllu -o ewt.linnet
  linnet parse predict ewt.linnet new.conllu -o parsed.conllu
  linnet parse evaluate ewt.linnet en_ewt-ud-test.conllu
  linnet parse show new.conllu --model ewt.linnet
"""
Treebanks = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA...",
        help="CoNLL-U files, globs, or - for standard input; also compressed (gz, bz2, xz, zst).",
        show_default=False,
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Argument(metavar="DATA...", help="CoNLL-U files (default: standard input).", show_default=False),
]
Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A parser written by linnet parse train.", show_default=False)
]
Beam = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="The width of the beam (default: as in training).", show_default=False),
]


@with_options(cls=ParseOptions)
def train(
    data: Treebanks,
    options: ParseOptions,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The model file (default: DATA.linnet).", show_default=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print the progress.")] = False,
    json: AsJson = False,
) -> None:
    """Train a parser on trees, and save it.

    Words, the tags UPOS and XPOS, and FEATS are what it sees; HEAD and DEPREL what it predicts. Trees that are not
    projective are lifted for training, and lowered again in prediction. The number of passes is chosen by held-out
    sentences; then all sentences are trained on.

    \b
    Examples:
      linnet parse train en_ewt-ud-train.conllu -o ewt.linnet
      linnet parse train train.conllu.gz --beam 8 --passes 10 -o ewt-beam.linnet
      linnet parse train train.conllu --decoder eisner
    """
    from linnet.cli.train import default_output

    _train(data, options, output or default_output(data), as_json=json, quiet=quiet)


def _train(data: list[str], options: ParseOptions, output: str, *, as_json: bool, quiet: bool) -> None:
    from linnet.cli.train import before_replacing
    from linnet.data.on_error import BadRows
    from linnet.storage.outputs import check_no_input, claimed
    from linnet.structured import parser_file, parser_pipeline

    began = perf_counter()
    checkpoint = checkpoint_beside(output, options)
    before_replacing(output, data, quiet=quiet)
    kept = quarantine_beside(output, options.on_error)
    check_no_input({"the model": output} | ({} if kept is None else {"the quarantine": kept.path}), data)
    display = Display(quiet=quiet or as_json)
    rejected = BadRows(options.on_error, quarantine=kept)
    with interruption.graceful(NO_CHECKPOINT) as stopped, display, claimed([output]), closed(kept):
        services = Services(display.progress, stopped, options.threads, saving=interruption.saving)
        columns, bank = parser_pipeline.read_treebank(data, options, rejected, services)
        display.print(line("read", f"{len(bank):,} sentences, {len(bank.tokens):,} words, {len(bank.labels)} labels"))
        model = parser_pipeline.fit(bank, columns, options, rejected.count, services, checkpoint)
        parser_file.save(model, output)
        if checkpoint is not None:
            with suppress(OSError):
                os.remove(checkpoint)
    seconds = perf_counter() - began
    if as_json:
        print_json(_described(model) | {"seconds": round(seconds, 3), "model": output})
    else:
        _print_trained(model, seconds, output)
        note_skipped(rejected)


@with_options("encoding", "on_error", "threads", cls=ParseOptions)
def predict(
    model: Model,
    options: ParseOptions,
    data: Inputs = None,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The output file.")] = "-",
    beam: Beam = None,
) -> None:
    """Parse sentences: CoNLL-U in, CoNLL-U out, in order, with heads and relations filled in.

    Comments, multiword tokens, empty nodes and all other columns stay as they are.

    \b
    Examples:
      linnet parse predict ewt.linnet new.conllu -o parsed.conllu
      cat new.conllu | linnet parse predict ewt.linnet --beam 8 > parsed.conllu
    """
    from linnet.data.on_error import BadRows
    from linnet.storage.atomic import replacing
    from linnet.storage.outputs import check_no_input, claimed
    from linnet.structured import parser_file, parser_pipeline

    rejected = BadRows(without_quarantine(options.on_error))
    parser = parser_file.load(model)
    paths = data or ["-"]
    files = parser_pipeline.conllu(paths, options.encoding, heads=False)
    check_no_input({"the trees": output}, [model, *files.files.paths])
    threads = Services(threads=options.threads).reading_threads
    with claimed([output]), replacing(output) as out:
        for each in parser_pipeline.parsed_text(parser, files, rejected, threads, _decoder(parser, beam)):
            out.write(each.text)
            out.flush()
    note_skipped(rejected)


@with_options("encoding", "on_error", "threads", cls=ParseOptions)
def evaluate(model: Model, data: Treebanks, options: ParseOptions, beam: Beam = None, json: AsJson = False) -> None:
    """Evaluate a parser on files with trees: attachment scores with 95 % intervals over sentences.

    UAS is the fraction of words with the right head; LAS also asks for the right relation, of which the universal part
    counts (nmod of nmod:poss), as in the scorer of the CoNLL 2018 shared task; both also without punctuation.

    \b
    Examples:
      linnet parse evaluate ewt.linnet en_ewt-ud-test.conllu
      linnet parse evaluate ewt.linnet en_ewt-ud-test.conllu --beam 16 --json
    """
    from linnet.data.on_error import BadRows
    from linnet.structured import parser_file, parser_pipeline

    rejected = BadRows(without_quarantine(options.on_error))
    parser = parser_file.load(model)
    files = parser_pipeline.conllu(data, options.encoding, heads=True)
    threads = Services(threads=options.threads).reading_threads
    found = parser_pipeline.evaluated(parser, files, rejected, threads, _decoder(parser, beam)).as_dict()
    if json:
        print_json(found | {"rejected_sentences": rejected.count})
    else:
        _print_scores(found)
        note_skipped(rejected)


def show(
    data: Treebanks,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Draw the trees of this parser, not those of the file."),
    ] = None,
    sentence: Annotated[int, typer.Option(min=1, metavar="N", help="The first sentence to draw, counted from 1.")] = 1,
    count: Annotated[int, typer.Option(min=1, metavar="N", help="How many sentences to draw.")] = 1,
) -> None:
    """Draw dependency trees in the terminal: those of a file, or those that a parser gives its sentences.

    \b
    Examples:
      linnet parse show en_ewt-ud-dev.conllu --sentence 4
      linnet parse show new.conllu --model ewt.linnet --count 3
    """
    from linnet.structured import parser_file, parser_pipeline

    parser = None if model is None else parser_file.load(model)
    _draw(parser_pipeline.conllu(data, None, heads=parser is None), parser, sentence, count)


commands = (train, predict, evaluate, show)


def inspected(path: str, data: list[str], row: int, *, as_json: bool) -> None:
    """What linnet inspect shows of a parser: how it was trained; with data, the tree of one sentence."""
    from linnet.structured import parser_file, parser_pipeline

    parser = parser_file.load(path)
    if data:
        files = parser_pipeline.conllu(data, None, heads=False)
        if as_json:
            tree = next(_trees(files, parser, row, 1))
            print_json({"sentence": row, "words": [
                {"word": word, "head": head, "relation": relation} for word, head, relation in zip(*tree, strict=True)
            ]})  # fmt: skip
        else:
            _draw(files, parser, row, 1)
    elif as_json:
        print_json(_described(parser) | {"relations": list(parser.relations)})
    else:
        _print_model(parser)
        console().print(line("relations", plain(", ".join(parser.relations))))


def _decoder(parser: ParserModel, beam: int | None) -> Decoder | None:
    """The decoder with another beam, if one is asked for."""
    from linnet.structured.parser_decoders import decoder_named

    return None if beam is None else decoder_named(parser.decoder.name, beam, parser.decoder.templates)


def _draw(files: SentenceFiles, parser: ParserModel | None, first: int, count: int) -> None:
    from linnet.structured.tree_drawing import drawn

    out = console()
    for tree in _trees(files, parser, first, count):
        for lead, word, relation in drawn(*tree):
            out.print(f"[dim]{lead}[/]{plain(word)}  [green]{plain(relation)}[/]")
        out.print("")


def _trees(
    files: SentenceFiles, parser: ParserModel | None, first: int, count: int
) -> Iterator[tuple[list[str], list[int], list[str]]]:
    """The words, heads and relations of some sentences, as the file has them, or as the parser gives them."""
    import numpy as np

    from linnet.data.on_error import BadRows, OnError
    from linnet.errors import InputError

    before = 0
    for block in files.blocks(BadRows(OnError.FAIL)):
        for number in range(max(0, first - 1 - before), min(len(block), first - 1 + count - before)):
            which = np.zeros(len(block), dtype=bool)
            which[number] = True
            one = block.keep(which)
            words = one.sentence(0, one.column("form"))
            if parser is None:
                assert one.heads is not None
                yield words, one.heads.tolist(), one.sentence(0, one.column("deprel"))
            else:
                trees = parser.parse(one)
                yield words, trees.heads.tolist(), [trees.relations[each] for each in trees.relation]
        before += len(block)
        if before >= first - 1 + count:
            return
    if before < first:
        raise InputError(f"there are {before:,} sentences, so there is no sentence {first:,} to draw")


def _described(model: ParserModel) -> dict[str, Any]:
    from linnet.storage.typed_json import to_plain

    history = model.record.history
    return {
        "decoder": model.decoder.name,
        "beam": model.decoder.beam,
        "labels": len(model.labels),
        "features": len(model.rows[0]),
        "weights": len(model.rows[3]),
        "passes": history.passes,
        "held_out_las": history.held_out_score,
        "record": to_plain(model.record),
    }


def _print_trained(model: ParserModel, seconds: float, output: str) -> None:
    _print_model(model)
    out = console()
    out.print(line("time", f"{seconds:.1f} s"))
    out.print(line("model", f"{plain(output)}  [dim]{megabytes(os.path.getsize(output))}[/]"))


def _print_model(model: ParserModel) -> None:
    out = console()
    record, history = model.record, model.record.history
    kind = "exact search over projective trees (Eisner)"
    if model.decoder.name == "transition":
        beam = model.decoder.beam
        kind = "arc-hybrid transitions, " + ("greedy, dynamic oracle" if beam == 1 else f"beam of {beam}")
    out.print(line("trained", f"{kind}; {record.sentences:,} sentences"))
    for text in history.lines():
        out.print(line("", f"[dim]{plain(text)}[/]"))
    if record.non_projective:
        out.print(
            line("", f"[dim]{record.non_projective:,} trees were not projective: {record.lifted_arcs:,} arcs lifted[/]")
        )
    if history.held_out_score is not None:
        out.print(line("held-out", f"LAS {percent(history.held_out_score)} [dim]with full relations[/]"))
    out.print(line("features", f"{len(model.rows[0]):,} with {len(model.rows[3]):,} weights"))


def _print_scores(found: dict[str, Any]) -> None:
    from rich.table import Table

    out = console()
    out.print(f"{found['sentences']:,} sentences, {found['words']:,} words")
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in ("all words", "95 % interval", "without punctuation", "95 % interval"):
        table.add_column(name, justify="right")
    titles = {"uas": "UAS", "las": "LAS", "las_full": "LAS, full relations"}
    for name, title in titles.items():
        cells = []
        for key in (name, f"{name}_without_punctuation"):
            interval = found[f"{key}_interval"]
            cells.append("–" if found[key] is None else f"{100 * found[key]:.2f}")
            cells.append("" if interval is None else f"{100 * interval[0]:.2f} to {100 * interval[1]:.2f}")
        table.add_row(title, *cells)
    out.print(table)
    out.print(f"[dim]{percent(found['exact_trees'])} of the trees are right in every arc and relation[/]")
