"""What an interior-point step of the SVM does row by row (training/solvers/interior_point.py has the equations).

With u = C - a, short = margin - 1 and, of the predictor, the changes da, ds = -s (1 + da/a) and dxi = -xi (1 - da/u):

    weighed    T = 1 / (xi/u + s/a), and T short
    predicted  da = -T (short + along), and how far along it the bounds are
    aimed      q = short + of_u - of_a, with of_a = (mu - da ds) / a and of_u = (mu + da dxi) / u, and T q
    directed   da = -T (q + along), ds = of_a - s - s da/a, dxi = of_u - xi + xi da/u, and how far the bounds are
    moved      all variables by a length of these

Everything adds in row order.
"""

import cython


@cython.cdivision(True)
def weighed(
    costs: cython.const[cython.double][::1],
    a: cython.const[cython.double][::1],
    s: cython.const[cython.double][::1],
    xi: cython.const[cython.double][::1],
    margins: cython.const[cython.double][::1],
    T: cython.double[::1],
    pulls: cython.double[::1],
):
    """Sets T and pulls = T short."""
    i: cython.Py_ssize_t
    u: cython.double
    with cython.nogil:
        for i in range(a.shape[0]):
            u = costs[i] - a[i]
            T[i] = a[i] * u / (xi[i] * a[i] + s[i] * u)
            pulls[i] = T[i] * (margins[i] - 1.0)


@cython.cdivision(True)
def predicted(
    costs: cython.const[cython.double][::1],
    a: cython.const[cython.double][::1],
    s: cython.const[cython.double][::1],
    xi: cython.const[cython.double][::1],
    margins: cython.const[cython.double][::1],
    T: cython.const[cython.double][::1],
    along: cython.const[cython.double][::1],
    da: cython.double[::1],
):
    """Sets da.  Returns the most that a variable falls, as a fraction of itself; the sum of the products a s + u xi;
    and what it falls by along a length t of the step beside t of itself, over t^2."""
    i: cython.Py_ssize_t
    u: cython.double
    by_a: cython.double
    by_u: cython.double
    furthest: cython.double = 0.0
    products: cython.double = 0.0
    second: cython.double = 0.0
    with cython.nogil:
        for i in range(a.shape[0]):
            u = costs[i] - a[i]
            da[i] = -T[i] * (margins[i] - 1.0 + along[i])
            by_a = da[i] / a[i]
            by_u = da[i] / u
            furthest = max(furthest, 1.0 + by_a, -by_a)
            furthest = max(furthest, 1.0 - by_u, by_u)
            products += a[i] * s[i] + u * xi[i]
            second += da[i] * (s[i] * (1.0 + by_a) - xi[i] * (1.0 - by_u))
    return furthest, products, second


@cython.cdivision(True)
def aimed(
    costs: cython.const[cython.double][::1],
    a: cython.const[cython.double][::1],
    s: cython.const[cython.double][::1],
    xi: cython.const[cython.double][::1],
    margins: cython.const[cython.double][::1],
    T: cython.const[cython.double][::1],
    da: cython.const[cython.double][::1],
    mu: cython.double,
    of_a: cython.double[::1],
    of_u: cython.double[::1],
    pulls: cython.double[::1],
):
    """Sets of_a, of_u and pulls = T q."""
    i: cython.Py_ssize_t
    u: cython.double
    with cython.nogil:
        for i in range(a.shape[0]):
            u = costs[i] - a[i]
            of_a[i] = (mu + da[i] * s[i] * (1.0 + da[i] / a[i])) / a[i]
            of_u[i] = (mu - da[i] * xi[i] * (1.0 - da[i] / u)) / u
            pulls[i] = T[i] * (margins[i] - 1.0 + of_u[i] - of_a[i])


@cython.cdivision(True)
def directed(
    costs: cython.const[cython.double][::1],
    a: cython.const[cython.double][::1],
    s: cython.const[cython.double][::1],
    xi: cython.const[cython.double][::1],
    T: cython.const[cython.double][::1],
    along: cython.const[cython.double][::1],
    pulls: cython.const[cython.double][::1],
    da: cython.double[::1],
    ds: cython.double[::1],
    dxi: cython.double[::1],
):
    """Sets da, and ds and dxi, which are of_a and of_u before.  Returns the most that a variable falls, as a fraction
    of itself."""
    i: cython.Py_ssize_t
    u: cython.double
    furthest: cython.double = 0.0
    with cython.nogil:
        for i in range(a.shape[0]):
            u = costs[i] - a[i]
            da[i] = -pulls[i] - T[i] * along[i]
            ds[i] = ds[i] - s[i] * (1.0 + da[i] / a[i])
            dxi[i] = dxi[i] - xi[i] * (1.0 - da[i] / u)
            furthest = max(furthest, -da[i] / a[i], da[i] / u)
            furthest = max(furthest, -ds[i] / s[i], -dxi[i] / xi[i])
    return furthest


def moved(
    length: cython.double,
    along: cython.const[cython.double][::1],
    da: cython.const[cython.double][::1],
    ds: cython.const[cython.double][::1],
    dxi: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    margins: cython.double[::1],
    a: cython.double[::1],
    s: cython.double[::1],
    xi: cython.double[::1],
):
    """Moves all of them; returns the summed losses, the sum of a, and how many margins are not positive."""
    i: cython.Py_ssize_t
    loss: cython.double = 0.0
    total: cython.double = 0.0
    mistakes: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(a.shape[0]):
            margins[i] += length * along[i]
            a[i] += length * da[i]
            s[i] += length * ds[i]
            xi[i] += length * dxi[i]
            total += a[i]
            if margins[i] < 1.0:
                loss += costs[i] * (1.0 - margins[i])
            if margins[i] <= 0.0:
                mistakes += 1
    return loss, total, mistakes
