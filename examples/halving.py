"""Halving: every mistake removes at least half of the version space.

    python examples/halving.py

The target is an unknown disjunction of 3 of 30 variables.  The version space holds all disjunctions of at most 3
variables that are consistent with the examples, and the majority vote predicts.  When it is wrong, at least half of
them were wrong, so there are at most log2 |C| mistakes for any sequence of examples.  First the examples are random;
then an adversary chooses them, and labels against the majority while some disjunction is consistent with all labels.
"""

import numpy as np

from linnet import Halving

D, K = 30, 3


def main() -> None:
    rng = np.random.default_rng(0)
    rule = sorted(rng.choice(D, size=K, replace=False).tolist())
    X = (rng.random((200, D)) < 0.2).astype(int)
    y = X[:, rule].any(axis=1).astype(int)
    model = Halving("disjunctions", k=K).fit(X, y)
    total = model.certificate_.concepts
    print(f"{total:,} disjunctions of at most {K} of {D} variables; log2 |C| = {model.bound_:.2f}\n")
    print("examples    |V|  mistakes")
    for seen in (1, 2, 5, 10, 20, 50, 100, 200):
        print(f"{seen:8}{model.sizes_[seen - 1]:7,}{model.mistaken_[:seen].sum():10}")
    print(f"\nthe target is {' or '.join(f'x{v}' for v in rule)}; consistent: {'; '.join(model.concepts_)}")
    print(model.certificate_)

    print("\nan adversary chooses the examples:")
    rows = (rng.random((4000, D)) < rng.choice([0.03, 0.1, 0.3, 0.6], size=(4000, 1))).astype(int)
    against = Halving("disjunctions", k=K)
    # a first row of zeros: every disjunction is false there
    against.partial_fit(np.zeros((1, D), dtype=int), [0])
    while True:
        positive = against.predict_proba(rows)[:, 1]
        minority = np.minimum(positive, 1 - positive)
        worst = int(minority.argmax())
        if minority[worst] == 0:
            break
        answer = 1 - int(against.predict(rows[[worst]])[0])
        against.partial_fit(rows[[worst]], [answer])
        print(f"  mistake {against.mistakes_:2}: |V| {against.sizes_[-2]:5,} -> {against.sizes_[-1]:5,}")
    print(against.certificate_)


if __name__ == "__main__":
    main()
