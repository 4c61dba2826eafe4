"""What can go wrong, said so that a person can act on it: the thing, the place, the remedy."""

from __future__ import annotations


class LinnetError(Exception):
    """The parent of every error linnet raises on purpose."""


class InputError(LinnetError, ValueError):
    """The data cannot be learnt from as they are."""


class RecipeError(LinnetError, ValueError):
    """A choice is unknown, or choices do not combine."""


class NumericalError(LinnetError, ValueError):
    """Numbers left the range of floating point while learning or predicting."""


class SeparationWarning(UserWarning):
    """Logistic regression without a penalty has no finite optimum on these data; names the columns and the remedy."""


class OutputError(LinnetError, OSError):
    """A file could not be written; `errno` says why, as it does for any OSError."""


class ModelFileError(LinnetError, ValueError):
    """A model or checkpoint cannot be read: missing, damaged, made by a newer linnet, or none at all."""


class CertificateError(LinnetError, ValueError):
    """What a model states as proven does not hold."""


class Interrupted(LinnetError):
    """The user stopped the run; says how to go on."""
