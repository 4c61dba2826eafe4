"""How a model of structures was trained: its passes, by what the number of them was chosen, and what else was."""

from __future__ import annotations

from dataclasses import dataclass, field

# More than any run has made.
MOST_PASSES_STATED = 1_000_000


@dataclass(frozen=True)
class Pass:
    """One pass: what was wrong in it, and the score on held-out examples after it, if there are any."""

    wrong: int
    examples: int
    wrong_parts: int
    parts: int
    held_out: float | None = None


@dataclass
class Trial:
    """Passes with another value of a setting, and by how many standard errors it was ahead, if they were all made."""

    value: int = 0
    passes: list[Pass] = field(default_factory=list)
    lead: float | None = None


@dataclass
class History:
    """How a model was trained: the passes of the search with held-out examples, those with other values of a setting,
    which was chosen (None: there was no choice), and the passes of the final training, of all its orders."""

    seed: int = 0
    examples: int = 0
    held_out_examples: int = 0
    search: list[Pass] = field(default_factory=list)
    final: list[Pass] = field(default_factory=list)
    passes: int = 0
    orders: int = 1
    trials: list[Trial] = field(default_factory=list)
    value: int | None = None

    @property
    def held_out_score(self) -> float | None:
        for trial in self.trials:
            if trial.value == self.value and trial.passes:
                return trial.passes[-1].held_out
        return self.search[self.passes - 1].held_out if 1 <= self.passes <= len(self.search) else None

    def lines(self, missed: str = "wrong") -> list[str]:
        """What a user should know of it; `missed` says what parts are counted as wrong."""
        found = []
        if self.search:
            found.append(
                f"{self.passes} passes, chosen by {self.held_out_examples:,} held-out sentences (of {len(self.search)} "
                f"passes tried); then trained on all {self.examples:,}"
                + (f" in {self.orders} orders, whose means are averaged" if self.orders > 1 else "")
            )
        else:
            found.append(f"{self.passes} passes over {self.examples:,} sentences")
        if self.final:
            last = self.final[-1]
            found.append(f"in the last pass {last.wrong_parts:,} of {last.parts:,} were {missed} while training")
        return found

    def check(self) -> None:
        """Raise ValueError for one that no training has; it may come from a file of an unknown author."""
        passes = (*self.search, *self.final, *(each for trial in self.trials for each in trial.passes))
        counts = (self.value or 0, self.seed, self.examples, self.held_out_examples, self.passes, self.orders - 1)
        parts = (count for each in passes for count in (each.wrong, each.examples, each.wrong_parts, each.parts))
        most = self.passes * self.orders
        if min((*counts, *parts)) < 0 or not len(self.final) <= most <= MOST_PASSES_STATED:
            raise ValueError("a count of the history is wrong")
        if self.search and self.passes > len(self.search):
            raise ValueError("more passes are said to be best than were tried")
