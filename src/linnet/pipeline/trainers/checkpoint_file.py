"""The state of a run as a file: what its learner, vocabularies and reader need to continue as if never stopped."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features, Term
from linnet.data.features.layout import FeatureLayout
from linnet.data.findings import Findings
from linnet.data.label_sets import label_index
from linnet.data.on_error import BadRows, Note
from linnet.data.sources.block import Position
from linnet.errors import InputError, ModelFileError, OutputError
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Averaging
from linnet.model.file_checks import Tensors
from linnet.model.term_file import term_from_file, term_to_file
from linnet.model.votes_file import matrix_from_file, matrix_to_file, votes_from_file, votes_to_file
from linnet.model.weights_file import weights_from_file, weights_to_file
from linnet.pipeline.trainers.class_lists_file import lists_from_file, lists_to_file
from linnet.pipeline.trainers.label_runs import LabelRuns
from linnet.pipeline.trainers.online_run import OnlineRun
from linnet.pipeline.trainers.progressive import ProgressiveTally
from linnet.storage import container
from linnet.training.class_list_learner import ClassListLearner
from linnet.training.online import OnlineTraining
from linnet.training.online_learner import NO_LOG, Learner

ARRAYS = ("weights", "sums", "touched", "squares", "inverse_scales", "sides")


@dataclass(frozen=True)
class Terms:
    """What a run must share with the one it resumes: the options that decide, and the input, unchanged."""

    options: dict[str, Any]
    input: list[dict[str, Any]]


def write(path: str, run: OnlineRun, rejected: BadRows, terms: Terms, why: str) -> None:
    """Save the run; an older checkpoint stays until the new one is complete."""
    run.layout.extend(run.features.sizes)
    found = rejected.findings
    tensors: Tensors = {f"layout{number}": columns for number, columns in enumerate(run.layout.by_term)}
    tensors["moments"] = run.sums.state(run.layout.size)
    tensors["points"] = run.points.kept
    content = {
        "options": terms.options,
        "input": terms.input,
        "why": why,
        "position": [run.position.file, run.position.offset, run.position.line, run.position.rows],
        "seen": (run.position.seen or b"").hex(),
        "rows": run.rows,
        "done": [run.done_passes, run.done_chunks],
        "progressive": run.progressive.to_file(tensors),
        "runs": asdict(run.runs),
        "labels": list(run.label_index.labels),
        "terms": [term_to_file(term, number, tensors, growing=True) for number, term in enumerate(run.features.terms)],
        "training": None if run.training is None else _training_to_file(run.training, tensors),
        "first_rows": run.first_rows,
        "points": run.points.rows,
        "losses": run.losses,
        "best": None if run.best is None else _best_to_file(run.best, tensors),
        "rejected": [rejected.count, [_plain(each) for each in rejected.first]],
        "notes": [[_plain(each.what), each.rows, _plain(each.first)] for each in rejected.notes.values()],
        "misfits": [dict(found.misfits), [_plain(each) for each in found.first_misfits]],
        "quarantined": 0 if rejected.quarantine is None else rejected.quarantine.saved(),
    }
    container.write(path, "checkpoint", content, tensors)


def _plain(text: str) -> str:
    """Without the surrogates by which Python names files that are not UTF-8."""
    return text.encode("utf-8", "replace").decode()


def remove(path: str) -> None:
    with suppress(OSError):  # the model is saved: what is left over must not look like a failure
        os.remove(path)


def check_place(path: str) -> None:
    """Refuse to overwrite, and in the end to remove, a file that has the name of a checkpoint by chance."""
    if os.path.lexists(path) and not container.is_one(path):
        raise OutputError(
            f"{path} is not a checkpoint, and the run may have to write one of that name: rename it, or name another "
            "output"
        )


def read(path: str, terms: Terms) -> tuple[dict[str, Any], Tensors]:
    """A checkpoint; refused with other options, or if the input has changed."""
    content, tensors = container.read(path, "checkpoint")
    saved = content.get("options")
    if not isinstance(saved, dict):
        raise ModelFileError(f"{path}: is not a checkpoint that linnet wrote")
    for name in sorted({*saved, *terms.options}):
        if saved.get(name) != terms.options.get(name):
            raise InputError(
                f"{path}: was written with {name.replace('_', '-')} {saved.get(name)!r}, and now it is "
                f"{terms.options.get(name)!r}: resume with the same options, or start again without --resume"
            )
    if content.get("input") != terms.input:
        raise InputError(
            f"{path}: the input has changed since it was written: resume from the same files, or start again "
            "without --resume"
        )
    return content, tensors


def restore(content: dict[str, Any], tensors: Tensors, run: OnlineRun, rejected: BadRows, path: str) -> str:
    """Bring a new run to where the checkpoint was written; the reason for its learner is returned."""
    try:
        _check_kinds(content, path)
        _restore(content, tensors, run, path)
        rejected.count, rejected.first = content["rejected"][0], list(content["rejected"][1])
        rejected.used = run.rows
        rejected.notes = {what: Note(what, rows, first) for what, rows, first in content["notes"]}
        misfits, first = content["misfits"]
        rejected.findings = Findings(
            {str(name): count for name, count in misfits.items()}, [str(each) for each in first]
        )
        if rejected.quarantine is not None:
            rejected.quarantine.restore(content["quarantined"], path)
        why: str = content["why"]
        return why
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        if isinstance(error, ModelFileError | InputError):
            raise
        raise ModelFileError(f"{path}: is not a checkpoint that linnet wrote: {error!r}") from None


def _check_kinds(content: dict[str, Any], path: str) -> None:
    """Counts, losses and names are of the types that later steps expect."""
    counts = [content["rows"], content["quarantined"], content["rejected"][0], *content["position"], *content["done"]]
    counts += content["misfits"][0].values()
    sound = (
        all(type(count) is int and count >= 0 for count in counts)
        and all(type(loss) is float for loss in content["losses"])
        and isinstance(content["losses"], list)
        and isinstance(content["why"], str)
        and all(list(map(type, note)) == [str, int, str] and note[1] > 0 for note in content["notes"])
        and (content["training"] is None) == (content["rows"] == 0)
        and len(content["first_rows"]) == len(content["labels"])
        and (len(content["position"]), len(content["done"])) == (4, 2)
    )
    if not sound:
        raise ModelFileError(f"{path}: is damaged: a count or a name in it has the wrong type")


def _restore(content: dict[str, Any], tensors: Tensors, run: OnlineRun, path: str) -> None:
    terms = [term_from_file(each, number, tensors, path) for number, each in enumerate(content["terms"])]
    if list(map(_described, terms)) != list(map(_described, run.features.terms)):
        raise ModelFileError(f"{path}: is damaged: its features are not made of the columns of these data")
    run.features = Features(run.features.schema, run.features.task, terms)
    run.layout = FeatureLayout.of([tensors[f"layout{number}"] for number in range(len(terms))])
    _check_layout(run, path)
    run.sums.restore(tensors["moments"], run.layout.size, path)
    run.label_index = label_index(run.features, content["labels"])
    run.points.restore(tensors["points"], content["points"], len(content["labels"]))
    run.rows, (run.done_passes, run.done_chunks) = content["rows"], content["done"]
    file, offset, line, rows = content["position"]
    run.position = Position(file, offset, line, rows, seen=bytes.fromhex(content["seen"]))
    run.progressive = ProgressiveTally.from_file(content["progressive"], tensors, len(content["labels"]))
    run.runs = LabelRuns(**content["runs"])
    run.first_rows = list(map(int, content["first_rows"]))
    run.losses = list(content["losses"])
    if content["training"] is not None:
        run.training = _training_from_file(content["training"], tensors, run, path)
    if content["best"] is not None:
        run.best = _best_from_file(content["best"], tensors, run, path)


def _described(term: Term) -> tuple[Any, ...]:
    """What a term is made of, without what it has met so far."""
    vocabulary = getattr(term, "vocabulary", None)
    bits = None if vocabulary is None else vocabulary.bits
    own = [getattr(term, name, None) for name in ("degree", "options", "first", "with_time")]
    return term.kind, term.columns, bits, *own


def _check_layout(run: OnlineRun, path: str) -> None:
    """Every feature has a column of its own."""
    at = np.concatenate(run.layout.by_term)
    complete = [len(place) for place in run.layout.by_term] == run.features.sizes
    if at.dtype != np.int64 or not complete or not np.array_equal(np.sort(at), np.arange(len(at))):
        raise ModelFileError(f"{path}: is damaged: its features are not numbered one by one")


# -- the learner -----------------------------------------------------------------------------------------------------


def _training_to_file(training: OnlineTraining, tensors: Tensors) -> dict[str, Any]:
    return {
        "columns": training.columns,
        "known": 0 if training.labels is None else len(training.labels),
        "learners": [
            _learner_to_file(learner, number, tensors) for number, learner in enumerate(training.learners.values())
        ],
    }


def _training_from_file(content: dict[str, Any], tensors: Tensors, run: OnlineRun, path: str) -> OnlineTraining:
    columns, known = content["columns"], content["known"]
    lists = "learner0.counts" in tensors
    has_room = not content["learners"] or columns <= len(tensors["learner0.counts" if lists else "learner0.weights"])
    if not run.layout.size <= columns or not has_room or not 0 <= known <= run.label_index.count:
        raise ModelFileError(f"{path}: is damaged: its learner and its features differ in number")
    training = OnlineTraining(run.recipe, columns, run.label_index.order(known) if run.classes else None, lists=True)
    learners = zip(training.learners.values(), content["learners"], strict=True)
    for number, (learner, state) in enumerate(learners):
        _learner_from_file(learner, state, number, tensors, path)
    return training


def _learner_to_file(learner: Learner, number: int, tensors: Tensors) -> dict[str, Any]:
    for name in ARRAYS:
        tensors[f"learner{number}.{name}"] = np.ascontiguousarray(getattr(learner, name))
    if learner.recipe.averaging is Averaging.VOTE:
        mistaken, log = learner.mistakes()
        matrix_to_file(mistaken, f"learner{number}.mistaken", tensors)
        tensors[f"learner{number}.log"] = np.ascontiguousarray(log)
    if isinstance(learner, ClassListLearner):
        lists_to_file(learner, f"learner{number}", tensors)
    # floats of JSON are exact: they are written with all their digits
    return {"clock": learner.clock, "population": str(learner.population), "positive": learner.positive}


def _learner_from_file(learner: Learner, state: dict[str, Any], number: int, tensors: Tensors, path: str) -> None:
    for name in ARRAYS:
        saved = tensors[f"learner{number}.{name}"]
        if saved.shape != getattr(learner, name).shape or saved.dtype != np.float64:
            raise ModelFileError(f"{path}: is damaged: the learner's {name} have the wrong shape")
        getattr(learner, name)[...] = saved
    if isinstance(learner, ClassListLearner):
        lists_from_file(learner, f"learner{number}", tensors, path)
    if learner.recipe.averaging is Averaging.VOTE:
        mistaken = matrix_from_file(f"learner{number}.mistaken", learner.columns, tensors, path)
        log = tensors[f"learner{number}.log"].copy()
        _check_log(log, mistaken.shape[0], learner, path)
        learner.restore_mistakes(mistaken, log)
    if set(state["clock"]) != set(learner.clock):
        raise ModelFileError(f"{path}: is damaged: the learner's counters are not those of its recipe")
    learner.clock = {name: float(value) for name, value in state["clock"].items()}
    learner.population, learner.positive = float(state["population"]), float(state["positive"])


def _check_log(log: NDArray[Any], mistaken: int, learner: Learner, path: str) -> None:
    sound = log.dtype == np.float64 and log.ndim == 2 and log.shape[1] == NO_LOG.shape[1] and np.isfinite(log).all()
    if sound and len(log):
        sound = bool(log[:, 0].min() >= 0 and log[:, 0].max() < mistaken)
        if learner.outputs > 1:
            sound = sound and bool(log[:, 1:3].min() >= 0 and log[:, 1:3].max() < learner.outputs)
    if not sound:
        raise ModelFileError(f"{path}: is damaged: the log of mistakes names what is not there")


def _best_to_file(best: LinearModel, tensors: Tensors) -> dict[str, Any]:
    tensors |= {f"best.{name}": array for name, array in weights_to_file(best.weights).items()}
    tensors["best.intercepts"] = best.intercepts
    return {"votes": [votes_to_file(votes, number, tensors) for number, votes in enumerate(best.votes)]}


def _best_from_file(content: dict[str, Any], tensors: Tensors, run: OnlineRun, path: str) -> LinearModel:
    intercepts = tensors["best.intercepts"].copy()
    own = {name.removeprefix("best."): array for name, array in tensors.items() if name.startswith("best.")}
    weights = weights_from_file(own, run.layout.size, len(intercepts), path)
    votes = tuple(
        votes_from_file(each, number, tensors, len(weights), path) for number, each in enumerate(content["votes"])
    )
    return LinearModel(weights, intercepts, run.typed_classes, run.recipe.reduction, votes)
