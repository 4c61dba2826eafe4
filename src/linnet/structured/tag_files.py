"""Taggers and files: training from them, tagging them, and evaluation, in order and in streams."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.on_error import BadRows
from linnet.data.reading import in_order
from linnet.data.sources.chunks import Chunk
from linnet.data.sources.files import decoded
from linnet.data.sources.readers import read_errors
from linnet.errors import InputError, listed, option
from linnet.kernels.structured_splicing import spliced
from linnet.kernels.tagging_features import field_hashes
from linnet.pipeline.services import Progress, Services
from linnet.structured.formats import SentenceFormat
from linnet.structured.gazetteers import entry_of, normal_lists
from linnet.structured.json_sentences import objects_with_tags
from linnet.structured.sentence_files import SentenceDialect, SentenceFiles
from linnet.structured.sentences import Sentences
from linnet.structured.tag_evaluation import TagTally
from linnet.structured.tag_options import TagOptions
from linnet.structured.tag_schemes import is_span_tag
from linnet.structured.tagger import Tagger, TagRunner
from linnet.structured.tagger_training import TaggedSentences, tag_codes, train_tagger
from linnet.structured.templates import Templates, read_templates
from linnet.structured.token_atoms import WordLists
from linnet.structured.trainer import Checkpoint

NOT_OF_SPANS = "the tag {!r} is neither O nor of the form B-TYPE, which the tags of this tagger are"
TARGETS = {SentenceFormat.CONLLU: "upos", SentenceFormat.JSONL: "tags"}


def dialect_of(options: TagOptions) -> SentenceDialect:
    return SentenceDialect(options.format, options.separator, options.encoding)


def target_of(files: SentenceFiles, given: str | None) -> str:
    """The column of the tags."""
    default = TARGETS.get(files.format, "last")
    found = files.named(given or default)
    if given is None and len(files.columns) < 2:
        raise InputError(f"{files.files.name(0)}: there is one column only, so there are no tags in it")
    return found


def _others(files: SentenceFiles, options: TagOptions, word: str, target: str) -> tuple[str, ...]:
    """The columns beside word and tag that features are made of."""
    if options.columns is None:
        every = files.columns if files.format is SentenceFormat.COLUMNS else ()
    else:
        every = () if options.columns == ("none",) else tuple(files.named(each) for each in options.columns)
    if target in every and options.columns is not None:
        raise InputError(f"{target} is the column of the tags: it cannot be a feature")
    return tuple(dict.fromkeys(name for name in every if name not in (word, target)))


def _lines(path: str) -> list[str]:
    with read_errors(path), open(path, "rb") as file:
        return decoded(file.read()).splitlines()


def _lists(options: TagOptions) -> WordLists:
    """The words of files of clusters and lists."""
    clusters: dict[str, str] = {}
    if options.clusters is not None:
        for number, line in enumerate(_lines(options.clusters), 1):
            parts = line.split("\t") if "\t" in line else line.split()
            if not line.strip():
                continue
            bits = next((each for each in parts[:2] if each and not each.strip("01")), None)
            if len(parts) < 2 or bits is None:
                raise InputError(f"{options.clusters}:{number}: not BITS and WORD, such as 0110<TAB>the")
            clusters[parts[1] if bits is parts[0] else parts[0]] = bits
    return WordLists(clusters, normal_lists({name: _entries(path) for name, path in options.gazetteer.items()}))


def _entries(path: str) -> list[str]:
    """The entries of a gazetteer, one a line."""
    found = []
    for number, line in enumerate(_lines(path), 1):
        try:
            found.append(entry_of(line))
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from None
    return found


def train_from_files(
    paths: Sequence[str | os.PathLike[str]],
    options: TagOptions,
    rejected: BadRows,
    services: Services | None = None,
    checkpoint: str | None = None,
    planned: Callable[[TaggedSentences, Templates | None, tuple[str, ...]], None] | None = None,
) -> Tagger:
    """Read all sentences and train a tagger on them; `planned` is called when it is known what is trained."""
    services = services or Services()
    files = SentenceFiles(paths, dialect_of(options))
    word = files.named(options.word) if options.word else files.word_column
    target = target_of(files, options.target)
    if word == target:
        raise InputError(f"{files.files.name(0)}: {word} would be both the words and the tags: name the columns")
    columns = _others(files, options, word, target)
    files.only(word, target, *columns)
    sentences = files.all(rejected, services.reading_threads)
    services.check_stopped()
    tagged = TaggedSentences.of(sentences, word, target, options.scheme)
    templates = None if options.templates is None else read_templates(_lines(options.templates), columns)
    if planned is not None:
        planned(tagged, templates, columns)
    terms = {"options": options.decisive(), "input": hashlib.sha256(sentences.data.tobytes()).hexdigest()}
    kept = Checkpoint(checkpoint, options.checkpoint_every, options.resume, terms)
    tagger = train_tagger(
        tagged, options, templates=templates, lists=_lists(options), columns=columns, services=services, checkpoint=kept
    )
    tagger.record.format = str(files.format)
    tagger.record.rejected = rejected.count
    if checkpoint is not None:
        with suppress(OSError):
            os.remove(checkpoint)
    return tagger


class _Runners:
    """Runners of one tagger, each used by one thread at a time."""

    def __init__(self, tagger: Tagger) -> None:
        self._tagger = tagger
        self._idle: SimpleQueue[TagRunner] = SimpleQueue()

    def run(self, work: Callable[[TagRunner], Any]) -> Any:
        runner = TagRunner(self._tagger) if self._idle.empty() else self._idle.get()
        try:
            return work(runner)
        finally:
            self._idle.put(runner)


def word_of(tagger: Tagger, files: SentenceFiles, given: str | None) -> str:
    """The column of the words in files that may be of another format than those of training."""
    if given is not None:
        return files.named(given)
    return tagger.word if tagger.word in files.columns else files.word_column


def _tagged(
    tagger: Tagger, files: SentenceFiles, threads: int, make: Callable[[TagRunner, Sentences, Chunk], Any]
) -> Iterator[tuple[Sentences, Any]]:
    runners = _Runners(tagger)

    def work(chunk: Chunk) -> tuple[Sentences, Any]:
        block = files.parsed(chunk)
        return block, runners.run(lambda runner: make(runner, block, chunk))

    yield from in_order(work, files.chunks(), threads)


def predictions(
    tagger: Tagger,
    files: SentenceFiles,
    rejected: BadRows,
    *,
    word: str | None = None,
    threads: int = 1,
    margins: bool = False,
    k: int = 1,
) -> Iterator[bytes]:
    """The files with their tags, block after block: a sentence that cannot be read stays as it is, if it is skipped."""
    column = word_of(tagger, files, word)
    files.only(column, *tagger.templates.columns)
    texts = [tag.encode() for tag in tagger.outputs]

    def make(runner: TagRunner, block: Sentences, chunk: Chunk) -> bytes:
        if files.format is SentenceFormat.JSONL:
            key = tagger.target if tagger.record.format == SentenceFormat.JSONL else "tags"
            return objects_with_tags(chunk, block, key, _found(tagger, runner, block, column, margins=margins, k=k))
        if k > 1:
            return _json_lines(block, column, _found(tagger, runner, block, column, margins=margins, k=k))
        codes, gaps = runner.decoded(block, column, margins=margins)
        numbers = tagger.output_codes(codes, block.starts)
        if margins:
            return _with_margins(block, files, texts, numbers, gaps, tagger.target)
        return spliced_tags(block, files, texts, numbers, tagger.target)

    for block, made in _tagged(tagger, files, threads, make):
        rejected.add_block(block.bad, len(block))
        yield made


def _places(
    block: Sentences, files: SentenceFiles, target: str
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], bytes]:
    """Where tags go in the text: in the place of the tag, or behind the last column, with what stands before them."""
    replaced = files.format in (SentenceFormat.CONLLU, SentenceFormat.SLASH, SentenceFormat.UNDERSCORE)
    if replaced:
        name = target if target in block.columns else TARGETS.get(files.format, "tag")
        column = block.column(name)
        return np.ascontiguousarray(block.begins[:, column]), np.ascontiguousarray(block.ends[:, column]), b""
    ends = np.ascontiguousarray(block.ends[:, -1])
    return ends, ends, b"/" if files.format is SentenceFormat.TEXT else bytes([files.separator])


def spliced_tags(
    block: Sentences, files: SentenceFiles, texts: list[bytes], numbers: NDArray[np.int32], target: str
) -> bytes:
    froms, tos, before = _places(block, files, target)
    pieces = [before + text for text in texts]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in pieces])]).astype(np.int64)
    joined = np.frombuffer(b"".join(pieces), dtype=np.uint8)
    out: NDArray[np.uint8] = spliced(block.data, froms, tos, np.ascontiguousarray(numbers), joined, starts)
    return out.tobytes()


def _with_margins(
    block: Sentences,
    files: SentenceFiles,
    texts: list[bytes],
    numbers: NDArray[np.int32],
    gaps: NDArray[np.float32],
    target: str,
) -> bytes:
    """Each tag with its margin behind it, in a column of its own."""
    if files.format not in (SentenceFormat.COLUMNS,):
        raise InputError("--margins is for columns and JSON Lines: other formats have no place for them")
    between = bytes([files.separator])
    pairs = zip(numbers.tolist(), gaps.tolist(), strict=True)
    pieces = [texts[code] + between + b"%.4g" % gap for code, gap in pairs]
    return spliced_tags(block, files, pieces, np.arange(len(pieces), dtype=np.int32), target)


def _found(
    tagger: Tagger, runner: TagRunner, block: Sentences, column: str, *, margins: bool, k: int
) -> list[dict[str, Any]]:
    """For each sentence its tags, and, if asked for, their margins, or the best sequences with their scores."""
    if k > 1:
        every = []
        for sequences, scores in runner.best(block, column, k):
            best = [{"tags": tags, "score": round(score, 4)} for tags, score in zip(sequences, scores, strict=True)]
            tags = best[0]["tags"] if best else []  # the dictionary may leave no sequence that is allowed
            every.append({"tags": tags, "best": best})
        return every
    codes, gaps = runner.decoded(block, column, margins=margins)
    names = [tagger.outputs[code] for code in tagger.output_codes(codes, block.starts).tolist()]
    bounds = list(pairwise(block.starts.tolist()))
    if not margins:
        return [{"tags": names[first:stop]} for first, stop in bounds]
    rounded = [round(gap, 4) for gap in gaps.tolist()]
    return [{"tags": names[first:stop], "margins": rounded[first:stop]} for first, stop in bounds]


def _json_lines(block: Sentences, column: str, found: Sequence[dict[str, Any]]) -> bytes:
    """An object a line: the tokens of each sentence, and what was found."""
    words = block.column(column)
    lines = [{"tokens": block.sentence(number, words)} | each for number, each in enumerate(found)]
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines).encode()


def evaluate(
    tagger: Tagger,
    paths: Sequence[str | os.PathLike[str]],
    options: TagOptions,
    rejected: BadRows,
    services: Services | None = None,
) -> dict[str, Any]:
    """The figures of a tagger on sentences with true tags."""
    services = services or Services()
    files = SentenceFiles(paths, dialect_of(options))
    column = word_of(tagger, files, options.word)
    target = _true_tags(tagger, files, column, options.target)
    files.only(column, target, *tagger.templates.columns)
    tally = TagTally(tagger.spans)

    def make(runner: TagRunner, block: Sentences, _: Chunk) -> Any:
        return runner.tagged(block, column)

    done = 0
    for block, codes in _tagged(tagger, files, services.reading_threads, make):
        rejected.add_block(block.bad, len(block))
        scored = scorable(tagger, block, target, rejected)
        if scored.any():
            tokens = np.repeat(scored, np.diff(block.starts))
            add_block(tally, tagger, block.keep(scored), codes[tokens], column, target)
        done += block.tokens
        services.report(Progress("evaluating", done))
    if not tally.by_sentence:
        raise InputError(f"{files.files.name(0)}: there are no sentences in it")
    return tally.as_dict() | {"scheme": str(tagger.scheme), "target": target, "rejected_sentences": rejected.count}


def _true_tags(tagger: Tagger, files: SentenceFiles, word: str, given: str | None) -> str:
    """The column that tags are compared with: as in training, if there is such a column."""
    target = given and files.named(given)
    if target is None:
        target = tagger.target if tagger.target in files.columns else target_of(files, None)
    if target == word or target in tagger.templates.columns:
        what = "the words" if target == word else "what the tagger makes features of"
        raise InputError(
            f"{files.files.name(0)}: the tags were in {tagger.target} in training, and {target} has {what}: there are "
            f"{listed(files.columns)}; name the column of the true tags ({option('target')})"
        )
    return target


def scorable(tagger: Tagger, block: Sentences, target: str, rejected: BadRows) -> NDArray[np.bool_]:
    """Which sentences have true tags that can be compared with those of the tagger; others are bad rows."""
    found = np.ones(len(block), dtype=bool)
    if tagger.spans and len(block):
        names, truth = tag_codes(block, target)
        wrong = np.array([not is_span_tag(name) for name in names])[truth]
        for token in np.flatnonzero(wrong).tolist():
            sentence = int(np.searchsorted(block.starts, token, side="right")) - 1
            if found[sentence]:
                found[sentence] = False
                rejected.add(block.bad_row(token, NOT_OF_SPANS.format(names[truth[token]])))
    return found


def add_block(
    tally: TagTally, tagger: Tagger, block: Sentences, codes: NDArray[np.int32], word: str, target: str
) -> None:
    """Count the tags of a block against the true ones."""
    names, truth = tag_codes(block, target)
    at = block.column(word)
    begins, ends = np.ascontiguousarray(block.begins[:, at]), np.ascontiguousarray(block.ends[:, at])
    hashes = field_hashes(block.data, begins, ends, 0)
    places = np.minimum(np.searchsorted(tagger.known_words, hashes), max(0, len(tagger.known_words) - 1))
    unknown = tagger.known_words[places] != hashes if len(tagger.known_words) else np.ones(len(hashes), dtype=bool)
    tally.add((names, truth), (list(tagger.outputs), codes), unknown, block.starts)
