"""What can be said about data and fits: whether an answer exists, how sure it is, and proofs."""

# The functions are to be found under their names, and not the modules of the same names: so they are not loaded late.
from linnet.theory.margin import MaximumMargin as MaximumMargin
from linnet.theory.margin import distance_from_origin as distance_from_origin
from linnet.theory.margin import margin as margin
from linnet.theory.margin import margins as margins
from linnet.theory.margin import max_margin as max_margin
from linnet.theory.proofs import Answers as Answers
from linnet.theory.proofs import Inseparable as Inseparable
from linnet.theory.proofs import Separable as Separable
from linnet.theory.proofs import Undecided as Undecided
from linnet.theory.separability import separability as separability
