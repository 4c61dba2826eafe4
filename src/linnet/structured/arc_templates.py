"""The templates of the arc-based parser: which atoms of a head and a dependent are combined into features.

After McDonald, Crammer, Pereira 2005, Online large-margin training of dependency parsers: H is the head, M the
dependent, H-, H+, M- and M+ the words before and after each.  The last letter says what is taken: w word, p coarse tag,
x fine tag, m morphological features.  D is the direction with the distance, in classes; R the direction alone.  A
template with B is made once for each different coarse tag between head and dependent.
"""

from __future__ import annotations

from collections.abc import Sequence

from linnet.structured.parser_templates import templates_of as templates_of

TOKENS = ("H", "M", "H-", "H+", "M-", "M+")
BETWEEN = "B"
ATOMS = (*(token + part for token in TOKENS for part in "wpxm"), "D", "R", BETWEEN)

DEFAULT = """
D; Hw D; Hx D; Hw Hx D; Mw D; Mx D; Mw Mx D
Hw Hx Mw Mx R; Hx Mw Mx D; Hw Mw Mx R; Hw Hx Mx D; Hw Hx Mw R; Hw Mw D; Hx Mx D; Hp Mp D; Hw Mx D; Hx Mw D
Hw Mp D; Hp Mw D
Hw Mw; Hx Mx; Hw Hx Mw Mx; Hx Mw; Hw Mx
Hx H+x M-x Mx R; H-x Hx M-x Mx R; Hx H+x Mx M+x R; H-x Hx Mx M+x R
Hx H+x M-x Mx D; H-x Hx Mx M+x D; Hx M-x Mx D; Hx Mx M+x D; Hx H+x Mx D; H-x Hx Mx D
Hx M-w Mx R; Hx Mx M+w R; Hx H+w Mx R; Mw M-w R; Mw M+w R; Hm Mm R; Hp Hm Mp Mm D
Hp Mp B R; Hx Mx B R; Hp Mp B D; Hw Mx B R; Hx Mw B R
"""


def has_between(template: Sequence[str]) -> bool:
    return BETWEEN in template
