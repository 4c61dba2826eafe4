"""Comparing learners on the same folds, and why they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.comparison.results_file import load as load

__all__ = ["load"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'linnet.comparison' has no attribute {name!r}")
    from linnet.comparison import results_file

    return getattr(results_file, name)
