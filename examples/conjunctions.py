"""Conjunctions, disjunctions and m-of-n rules as linear threshold functions, by hand and by a perceptron.

    python examples/conjunctions.py

The weights on the left are those of the lecture.  A perceptron fits its own to the truth table.  Parity is not a linear
threshold function; with the conjunction x1 x2 as a third column it is.
"""

from itertools import product

import numpy as np

from linnet import Perceptron

TABLE = np.array(list(product([0, 1], repeat=3)))
BY_HAND = {
    "x1 and x2 and x3": ([1, 1, 1], 3, lambda a, b, c: a and b and c),
    "x1 and x2 and not x3": ([1, 1, -1], 2, lambda a, b, c: a and b and not c),
    "x1 or x2 or x3": ([1, 1, 1], 1, lambda a, b, c: a or b or c),
    "at least 2 of x1, x2, x3": ([1, 1, 1], 2, lambda a, b, c: a + b + c >= 2),
}


def main() -> None:
    for rule, (weights, threshold, truth) in BY_HAND.items():
        y = np.array([bool(truth(*row)) for row in TABLE])
        assert ((TABLE @ weights >= threshold) == y).all()
        model = Perceptron(shuffle=False).fit(TABLE, y)
        assert (model.predict(TABLE) == y).all()
        terms = " ".join(f"{w:+.0f} x{j + 1}" for j, w in enumerate(model.coef_[0]))
        by_hand = " ".join(f"{w:+d} x{j + 1}" for j, w in enumerate(weights))
        print(f"{rule:>25}:  {by_hand} >= {threshold}   fitted: {terms} > {-model.intercept_[0]:.0f}")

    square = np.array(list(product([0, 1], repeat=2)))
    parity = square.sum(axis=1) % 2
    plain = Perceptron(max_iter=1000, tol=None).fit(square, parity)
    wider = np.column_stack([square, square[:, 0] * square[:, 1]])
    lifted = Perceptron().fit(wider, parity)
    print(f"\nparity of x1, x2: accuracy {plain.score(square, parity):.0%} on the two columns,", end=" ")
    print(f"{lifted.score(wider, parity):.0%} with the conjunction x1 x2 as a third column")


if __name__ == "__main__":
    main()
