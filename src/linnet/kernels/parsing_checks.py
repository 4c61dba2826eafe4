"""Whether arrays fit together, before a parser's kernel reads by them."""

import cython
import numpy as np

from linnet.kernels.parsing_trees import NON_PROJECTIVE, kinds_of_trees

TEMPLATE_ATOMS, ATOMS, MOST_TEMPLATES, COLUMNS = 5, 17 * 4 + 10 + 12, 512, 4
LONGEST = 1 << 24
ARC_ATOMS, LONGEST_CHART = 6 * 4 + 3, 2000


def checked(weights, templates, tokens, starts, heads, labels, allowed, order, trees=True):
    """Raise ValueError for arrays that are not what the kernels of the transition parser take."""
    kinds = allowed.shape[1]
    check_places(templates)
    _hold(allowed.shape[0] == 2 and kinds > 0 and weights.classes == 2 * kinds + 1, "labels and classes differ")
    _hold(np.asarray(allowed).any(axis=1).all(), "no label is allowed")
    check_sentences(tokens, starts, heads, labels, kinds, order, trees)
    _hold(not trees or not weights.frozen, "frozen weights cannot be trained")


def check_places(templates, atoms=ATOMS):
    """Raise ValueError unless templates are places of atoms."""
    _hold(
        0 < templates.shape[0] <= MOST_TEMPLATES and templates.shape[1] == TEMPLATE_ATOMS,
        "templates have another shape",
    )
    places = np.asarray(templates)
    _hold(places.min() >= -1 and places.max() < atoms and places[:, 0].min() >= 0, "templates name unknown atoms")


def check_sentences(tokens, starts, heads, labels, kinds, order, trees):
    """Raise ValueError unless the arrays of sentences fit together."""
    total, first, lengths = tokens.shape[0], np.asarray(starts), np.diff(np.asarray(starts))
    _hold(tokens.shape[1] == COLUMNS, "tokens have another number of columns")
    _hold(len(first) > 0 and first[0] == 0 and first[len(first) - 1] == total, "sentences and tokens differ")
    _hold(not len(lengths) or (lengths.min() >= 0 and lengths.max() < LONGEST), "sentences overlap or are too long")
    _hold(heads.shape[0] == total and labels.shape[0] == total, "heads and labels do not fit the tokens")
    chosen = np.asarray(order)
    _hold(not len(chosen) or (chosen.min() >= 0 and chosen.max() < len(lengths)), "there is no such sentence")
    if trees and total:
        _hold(
            bool((kinds_of_trees(starts, heads)[0] <= NON_PROJECTIVE).all()), "the heads of a sentence are not a tree"
        )
        _hold(np.min(labels) >= 0 and np.max(labels) < kinds, "a label is out of range")


def longest_of(starts, order):
    """The most words of a sentence of `order`."""
    return int(np.diff(np.asarray(starts))[np.asarray(order)].max(initial=0))


def checked_arcs(weights, templates, single, tokens, starts, heads, labels, allowed, order, trees=True):
    """Raise ValueError for arrays that are not what the kernel of the arc-based parser takes."""
    kinds = allowed.shape[1]
    check_places(templates, ARC_ATOMS)
    places = np.asarray(templates)
    sorted_out = 0 < single <= len(places) and bool((places[:single] != ARC_ATOMS - 1).all())
    _hold(sorted_out, "templates with a tag between come last")
    _hold(allowed.shape[0] == 2 and kinds > 0 and weights.classes == kinds + 1, "labels and classes differ")
    _hold(np.asarray(allowed).any(axis=1).all(), "no label is allowed")
    check_sentences(tokens, starts, heads, labels, kinds, order, trees)
    lengths = np.diff(np.asarray(starts))[np.asarray(order)]
    _hold(not len(lengths) or lengths.max() <= LONGEST_CHART, "a sentence is too long for a chart")
    _hold(not trees or not weights.frozen, "frozen weights cannot be trained")


def checked_rows(
    keys: cython.const[cython.ulonglong][::1],
    starts: cython.const[cython.longlong][::1],
    labels: cython.const[cython.uint][::1],
    classes: cython.Py_ssize_t,
):
    """Whether rows can be used: ascending keys, entries in order, each class known and no more than once in a row."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    good: cython.bint = True
    if starts.shape[0] != keys.shape[0] + 1 or starts[0] != 0 or starts[keys.shape[0]] != labels.shape[0]:
        raise ValueError("rows and entries differ in number")
    seen: cython.longlong[::1] = np.full(classes, -1, dtype=np.int64)
    with cython.nogil:
        for i in range(keys.shape[0]):
            if starts[i + 1] <= starts[i] or starts[i + 1] > labels.shape[0] or (i and keys[i] <= keys[i - 1]):
                good = False
                break
            for j in range(starts[i], starts[i + 1]):
                if labels[j] >= classes or seen[labels[j]] == i:
                    good = False
                    break
                seen[labels[j]] = i
            if not good:
                break
    if not good:
        raise ValueError("keys are not in ascending order, or a row is empty, or has an unknown class or one twice")


def _hold(condition, problem):
    if not condition:
        raise ValueError(problem)
