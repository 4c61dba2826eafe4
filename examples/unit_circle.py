"""The perceptron on points of the unit circle, as in the lecture.

    python examples/unit_circle.py

Points on the upper left half of the circle are positive.  Every mistake adds the point to the weights, or subtracts it,
and so turns the line.  The number of updates is at most (R / gamma)^2, for any number of points.
"""

import numpy as np

from linnet import Perceptron


def main() -> None:
    angles = np.radians(np.arange(0, 360, 10))
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    direction = np.array([-1.0, 1.0]) / np.sqrt(2)
    y = np.where(X @ direction > 0, 1, -1)
    model = Perceptron(fit_intercept=False, shuffle=False)
    w = np.zeros(2)
    print("mistake on          weights after      their angle")
    for x, target in zip(X, y, strict=True):
        model.partial_fit([x], [target], classes=[-1, 1])
        if (model.coef_[0] != w).any():
            w = model.coef_[0].copy()
            at, turned = np.degrees(np.arctan2([x[1], w[1]], [x[0], w[0]]))
            print(f"{at % 360:6.0f} degrees   ({w[0]:+.3f}, {w[1]:+.3f})   {turned % 360:6.0f} degrees")
    model = Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    margin = (y * (X @ direction)).min()
    bound = 1 / margin**2
    print(f"\nconverged in {model.n_iter_} passes; {model.updates_} updates; at most (R/γ)² = {bound:.0f} are possible")


if __name__ == "__main__":
    main()
