"""The learners again, as plainly as NumPy can say them: dense, eager, one step after the other.

Nothing here is lazy: penalties touch every weight at every step, averages add up every weight vector.
"""

from __future__ import annotations

import numpy as np

from linnet.learners.losses import Loss
from linnet.learners.schedule import Step


def loss_and_pull(loss, margin):
    if loss is Loss.PERCEPTRON:
        return (max(0.0, -margin), float(margin <= 0))
    if loss is Loss.HINGE:
        return (max(0.0, 1 - margin), float(margin < 1))
    if loss is Loss.SQUARED_HINGE:
        return (max(0.0, 1 - margin) ** 2, 2 * max(0.0, 1 - margin))
    if loss is Loss.LOGISTIC:
        return (np.logaddexp(0, -margin), np.exp(-np.logaddexp(0, margin)))
    if loss is Loss.MODIFIED_HUBER:
        return (-4 * margin, 4.0) if margin < -1 else (max(0.0, 1 - margin) ** 2, 2 * max(0.0, 1 - margin))
    return ((1 - margin) ** 2 / 2, 1 - margin)


def pulls(loss, scores, target, regression):
    """(loss, the pull on each output)."""
    if regression:
        residual = target - scores[0]
        return residual**2 / 2, np.array([residual])
    if len(scores) == 1:
        value, pull = loss_and_pull(loss, target * scores[0])
        return value, np.array([pull * target])
    truth = int(target)
    signs = np.where(np.arange(len(scores)) == truth, 1.0, -1.0)
    if loss is Loss.LOGISTIC:
        p = np.exp(scores - scores.max())
        p /= p.sum()
        return -np.log(p[truth]), (signs > 0) - p
    if loss is Loss.SQUARED:
        return ((signs - scores) ** 2).sum() / 2, signs - scores
    others = np.where(signs > 0, -np.inf, scores)
    rival = int(np.argmax(others))
    value, pull = loss_and_pull(loss, scores[truth] - scores[rival])
    moved = np.zeros(len(scores))
    moved[truth], moved[rival] = pull, -pull
    return value, moved


def soft(w, by):
    return np.sign(w) * np.maximum(np.abs(w) - by, 0)


def run(
    X, targets, recipe, outputs=1, *, intercept=True, regression=False, passes=1, sample_weights=None, population=1.0
):
    """All weights met on the way, [(w, b), ...] after each step, and the total of mistakes."""
    X = np.asarray(X, dtype=np.float64)
    w, b, met, mistakes, t = np.zeros((X.shape[1], outputs)), np.zeros(outputs), [], 0, 0
    penalty, schedule = recipe.penalty, recipe.schedule
    for _ in range(passes):
        for i, x in enumerate(X):
            t += 1
            weight = 1.0 if sample_weights is None else sample_weights[i]
            scores = x @ w + b
            value, pull = pulls(recipe.loss, scores, targets[i], regression)
            lead = (
                targets[i] * scores[0]
                if outputs == 1
                else scores[int(targets[i])] - np.delete(scores, int(targets[i])).max()
            )
            mistakes += (not regression) and not lead > 0
            if schedule.step is Step.POWER:
                eta = schedule.at(t) / (penalty.l2 if schedule.per_penalty else 1.0)
            else:
                length = (x @ x + intercept) * (2 if outputs > 1 else 1)
                if schedule.step is Step.PASSIVE_AGGRESSIVE_1:
                    eta = min(schedule.eta, value / (length * weight)) if length else 0.0
                else:
                    eta = value / (weight * (length + 1 / (2 * schedule.eta * weight)))
            spread = min(t, population)
            w = w * max(0.0, 1 - eta * penalty.l2 / spread) + eta * weight * np.outer(x, pull)
            w = soft(w, eta * penalty.l1 / spread)
            if intercept:
                b = b + eta * weight * pull
            met.append((w, b))
    return met, mistakes


