"""Least squares on the lecture's four cars, by three solvers.

    python examples/mileage.py

Mileage is predicted from the weight and the age of a car.  Least squares has a closed form; batch gradient descent and
the Widrow-Hoff rule (a gradient step after each car) converge to the same solution.
"""

import numpy as np

from linnet import LinearRegression

CARS = np.array([[31.5, 6.0], [36.2, 2.0], [43.1, 0.0], [27.6, 2.0]])  # weight in 100 lb, age in years
MILEAGE = np.array([21.0, 25.0, 18.0, 30.0])


def main() -> None:
    # Gradient steps need columns of similar scale; the closed form does not.
    centre, spread = CARS.mean(axis=0), CARS.std(axis=0)
    scaled = (CARS - centre) / spread
    solvers = {
        "analytic": LinearRegression(solver="analytic"),
        "gradient": LinearRegression(solver="gradient", max_iter=10_000, tol=1e-10),
        "online": LinearRegression(solver="online", eta0=0.01, max_iter=20_000, tol=None, shuffle=False),
    }
    print("                 mileage = w0 + w1 weight + w2 age       passes    squared error")
    for name, model in solvers.items():
        model.fit(scaled, MILEAGE)
        w = model.coef_ / spread
        w0 = model.intercept_ - w @ centre
        error = ((MILEAGE - w0 - CARS @ w) ** 2).sum()
        print(f"{name:>10}      {w0:16.3f} {w[0]:+11.3f} {w[1]:+7.3f}   {model.n_iter_:12,}   {error:14.4f}")
    model = LinearRegression().fit(CARS, MILEAGE)
    print(f"\nPrediction for a car of 3,000 lb, four years old: {model.predict([[30.0, 4.0]])[0]:.1f} miles per gallon")


if __name__ == "__main__":
    main()
