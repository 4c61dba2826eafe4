"""Pictures of models, results and comparisons, by matplotlib (extra `plot`): each returns its axes and takes `ax=`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.plot.classification import confusion as confusion
    from linnet.plot.classification import reliability as reliability
    from linnet.plot.contenders import comparison as comparison
    from linnet.plot.contenders import critical_difference as critical_difference
    from linnet.plot.features import top_features as top_features
    from linnet.plot.learning import learning_curve as learning_curve
    from linnet.plot.learning import mistakes as mistakes
    from linnet.plot.learning import progressive as progressive
    from linnet.plot.numbers import predicted as predicted
    from linnet.plot.numbers import residuals as residuals
    from linnet.plot.plane import geometry as geometry
    from linnet.plot.strength import path as path
    from linnet.plot.threshold_curves import margins as margins
    from linnet.plot.threshold_curves import precision_recall as precision_recall
    from linnet.plot.threshold_curves import roc as roc

# The module of each public name, loaded on first use, and matplotlib with the first picture.
_HOMES = {
    "comparison": "contenders",
    "confusion": "classification",
    "critical_difference": "contenders",
    "geometry": "plane",
    "learning_curve": "learning",
    "margins": "threshold_curves",
    "mistakes": "learning",
    "path": "strength",
    "precision_recall": "threshold_curves",
    "predicted": "numbers",
    "progressive": "learning",
    "reliability": "classification",
    "residuals": "numbers",
    "roc": "threshold_curves",
    "top_features": "features",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