def adaptive(X, targets, recipe, outputs=1, *, intercept=True, regression=False, passes=1):
    """NAG (Ross, Mineiro, Langford 2013, algorithm 2) as printed: raw weights, rescaled when a larger value appears.

    Penalties: since a column was last touched, the rates so far (times s_j) have shrunk its weights.
    """
    X = np.asarray(X, dtype=np.float64)
    n, d = X.shape
    Z = np.hstack([X, np.ones((n, 1)) if intercept else np.zeros((n, 0))])
    w, G, s, N, t = np.zeros((Z.shape[1], outputs)), np.zeros((Z.shape[1], outputs)), np.zeros(Z.shape[1]), 0.0, 0
    l1, l2 = recipe.penalty.l1, recipe.penalty.l2
    rates, touched, seen = 0.0, np.zeros(d), []

    def pay(j):
        owed = (rates - touched[j]) * s[j] / np.sqrt(np.where(G[j] > 0, G[j], 1.0))  # in units of w_j s_j
        w[j] = soft(w[j] * s[j] * np.exp(-l2 * owed), l1 * owed) / s[j] if s[j] > 0 else 0.0
        touched[j] = rates

    for _ in range(passes):
        for i, x in enumerate(Z):
            t += 1
            for j in np.flatnonzero(x[:d]):
                pay(j)
            for j in np.flatnonzero(np.abs(x) > s):
                w[j] *= s[j] / abs(x[j])
                s[j] = abs(x[j])
            on = x != 0
            N += ((x[on] / s[on]) ** 2).sum()
            seen.append(targets[i])
            mean, deviation = location_and_scale(seen, intercept) if regression else (0.0, 1.0)
            target = (targets[i] - mean) / deviation if deviation > 0 else 0.0
            g = np.outer(x, pulls(recipe.loss, x @ w, target if regression else targets[i], regression)[1])
            G += g**2
            moved = G > 0
            rate = recipe.schedule.eta * np.sqrt(t / N) if N > 0 else recipe.schedule.eta
            rates += rate
            units = np.where(s > 0, s, 1)[:, None] * np.sqrt(np.where(moved, G, 1))
            if regression:  # the score nears its target, never beyond (Karampatziakis, Langford 2011, for this step)
                reach = (rate * x[:, None] ** 2 / units)[moved].sum()
                rate *= -np.expm1(-reach) / reach if reach > 0 else 1.0
            w[moved] += (rate * g / units)[moved]
    for j in range(d):
        pay(j)
    mean, deviation = location_and_scale(seen, intercept) if regression else (0.0, 1.0)
    b = w[-1] * deviation + mean if intercept else np.zeros(outputs)
    return w[:d] * deviation, b


def location_and_scale(seen, intercept):
    return (np.mean(seen), np.std(seen)) if intercept else (0.0, np.sqrt(np.mean(np.square(seen))))


def winnow(X, positive, factors, passes=1, sample_weights=None):
    """(w, b, mistakes) of Winnow, with its complements written out as columns."""
    X = np.asarray(X, dtype=np.float64)
    n, d = X.shape
    sample_weights = np.ones(n) if sample_weights is None else sample_weights
    if factors.balanced:
        Z = np.hstack([X, np.ones((n, 1))])
        up, down, threshold = np.ones(d + 1), np.ones(d + 1), 0.0
    else:
        Z = np.hstack([X, 1 - X]) if factors.complement else X
        up, down = np.ones(Z.shape[1]), np.zeros(Z.shape[1])
        threshold = Z.shape[1] / 2 if factors.threshold is None else factors.threshold
    mistakes = 0
    for _ in range(passes):
        for z, truth, weight in zip(Z, positive, sample_weights, strict=True):
            if ((up - down) @ z > threshold) != truth:
                mistakes += 1
                f, g = (factors.promotion, factors.demotion) if truth else (factors.demotion, factors.promotion)
                up *= np.where(z > 0, f ** (weight * z) if f else 0.0, 1.0)
                down *= np.where(z > 0, g ** (weight * z) if g else 1.0, 1.0)
    if factors.balanced:
        return (up - down)[:d], (up - down)[d], mistakes
    if factors.complement:
        return up[:d] - up[d:], up[d:].sum() - threshold, mistakes
    return up, -threshold, mistakes
