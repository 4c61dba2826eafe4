"""The two reads of the remembered steps that an iteration of L-BFGS takes (see training/solvers/softmax.py).

Weights are plain; what is remembered is measured in units, one a weight.  Each read goes over the weights from start to
stop, 8192 at a time, which stay in a near cache, and over every remembered vector once.  A product has 16 sums side by
side: one alone would wait for each addition before the next.  What is remembered is in single or in double precision.
"""

import cython


def direction(
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    coefficients: cython.const[cython.floating][::1],
    kept: cython.const[cython.floating][:, ::1],
    coefficient: cython.double,
    gradient: cython.const[cython.double][::1],
    per_unit: cython.const[cython.double][::1],
    weights: cython.const[cython.double][::1],
    penalised: cython.Py_ssize_t,
    into: cython.double[::1],
):
    """into = p per_unit, with p = sum_r coefficients_r kept_r + coefficient gradient.

    Returns p . gradient, and of the penalised weights, which come first, the sums of into weights and of into^2.
    """
    first: cython.Py_ssize_t
    size: cython.Py_ssize_t
    r: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.floating
    p: cython.double
    slope: cython.double = 0.0
    crossed: cython.double = 0.0
    squared: cython.double = 0.0
    one: cython.pointer(cython.const[cython.floating])
    combined: cython.floating[8192]
    with cython.nogil:
        for first in range(start, stop, 8192):
            size = min(8192, stop - first)
            for j in range(size):
                combined[j] = 0.0
            for r in range(coefficients.shape[0]):
                c = coefficients[r]
                if c != 0.0:
                    one = cython.address(kept[r, first])
                    for j in range(size):
                        combined[j] += c * one[j]
            for j in range(first, first + size):
                p = combined[j - first] + coefficient * gradient[j]
                slope += p * gradient[j]
                p *= per_unit[j]
                into[j] = p
                if j < penalised:
                    crossed += p * weights[j]
                    squared += p * p
    return slope, crossed, squared


def arrival(
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    length: cython.double,
    direction: cython.const[cython.double][::1],
    pulls: cython.const[cython.double][::1],
    units: cython.const[cython.double][::1],
    per_unit: cython.const[cython.double][::1],
    l2: cython.double,
    penalised: cython.Py_ssize_t,
    weights: cython.double[::1],
    gradient: cython.double[::1],
    kept: cython.floating[:, ::1],
    slot: cython.Py_ssize_t,
    products: cython.double[::1],
):
    """weights += length direction, and gradient = slopes per_unit, with slopes = pulls + l2 weights there (without the
    latter for weights that are not penalised).

    With R steps remembered, the step in units becomes kept[slot], what the gradient changed by kept[slot + R], and
    products[r] kept_r . gradient.  Returns the sums of gradient^2, step times change, change^2, and of the penalised
    weights that of slopes^2.
    """
    remembered: cython.Py_ssize_t = kept.shape[0] // 2
    first: cython.Py_ssize_t
    size: cython.Py_ssize_t
    r: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    step: cython.double
    there: cython.double
    change: cython.double
    total: cython.double = 0.0
    bend: cython.double = 0.0
    squared: cython.double = 0.0
    steepness: cython.double = 0.0
    one: cython.pointer(cython.const[cython.floating])
    steps: cython.pointer(cython.floating)
    changes: cython.pointer(cython.floating)
    slopes: cython.floating[8192]
    sums: cython.floating[16]
    with cython.nogil:
        for r in range(2 * remembered):
            products[r] = 0.0
        for first in range(start, stop, 8192):
            size = min(8192, stop - first)
            steps = cython.address(kept[slot, first])
            changes = cython.address(kept[slot + remembered, first])
            for j in range(size):
                k = first + j
                step = length * direction[k]
                weights[k] += step
                there = pulls[k]
                if k < penalised:
                    there += l2 * weights[k]
                    steepness += there * there
                step *= units[k]
                there *= per_unit[k]
                change = there - gradient[k]
                gradient[k] = there
                steps[j] = step
                changes[j] = change
                slopes[j] = there
                total += there * there
                bend += step * change
                squared += change * change
            for r in range(2 * remembered):
                one = cython.address(kept[r, first])
                for k in range(16):
                    sums[k] = 0.0
                for j in range(0, size - 15, 16):
                    for k in range(16):
                        sums[k] += one[j + k] * slopes[j + k]
                for j in range(size - size % 16, size):
                    sums[0] += one[j] * slopes[j]
                for k in range(16):
                    products[r] += sums[k]
    return total, bend, squared, steepness
