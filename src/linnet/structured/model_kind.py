"""What kind of model a file holds, before it is loaded."""

from __future__ import annotations

import os

from linnet.model.file import STRUCTURES
from linnet.storage import container


def structure_of(path: str | os.PathLike[str]) -> str | None:
    """tagger or parser; None for a model of labels or numbers.  ModelFileError if it is no model at all."""
    content, _ = container.read(path, "model")
    found = content.get("structure")
    return found if found in STRUCTURES else None
