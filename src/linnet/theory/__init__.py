"""Theory: separability, margins, mistake bounds, separation and inference, with proofs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.theory.geometric_margins import MaximumMargin as MaximumMargin
    from linnet.theory.geometric_margins import distance_from_origin as distance_from_origin
    from linnet.theory.geometric_margins import margin as margin
    from linnet.theory.geometric_margins import margins as margins
    from linnet.theory.geometric_margins import max_margin as max_margin
    from linnet.theory.linear_separability import separability as separability
    from linnet.theory.separability_proofs import Answers as Answers
    from linnet.theory.separability_proofs import Inseparable as Inseparable
    from linnet.theory.separability_proofs import Separable as Separable
    from linnet.theory.separability_proofs import Undecided as Undecided

# The module of each public name, loaded on first use: training needs few of them.
_HOMES = {
    "Answers": "separability_proofs",
    "Inseparable": "separability_proofs",
    "MaximumMargin": "geometric_margins",
    "Separable": "separability_proofs",
    "Undecided": "separability_proofs",
    "distance_from_origin": "geometric_margins",
    "margin": "geometric_margins",
    "margins": "geometric_margins",
    "max_margin": "geometric_margins",
    "separability": "linear_separability",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
