"""LazyBound: a mistake bound that is worked out when it is asked for, of the rows as they were in the fit.

It takes longer than a pass over the rows, and so does not belong into every fit.  By the time it is asked for, the
caller may have changed or deleted X.  So the rows are copied where that is cheap beside the fit.  Otherwise there is
only a weak reference to X and, since a shuffled fit reads the contents of the rows for its order anyway, their
fingerprint: X is read and checked again as any other input, and without the same fingerprint there is no bound.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from linnet.data.rows import Examples, Rows
from linnet.errors import LinnetError
from linnet.learners.recipe import Recipe
from linnet.theory.mistake_bounds import NOT_KEPT, Mistakes, mistake_bound
from linnet.training.order import presentations
from linnet.training.result import OnlineFacts, Trained

# The most values that are copied: for each pass over them as they stand, for each shuffled pass, which takes some ten
# times as long, and in all (8 MB).
VALUES_A_PASS, VALUES_A_SHUFFLED_PASS, MOST_VALUES = 1 << 15, 1 << 17, 1 << 20
GONE = f"{NOT_KEPT}, and X is gone: pass X and y to certify()"
CHANGED = f"{NOT_KEPT}, and X has changed since the fit: pass the rows of the fit to certify()"
UNREAD = f"{NOT_KEPT}: pass X and y to certify(), or read certificate_ after a fit with shuffle=True"


class LazyBound:
    """The bound on the mistakes of a finished run; `refer_to` names the X that it was run on."""

    def __init__(self, recipe: Recipe, trained: Trained, examples: Examples) -> None:
        assert trained.online is not None
        self.run: OnlineFacts = trained.online
        self._recipe, self._model, self._fingerprint = recipe, trained.model, trained.fingerprint
        self._targets = examples.targets
        self._weights = None if examples.weights is None else examples.weights.copy()
        a_pass = VALUES_A_PASS if self._fingerprint is None else VALUES_A_SHUFFLED_PASS
        most = min(a_pass * self.run.passes, MOST_VALUES)
        self._kept = _copied(examples.rows) if len(examples.rows.values) <= most else None
        self._X: Callable[[], Any] | None = None

    def refer_to(self, X: Any) -> None:
        """Where to find the rows again, unless they are kept."""
        if self._kept is None and self._fingerprint is not None:
            try:
                self._X = weakref.ref(X)
            except TypeError:  # a list, say
                self._X = None

    def work_out(self, read: Callable[[Any], Rows]) -> Mistakes:
        """The bound, or the reason why there is none; `read` checks X as for a prediction."""
        again = cache(lambda: [self._examples(read)])  # a disjunction is searched in two readings
        try:
            return mistake_bound(self._recipe, self._model, again, self.run)
        except _Unavailable as unavailable:
            return Mistakes(self.run.made, reason=str(unavailable))

    def _examples(self, read: Callable[[Any], Rows]) -> Examples:
        if self._kept is not None:
            return Examples(self._kept, self._targets, self._weights)
        if self._fingerprint is None:
            raise _Unavailable(UNREAD)
        X = None if self._X is None else self._X()
        if X is None:
            raise _Unavailable(GONE)
        try:
            examples = Examples(read(X), self._targets, self._weights)
        except LinnetError:
            raise _Unavailable(CHANGED) from None
        if presentations(examples, shuffle=True).fingerprint != self._fingerprint:
            raise _Unavailable(CHANGED)
        return examples


class _Unavailable(Exception):
    """Why the rows of the fit cannot be had again."""


def _copied(rows: Rows) -> Rows:
    if rows.dense:
        return replace(rows, values=rows.values.copy())
    return replace(rows, values=rows.values.copy(), ids=rows.ids.copy(), starts=rows.starts.copy())
