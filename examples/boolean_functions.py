"""Linear threshold functions: Boolean functions compiled to weights, and weights read back as rules.

    python examples/boolean_functions.py

Each function of the lecture is compiled to the smallest integer weights.  For a function that is not linear, four
points that prove it are printed, with the conjunctions that make it linear.  Then a perceptron is trained on the truth
table of a rule, and the rule is read from its weights.
"""

from itertools import product

import numpy as np

from linnet import Perceptron, boolean

LECTURE = [
    "x1 & x2 & x3",
    "x1 & x2 & ~x3",
    "x1 | x2 | x3",
    "atleast(2, x1, x2, x3)",
    "x1 ^ x2",
    "(x1 & x2) | (x3 & ~x4)",
]


def main() -> None:
    for text in LECTURE:
        compiled = boolean.compile(text)
        assert compiled.check()
        print(f"{text:>24}:  {compiled.formula}")
        if not compiled.linear:
            points = [" and ".join(map(str, side)) for side in (compiled.witness.true, compiled.witness.false)]
            print(f"{'':>26} (not a linear threshold function: {points[0]} are true,")
            print(f"{'':>26}  {points[1]} are false, and both pairs have the same mean)")

    counts = [boolean.count_threshold_functions(n) for n in range(1, 5)]
    fractions = [f"{count:,} of {2**2**n:,}" for n, count in enumerate(counts, 1)]
    print(f"\nlinear threshold functions of 1, 2, 3 and 4 variables: {', '.join(fractions)}")

    table = np.array(list(product([0, 1], repeat=4)))
    rain, wind, sun, _ = table.T
    model = Perceptron().fit(table, rain + wind + (1 - sun) >= 2)
    weights = " ".join(f"{w:+.0f}" for w in [*model.coef_[0], *model.intercept_])
    print(f"fitted weights {weights}: {boolean.read_rule(model, ['rain', 'wind', 'sun', 'moon'])}")


if __name__ == "__main__":
    main()
