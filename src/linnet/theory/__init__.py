"""What can be said about data and fits: whether an answer exists, how sure it is, and proofs."""

# The functions are to be found under their names, and not the modules of the same names: so they are not loaded late.
from linnet.theory.margins import MaximumMargin as MaximumMargin
from linnet.theory.margins import distance_from_origin as distance_from_origin
from linnet.theory.margins import margin as margin
from linnet.theory.margins import margins as margins
from linnet.theory.margins import max_margin as max_margin
from linnet.theory.separability import separability as separability
from linnet.theory.separability_proofs import Answers as Answers
from linnet.theory.separability_proofs import Inseparable as Inseparable
from linnet.theory.separability_proofs import Separable as Separable
from linnet.theory.separability_proofs import Undecided as Undecided
