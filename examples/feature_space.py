"""Feature spaces: sets that are not linearly separable until x², products or conjunctions are added.

    python examples/feature_space.py

Three sets of points that no line separates, as in the lecture, and the features with which one does.  A perceptron that
completes a pass without a mistake has found such a line; on the original points it never does.
"""

from itertools import product

import numpy as np

from linnet import Conjunctions, Perceptron, Polynomial

squares = Polynomial(degree=2, include_bias=False)


def fitted(X, y) -> Perceptron:
    return Perceptron(max_iter=1000, tol=None).fit(X, y)


def main() -> None:
    x = np.linspace(-3, 3, 25)[:, np.newaxis]
    between = np.abs(x[:, 0]) < 1.2
    angles = np.radians(np.arange(0, 360, 10))
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    rings = np.vstack([0.5 * circle, circle, 1.5 * circle])
    inside = (rings**2).sum(axis=1) < 1.1
    square = np.array(list(product([0, 1], repeat=2)))
    parity = square[:, 0] != square[:, 1]
    pairs = Conjunctions()
    for name, points, features, X, y in (
        ("between two points", x, "x, x²", squares.fit_transform(x), between),
        ("inside a circle", rings, "x, y, x², xy, y²", squares.fit_transform(rings), inside),
        ("exactly one of two", square, "x1, x2, x1·x2", pairs.fit_transform(square), parity),
    ):
        plain, lifted = fitted(points, y), fitted(X, y)
        assert plain.score(points, y) < 1 == lifted.score(X, y)
        print(f"{name:>20}: accuracy {plain.score(points, y):4.0%} on the original points,", end=" ")
        print(f"100% with {features} after {lifted.updates_} updates")

    line = fitted(squares.fit_transform(x), between)
    w1, w2 = line.coef_[0]
    low, high = np.sort(np.roots([w2, w1, line.intercept_[0]]))
    print(f"\na line in the plane of x and x² is an interval of x: here from {low:.2f} to {high:.2f}")


if __name__ == "__main__":
    main()
