"""Boolean functions and linear threshold units: from one to the other, or a proof that there is no other."""

from linnet.boolean.compiling import Compiled, compile  # noqa: A004
from linnet.boolean.counting import Census, classify, count_threshold_functions, threshold_kinds
from linnet.boolean.expressions import MOST_VARIABLES, parse
from linnet.boolean.function import BooleanFunction
from linnet.boolean.lifting import Lifted
from linnet.boolean.rules import Literal, Rule, RuleKind, read_rule, rule_of
from linnet.boolean.units import Unit
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
