"""L-BFGS on any smooth objective."""

from __future__ import annotations

import numpy as np

from linnet.cores import scipy
from linnet.training.descent import Descent, Found
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import Flat, Objective


def lbfgs(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """L-BFGS (Liu, Nocedal 1989) on weights measured in each column's own unit, until |gradient| <= tol |first one|."""
    units = problem.units()
    history: list[Pass] = []
    latest: list[Pass] = []

    def value_and_gradient(scaled: Flat) -> tuple[float, Flat]:
        value, gradient, tally = problem.smooth(scaled / units)
        latest[:] = [tally]
        return value, gradient / units

    def step_taken(_: Flat) -> None:
        history.append(latest[0])
        watch(latest[0])

    start = how.begin(problem, units)
    compared = np.zeros(problem.size) if how.warm else start
    first = float(np.abs(value_and_gradient(compared)[1]).max(initial=0.0))
    if first == 0.0:
        return Found(compared / units, latest, True)
    short = (how.tol or 0.0) * first
    result = scipy("optimize").minimize(
        value_and_gradient,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=step_taken,
        options={"maxiter": how.most, "maxfun": 20 * how.most, "gtol": short, "ftol": 0.0, "maxcor": 20},
    )
    # With ftol 0 the search also ends where rounding lets f fall no further: that too is the minimum.
    at_rounding = result.status == 2 and float(np.abs(result.jac).max()) <= 1e3 * short
    return Found(result.x / units, history or latest, result.status == 0 or at_rounding or how.tol is None)
