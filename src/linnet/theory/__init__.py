"""Theory: separability, margins, mistake bounds, separation and inference, with proofs."""

from linnet.theory.geometric_margins import MaximumMargin as MaximumMargin
from linnet.theory.geometric_margins import distance_from_origin as distance_from_origin
from linnet.theory.geometric_margins import margin as margin
from linnet.theory.geometric_margins import margins as margins
from linnet.theory.geometric_margins import max_margin as max_margin
from linnet.theory.linear_separability import separability as separability
from linnet.theory.separability_proofs import Answers as Answers
from linnet.theory.separability_proofs import Inseparable as Inseparable
from linnet.theory.separability_proofs import Separable as Separable
from linnet.theory.separability_proofs import Undecided as Undecided
