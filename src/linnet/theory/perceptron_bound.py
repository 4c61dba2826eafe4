"""The mistake bound of the perceptron.

Let u be a plane with |u| = 1 and gamma > 0 a margin, and let L be the sum of the hinge losses max(0, 1 - m / gamma) of
all presentations of rows, m the margin of a row under u (margin_losses.py).  Every mistake adds its row, signed, to the
weights theta, so M mistakes bring u . theta to gamma (M - L) or more.  Rows are at most R long, and a mistake adds at
most R^2 to |theta|^2, so gamma (M - L) <= sqrt(M) R, that is

    sqrt(M) <= (a + sqrt(a^2 + 4 L)) / 2,  a = R / gamma.

Without losses this is (R / gamma)^2 (Novikoff 1962); with losses see Gentile 2003 and Mohri, Rostamizadeh 2013.

For many classes fitted jointly, m is the lead over the best rival under weights of total length 1, and a mistake moves
two classes: a^2 = 2 (R / gamma)^2 (Collins 2002).  A stream fits two classes as one plane until a third class appears;
in these terms its steps are 1/2.  With M1 such steps, M2 whole ones and no losses,
gamma (M1/2 + M2) <= sqrt(2 (M1/4 + M2)) R; M1 + M2 is largest where M1 = 2 M2: 9/8 of 2 (R / gamma)^2.
"""

from __future__ import annotations

import math

# The factor of (R / gamma)^2: one plane, many classes jointly, many classes of which some appear later in the stream.
ONE_PLANE, JOINT, JOINT_STREAM = 1.0, 2.0, 2.25


def perceptron_bound(radius: float, gamma: float, losses: float, factor: float = ONE_PLANE) -> float:
    """The largest possible number of mistakes, with a^2 = factor (R / gamma)^2."""
    ratio = math.sqrt(factor) * radius / gamma
    return ((ratio + math.sqrt(ratio * ratio + 4.0 * losses)) / 2.0) ** 2
