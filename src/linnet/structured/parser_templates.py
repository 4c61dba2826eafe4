"""The templates of the transition parser: which atoms of a state are combined into features.

After Zhang and Nivre 2011, Transition-based dependency parsing with rich non-local features, for the arc-hybrid system:
S0 and S1 are the two topmost tokens of the stack, N0 ... N3 the first of the buffer.  Of a token t, `l` and `l2` are
its leftmost and second leftmost dependent so far, `r` and `r2` those on the right.  The last letter says what is taken:

    w word, p coarse tag, x fine tag, m morphological features, d label (of a dependent)
    vl, vr number of left and right dependents; sl, sr the set of their labels

D0 is the distance from S0 to N0, D1 that from S1 to S0, in classes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Places of atoms, as kernels/parsing_transitions.pxd lays them out.
TOKENS = (
    "S0", "S1", "S2", "N0", "N1", "N2", "N3", "S0l", "S0r", "S0l2", "S0r2", "S1l", "S1r", "S1l2", "S1r2", "N0l", "N0l2",
)  # fmt: skip
LABELLED = ("S0l", "S0r", "S0l2", "S0r2", "S1l", "S1r", "S1l2", "S1r2", "N0l", "N0l2")
NUMBERS = ("D0", "D1", "S0vl", "S0vr", "S1vl", "S1vr", "N0vl", "S0sl", "S0sr", "S1sl", "S1sr", "N0sl")
ATOMS = (*(token + part for token in TOKENS for part in "wpxm"), *(token + "d" for token in LABELLED), *NUMBERS)
MOST_ATOMS = 5

DEFAULT = """
S0w; S0p; S0x; S0w S0x; S1w; S1p; S1x; S1w S1x; S2w; S2p
N0w; N0p; N0x; N0w N0x; N1w; N1p; N1x; N1w N1x; N2w; N2p; N2x; N2w N2x
S0w S0x N0w N0x; S0w S0x N0w; S0w N0w N0x; S0w S0x N0x; S0x N0w N0x; S0w N0w; S0x N0x; S0p N0p
S1w S1x S0w S0x; S1w S1x S0w; S1w S0w S0x; S1w S1x S0x; S1x S0w S0x; S1w S0w; S1x S0x; S1p S0p
S1x N0x; S1w N0w; S1w N0x; S1x N0w; N0x N1x; N0w N1w; N0w N1x; N0x N1w
N0x N1x N2x; S0x N0x N1x; S1x S0x N0x; S1p S0p N0p; S2x S1x S0x; S0p N0p N1p; N0p N1p N2p
S1w S0x N0x; S1x S0w N0x; S1x S0x N0w; S0w N0x N1x; S0x N0w N1x; S1x S0x N0x N1x; S0x N0x N1x N2x
S0x S0lx N0x; S0x S0rx N0x; S0x N0x N0lx; S0x N0x N0l2x
S1x S0x S0lx; S1x S0x S0rx; S1x S1lx S0x; S1x S1rx S0x; S1x S0x N0lx; S1x S1rx S0x S0lx
S0w D0; S0x D0; N0w D0; N0x D0; S0w N0w D0; S0x N0x D0
S1w D1; S1x D1; S0w D1; S0x D1; S1w S0w D1; S1x S0x D1
S0w S0vr; S0x S0vr; S0w S0vl; S0x S0vl; N0w N0vl; N0x N0vl; S1w S1vr; S1x S1vr; S1w S1vl; S1x S1vl
S0lw; S0lx; S0ld; S0rw; S0rx; S0rd; N0lw; N0lx; N0ld; S1lw; S1lx; S1ld; S1rw; S1rx; S1rd
S0l2w; S0l2x; S0l2d; S0r2w; S0r2x; S0r2d; N0l2w; N0l2x; N0l2d; S1l2x; S1l2d; S1r2x; S1r2d
S0x S0lx S0l2x; S0x S0rx S0r2x; N0x N0lx N0l2x; S1x S1lx S1l2x; S1x S1rx S1r2x
S0w S0sr; S0x S0sr; S0w S0sl; S0x S0sl; N0w N0sl; N0x N0sl; S1w S1sr; S1x S1sr; S1w S1sl; S1x S1sl
S0w S0ld; S0w S0rd; N0w N0ld; S1w S1rd; S1w S1ld
"""


def templates_of(text: str) -> list[tuple[str, ...]]:
    """The templates that a text lists, separated by semicolons and new lines."""
    return [tuple(each.split()) for line in text.split("\n") for each in line.split(";") if each.strip()]


def places(templates: Sequence[Sequence[str]], atoms: Sequence[str] = ATOMS) -> NDArray[np.int8]:
    """Templates as the kernels take them: the places of their atoms, filled up with -1."""
    number = {name: place for place, name in enumerate(atoms)}
    found = np.full((len(templates), MOST_ATOMS), -1, dtype=np.int8)
    for row, template in zip(found, templates, strict=True):
        row[: len(template)] = [number[name] for name in template]
    return found
