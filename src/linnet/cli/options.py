"""What users type, as the options that training takes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from linnet.data.features.features import FeatureOptions
from linnet.data.features.schema import Role
from linnet.data.features.terms import Damping, TextOptions
from linnet.data.features.tokenizer import Analyzer
from linnet.errors import RecipeError
from linnet.model.model import Model

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class Decisions:
    """How to decide, as typed; what is not given is left to the model."""

    costs: list[str] | None
    reject: float | None
    least: float | None

    def of(self, model: Model) -> Model:
        """The model, deciding so."""
        return model.deciding(self.costs, self.reject, self.least)


def size(text: str) -> int:
    """500MB, 2GB, 1.5G: a number of bytes."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", text, re.IGNORECASE)
    if not found:
        raise RecipeError(f"{text!r} is no size: write a number and a unit, such as 500MB or 2GB")
    return int(float(found[1]) * UNITS[found[2].upper()])


def roles(columns: list[str]) -> dict[str, Role]:
    """NAME:ROLE, often."""
    found: dict[str, Role] = {}
    for each in columns:
        name, colon, role = each.rpartition(":")
        if not colon or role not in list(Role):
            raise RecipeError(f"--column takes NAME:ROLE with a role of {', '.join(Role)}; not {each!r}")
        found[name] = Role(role)
    return found


def features(
    ngrams: str, analyzer: str, counts: str, crosses: list[str], polynomial: int, hash_bits: int, conjunctions: int = 1
) -> FeatureOptions:
    """How columns become features."""
    shortest, longest = _range(ngrams)
    text = TextOptions(
        _one_of(analyzer, Analyzer, "--analyzer"), shortest, longest, damping=_one_of(counts, Damping, "--counts")
    )
    for cross in crosses:
        if len(cross.split(",")) < 2:
            raise RecipeError(f"--cross takes two columns or more, such as --cross a,b; not {cross!r}")
    return FeatureOptions(
        text, tuple(tuple(cross.split(",")) for cross in crosses), polynomial, hash_bits, conjunctions
    )


def _range(ngrams: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", ngrams)
    if found:
        longest = int(found[2] or found[1])
        shortest = int(found[1]) if found[2] else 1
        if 1 <= shortest <= longest <= 10:
            return shortest, longest
    raise RecipeError(f"--ngrams takes a number or a range up to 10, such as 2 or 1-3; not {ngrams!r}")


def _one_of(text: str, kind: Any, option: str) -> Any:
    if text not in list(kind):
        raise RecipeError(f"{option} is one of {', '.join(kind)}; not {text!r}")
    return kind(text)
