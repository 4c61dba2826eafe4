"""Arrow's functions: by name at once, or with their options as `pyarrow.compute` has them, which is loaded for these.

`pyarrow.compute` makes a wrapper with its documentation for each of some hundred functions, and that takes as long as
loading Arrow itself.  The methods of Arrow's arrays that compute something (`cast`, `take`, `is_null`) load it as well.
Columns of numbers, and of text as it is, need few functions and no wrapper.
"""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def _functions() -> Any:
    """The module of `call_function` and `CastOptions`, which `pyarrow.compute` passes on."""
    try:
        import pyarrow._compute as found

        found.call_function, found.CastOptions  # noqa: B018 - as another version of Arrow may have them elsewhere
    except (ImportError, AttributeError):
        import pyarrow.compute as found
    return found


def call(name: str, *arguments: Any) -> Any:
    """A function of Arrow, with its default options."""
    return _functions().call_function(name, list(arguments))


def cast(array: Any, kind: Any, *, safe: bool = True) -> Any:
    """The array as this type; values that it cannot hold are an error if it is to be safe."""
    options = _functions().CastOptions
    return _functions().call_function("cast", [array], options.safe(kind) if safe else options.unsafe(kind))


class _Wrappers:
    """All of `pyarrow.compute`, loaded when the first function is asked for."""

    def __getattr__(self, name: str) -> Any:
        import pyarrow.compute

        return getattr(pyarrow.compute, name)


pc = _Wrappers()
