"""The problem that a learner solves on data of some shape, where the user leaves it open.

Texts and other wide rows are classified best by many weak columns: there, logistic regression takes several classes one
against the rest, weights the words of each problem by their log-count ratio, and is regularised less.
"""

from __future__ import annotations

from dataclasses import replace

from linnet.learners.entry import Entry, TextWeighting
from linnet.learners.recipe import Reduction
from linnet.learners.regularisation import Regularisation

# More columns than this are wide.
WIDE = 1000
# C on texts: words need less shrinkage than numbers, because there are many of them.
C_OF_TEXT = 16.0

_ONE_BY_ONE = (Reduction.ONE_VS_REST, Reduction.PAIRWISE)


def adapted(entry: Entry, asked: Regularisation, *, has_text: bool, columns: int, classes: int) -> Entry:
    """The learner as asked for, with what was left open chosen for such data."""
    if classes <= 2:
        asked = replace(asked, multiclass=None)
    entry = asked.of(entry)
    if entry.text is not TextWeighting.LOG_COUNT_RATIO:
        return entry
    penalty = entry.recipe.penalty
    smooth = penalty.l1 == 0 and penalty.l2 > 0
    if not (has_text or columns > WIDE) or not smooth or asked.multiclass not in (None, *_ONE_BY_ONE):
        return replace(entry, text=TextWeighting.LOG_COUNTS)
    if has_text and asked.C is None:
        penalty = replace(penalty, l2=1.0 / C_OF_TEXT)
    reduction = Reduction.ONE_VS_REST if asked.multiclass is None else asked.multiclass
    return replace(entry, recipe=replace(entry.recipe, penalty=penalty, reduction=reduction))
