"""What a run may take of memory for its names and its weights: for each what the option `memory` allows.

The rows are limited where they are kept (dataset.py, row_cache.py); single rows and blocks in data/limits.py.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

from linnet.data.features.feature_map import Features
from linnet.data.limits import size_in_words
from linnet.data.task import Task
from linnet.errors import InputError, option
from linnet.learners.recipe import Recipe, Reduction

NUMBER = 8
# Arrays as long as the columns that learners keep beside the weights, and four of sums for means and deviations; and
# copies of the weights while they grow, are put in the order of the model, and are written.
VECTORS, COPIES = 9, 3
# Of sparse weights: the bytes of a class's number, and how many rivals of its class a row pulls, or fewer.
CLASS, RIVALS = 4, 15
# A small limit is meant for the rows: it is never less than this for names and for weights.
LEAST = 1 << 26
# What mallopt takes: from which size on memory comes from the system and goes back there, and how much may stay free.
M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -3, -1


def check_names(features: Features, memory: int) -> None:
    """Raise where the names of features take more than is allowed."""
    size, memory = features.nbytes, max(memory, LEAST)
    if size > memory:
        raise InputError(
            f"the names of {len(features):,} features take {size_in_words(size)}, more than {size_in_words(memory)}: "
            f"hash them into fewer ({option('hash_bits', 20)}), or allow more ({_enough(size)})"
        )


def check_weights(features: Features, labels: int, recipe: Recipe, memory: int) -> None:
    """Raise, before they are made, where the weights of a learner would take more than is allowed."""
    outputs = outputs_of(recipe, labels)
    size, memory = weights_size(len(features), outputs), max(memory, LEAST)
    if size <= memory:
        return
    classes = f" for {labels:,} labels" if outputs > 1 else ""
    raise InputError(
        f"the weights of {features.extent}{classes} take about {size_in_words(size)}, more than "
        f"{size_in_words(memory)}: {_fewer(features, recipe, labels)}, or allow more ({_enough(size)})"
    )


def check_sparse_weights(features: Features, labels: int, entries: int, memory: int) -> None:
    """As check_weights, of a learner with weights only for the classes that a feature's rows pulled: a row of the data
    pulls its own and about RIVALS others."""
    weights = min((RIVALS + 1) * entries, len(features) * labels)
    size, memory = COPIES * (NUMBER + CLASS) * weights + NUMBER * VECTORS * len(features), max(memory, LEAST)
    if size > memory:
        raise InputError(
            f"the weights of {features.extent} for the classes that they are pulled by take about "
            f"{size_in_words(size)}, more than {size_in_words(memory)}: hash names into fewer features "
            f"({option('hash_bits', 16)}), or allow more ({_enough(size)})"
        )


def check_lists(features: Features, labels: int, size: int, memory: int) -> None:
    """Raise where the weights that an online learner keeps for the classes a feature was pulled by take too much."""
    if COPIES * size > max(memory, LEAST):
        raise InputError(
            f"the weights of {features.extent} for {labels:,} labels take {size_in_words(size)}, {COPIES} times "
            f"that while they are saved, more than {size_in_words(max(memory, LEAST))}: hash names into fewer features "
            f"({option('hash_bits', 16)}), or allow more ({_enough(COPIES * size)})"
        )


def weights_size(columns: int, outputs: int) -> int:
    """About how many bytes training takes for the weights of these numbers of columns and outputs."""
    return NUMBER * (columns + 1) * (COPIES * outputs + VECTORS)


def outputs_of(recipe: Recipe, labels: int) -> int:
    """How many weights a column has."""
    if labels <= 2 and recipe.reduction is not Reduction.EACH_LABEL:
        return 1
    return labels * (labels - 1) // 2 if recipe.reduction is Reduction.PAIRWISE else labels


def _fewer(features: Features, recipe: Recipe, labels: int) -> str:
    """What would need fewer weights."""
    if labels > 2 and recipe.reduction is Reduction.PAIRWISE:
        return f"take {option('multiclass', Reduction.ONE_VS_REST)}"
    if features.task is Task.CLASSIFICATION and labels > len(features):
        return f"is {features.schema.target or 'the target'} the right column ({option('target')})?"
    return (
        "number the columns from 0 or 1 upwards"
        if features.is_numbered
        else (f"hash names into fewer features ({option('hash_bits', 16)})")
    )


def _enough(size: int) -> str:
    return option("memory", f"{-(-size // (1 << 30))}GB")


@cache
def keep_freed() -> None:
    """Let the C library keep memory that was freed, up to 64 MB, instead of giving every block's back to the system.

    To get it again takes longer than many a block takes to be parsed.  These are the thresholds that the GNU library
    would arrive at by itself, if large arrays were freed in another order.
    """
    tune = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform.startswith("linux") else None
    if tune is not None:
        for what, threshold in ((M_MMAP_THRESHOLD, 32 << 20), (M_TRIM_THRESHOLD, 64 << 20)):
            tune(what, threshold)


def give_back() -> None:
    """Give memory that is free in this process back to the system, where its C library can: reading leaves much."""
    if arrow := sys.modules.get("pyarrow"):  # it has an allocator of its own
        arrow.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if trim is not None:
        trim(0)
