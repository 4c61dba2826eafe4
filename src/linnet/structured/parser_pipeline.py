"""From files of trees to a parser, and from files to trees: what the command line and `DependencyParser` share."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from linnet.data.on_error import BadRow, BadRows
from linnet.data.reading import in_order
from linnet.data.sources.chunks import Chunk
from linnet.errors import InputError
from linnet.pipeline.services import Progress, Services
from linnet.structured import jackknife, trainer
from linnet.structured.attachment import Attachment
from linnet.structured.formats import SentenceFormat
from linnet.structured.parse_options import ParseOptions, ParseUpdate, TagSource
from linnet.structured.parser_decoders import Decoder, decoder_named
from linnet.structured.parser_model import ParserModel, ParserRecord, written
from linnet.structured.parser_training import ParserLearner, ParserProblem
from linnet.structured.sentence_files import SentenceDialect, SentenceFiles
from linnet.structured.sentences import Sentences
from linnet.structured.treebank import TagColumns, Treebank, short_enough, treebank, trees_only


def conllu(paths: Sequence[str], encoding: str | None, *, heads: bool) -> SentenceFiles:
    """Files of CoNLL-U; with `heads`, to be trained on or evaluated."""
    return SentenceFiles(paths, SentenceDialect(SentenceFormat.CONLLU, None, encoding, heads=heads))


def read_treebank(
    paths: Sequence[str], options: ParseOptions, rejected: BadRows, services: Services
) -> tuple[TagColumns, Treebank]:
    """The trees of files, and the columns that tags are read from."""
    files = conllu(paths, options.encoding, heads=True)
    services.report(Progress("reading"))
    sentences, long = short_enough(files.all(rejected, services.reading_threads), decoder_of(options).longest)
    for bad in long:
        rejected.add(bad)
    return treebank_of(sentences, options, rejected, services)


def treebank_of(
    sentences: Sentences, options: ParseOptions, rejected: BadRows, services: Services
) -> tuple[TagColumns, Treebank]:
    """The trees of sentences, with gold or predicted tags, and the columns that tags are read from."""
    columns = TagColumns.of(sentences)
    if options.tags is TagSource.PREDICTED:
        sentences, _ = trees_only(sentences, rejected)
        columns = jackknife.predictable(columns)
        sentences = jackknife.jackknifed(sentences, columns, options.seed, services)
    return columns, treebank(sentences, rejected, columns)


def decoder_of(options: ParseOptions) -> Decoder:
    C = options.C if options.update is ParseUpdate.PASSIVE_AGGRESSIVE else 0.0
    return decoder_named(options.decoder, options.beam, early=options.update is ParseUpdate.EARLY, C=C)


def fit(
    bank: Treebank,
    columns: TagColumns,
    options: ParseOptions,
    rejected: int = 0,
    services: Services | None = None,
    checkpoint: str | None = None,
) -> ParserModel:
    """Train a parser on a treebank."""
    decoder = decoder_of(options)
    terms = {**options.decisive(), "trees": _digest(bank)}
    [learner], history = trainer.fit(
        ParserProblem(decoder, bank, options.seed),
        trainer.Settings(options.passes, options.seed),
        services,
        trainer.Checkpoint(checkpoint, options.checkpoint_every, options.resume, terms),
    )
    assert isinstance(learner, ParserLearner)
    record = ParserRecord(len(bank), len(bank.tokens), bank.non_projective, bank.lifted_arcs, rejected, history)
    return ParserModel(decoder, columns, bank.labels, bank.allowed, learner.means(), record)


def _digest(bank: Treebank) -> str:
    digest = hashlib.sha256(repr(bank.labels).encode())
    for array in (bank.tokens, bank.starts, bank.heads, bank.label):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


@dataclass(frozen=True)
class ParsedText:
    """The text of a chunk with its trees, and the sentences of it that could not be read."""

    text: bytes
    sentences: int
    words: int
    bad: tuple[BadRow, ...]
    read: int


def parsed_text(
    model: ParserModel, files: SentenceFiles, rejected: BadRows, threads: int, decoder: Decoder | None = None
) -> Iterator[ParsedText]:
    """All of the files' text, chunk by chunk and in order, with the model's heads and relations in it.

    Everything else (comments, multiword tokens, empty nodes, other columns, sentences that are skipped) is as it was.
    """

    def made(chunk: Chunk) -> ParsedText:
        block = files.parsed(chunk)
        sentences, long = short_enough(block, (decoder or model.decoder).longest)
        text = written(sentences, model.parse(sentences, decoder)) if len(sentences) else bytes(chunk.data)
        return ParsedText(text, len(sentences), sentences.tokens, (*block.bad, *long), block.read)

    for each in in_order(made, files.chunks(), threads):
        rejected.add_block(each.bad, each.sentences)
        yield each


def evaluated(
    model: ParserModel, files: SentenceFiles, rejected: BadRows, threads: int, decoder: Decoder | None = None
) -> Attachment:
    """The attachment scores of a model on files with trees."""
    scores = Attachment()
    for block in files.blocks(rejected, threads):
        sentences, long = short_enough(trees_only(block, rejected)[0], (decoder or model.decoder).longest)
        for bad in long:
            rejected.add(bad)
        if len(sentences):
            scores.add(sentences, model.parse(sentences, decoder))
    if not scores.words:
        more = f": {rejected.first[0]}" if rejected.first else ""
        raise InputError(f"there is no sentence with a tree to compare with{more}")
    return scores
