"""What a user should know before relying on a model: the command line prints it, Python warns of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.data.on_error import Note
from linnet.data.task import Task
from linnet.errors import option
from linnet.model.plan import remedy

if TYPE_CHECKING:
    from linnet.model.model import Model
    from linnet.model.record import Record

MOST_WARNINGS = 10
MOST_NOTES_SHOWN = 5
# Rows that count as more than this each are hardly copies.
MANY_COPIES = 10


def guessed_task(model: Model) -> str:
    """That the task was guessed, what for, and how to give it; empty if it was not."""
    if not model.record.task_guessed:
        return ""
    target = model.features.schema.target
    taken = "classes" if model.task is Task.CLASSIFICATION else "numbers to predict"
    name = "the target" if target is None else f"the target {target}"
    return f"{name} has whole numbers, which are taken for {taken}: this is a guess; {remedy(model.task)}"


def warnings_of(model: Model) -> list[str]:
    """All of it, the most important first."""
    record, found = model.record, [text for text in [guessed_task(model)] if text]
    if record.rejected_rows:
        what = "row could not be read and was" if record.rejected_rows == 1 else "rows could not be read and were"
        found.append(f"{record.rejected_rows:,} {what} skipped")
    notes = [str(Note(what, rows, record.first_noted.get(what, ""))) for what, rows in record.notes.items()]
    found += notes[:MOST_NOTES_SHOWN]
    if len(notes) > MOST_NOTES_SHOWN:
        found.append(f"and {len(notes) - MOST_NOTES_SHOWN} more such notes: all are in the record (record.notes)")
    if record.misfits:
        found.append(misfits_text(record))
    if record.converged is False:
        found.append(
            f"the solver did not converge, so the weights are not optimal: give it more iterations "
            f"({option('max_iter')}), or a stronger penalty"
        )
    if record.separation:
        found.append(
            f"without a penalty the weights grow without bound: {record.separation}; leave out "
            f"{option('penalty', 'none')}"
        )
    if record.collisions:
        found.append(
            f"{record.collisions:,} hash collisions: names that share a feature; increase {option('hash_bits')}"
        )
    if record.sorted_by_label:
        found.append("the rows are sorted by label, which harms online learning: shuffle them first")
    elif record.like_follows_like and record.held_out is None:
        found.append(
            "successive rows have equal labels more often than by chance, so progressive validation may be too "
            f"optimistic: shuffle the rows, or hold some out ({option('holdout', 0.1)})"
        )
    held_out = {} if record.held_out is None else record.held_out.as_dict()
    if held_out and held_out["rows"] > MANY_COPIES * record.rows_held_out:
        found.append(
            "the weights are whole numbers, so they are taken for numbers of copies, and intervals are narrow: if they "
            "are not, divide them by their mean"
        )
    return [*found, *_validation_warnings(held_out, record.threshold)][:MOST_WARNINGS]


def misfits_text(record: Record) -> str:
    """How many values did not fit the types of their columns, and the first of them where they are known."""
    counts = ", ".join(f"{count:,} in {name}" for name, count in record.misfits.items())
    first = f": {'; '.join(record.first_misfits)}" if record.first_misfits else ""
    total = sum(record.misfits.values())
    many = "values do not fit the types of their columns and are missing"
    what = "value does not fit the type of its column and is missing" if total == 1 else many
    return f"{total:,} {what} ({counts}){first}"


def _validation_warnings(held: dict[str, Any], threshold: Any) -> list[str]:
    found = []
    costs, accuracy = held.get("costs"), held.get("accuracy")
    if costs and costs["realised"] is not None and costs["realised"] >= costs["baseline"]:
        found.append("on held-out rows the decisions cost no less than the best constant decision")
    # with costs or a metric, accuracy may be given up for another aim
    if accuracy is not None and not costs and not threshold and accuracy <= held["baseline_accuracy"]:
        found.append("on held-out rows the model is no better than predicting the most frequent label")
    other_aim = held.get("loss") is not None and held["loss"]["d2"] is None  # a quantile, not the mean
    if held.get("r2") is not None and held["r2"] <= 0 and not other_aim:
        found.append("on held-out rows the model is no better than predicting the mean")
    found += [
        f"the label {each['label']!r} is rare: no held-out row has it"
        for each in held.get("classes", [])
        if not each["support"]
    ]
    return found
