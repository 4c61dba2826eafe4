"""Past finds, as small cases that run first in every attack and in the tests.  A public function makes one case."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable

from attack.case import Case


def corpus() -> dict[str, Callable[[], Case]]:
    """By name, the function that makes the case."""
    found: dict[str, Callable[[], Case]] = {}
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            if function.__module__ == loaded.__name__ and not name.startswith("_"):
                found[f"{module.name}.{name}"] = function
    return found
