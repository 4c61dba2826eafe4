"""Boolean functions as linear threshold units: compilation, proofs of non-linearity, and rules read from weights."""

from linnet.boolean.census import Census, classify, count_threshold_functions, threshold_kinds
from linnet.boolean.compiler import Compiled, compile  # noqa: A004
from linnet.boolean.conjunction_lifting import Lifted
from linnet.boolean.expressions import MOST_VARIABLES, parse
from linnet.boolean.function import BooleanFunction
from linnet.boolean.rule_reading import Literal, Rule, RuleKind, read_rule, rule_of
from linnet.boolean.threshold_units import Unit
from linnet.boolean.witnesses import Witness

__all__ = [
    "MOST_VARIABLES",
    "BooleanFunction",
    "Census",
    "Compiled",
    "Lifted",
    "Literal",
    "Rule",
    "RuleKind",
    "Unit",
    "Witness",
    "classify",
    "compile",
    "count_threshold_functions",
    "parse",
    "read_rule",
    "rule_of",
    "threshold_kinds",
]
