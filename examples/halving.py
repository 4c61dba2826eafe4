"""Halving: every mistake costs at least half of what is still possible.

    python examples/halving.py

The rule is a disjunction of 3 of 30 variables that nobody tells.  All disjunctions of at most 3 are kept, and the
majority of those that no example has contradicted predicts.  When it errs, at least half of them were wrong: so it
cannot err more often than log2 |C|, whoever chooses the examples.  First they come at random; then from an adversary
who sees the votes, and answers against the majority as long as some disjunction agrees with all of the answers.
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
    print(f"{total:,} disjunctions of at most {K} of {D} variables; log2 of it is {model.bound_:.2f}\n")
    print("examples    |V|  mistakes")
    for seen in (1, 2, 5, 10, 20, 50, 100, 200):
        print(f"{seen:8}{model.sizes_[seen - 1]:7,}{model.mistaken_[:seen].sum():10}")
    print(f"\nthe rule was {' or '.join(f'x{v}' for v in rule)}; left: {'; '.join(model.concepts_)}")
    print(model.certificate_)

    print("\nan adversary, who wants mistakes:")
    rows = (rng.random((4000, D)) < rng.choice([0.03, 0.1, 0.3, 0.6], size=(4000, 1))).astype(int)
    against = Halving("disjunctions", k=K)
    # a row of zeros begins the stream: every disjunction says no to it, and so does the truth
    against.partial_fit(np.zeros((1, D), dtype=int), [0])
    while True:
        share = against.predict_proba(rows)[:, 1]
        minority = np.minimum(share, 1 - share)
        worst = int(minority.argmax())
        if minority[worst] == 0:
            break
        answer = 1 - int(against.predict(rows[[worst]])[0])
        against.partial_fit(rows[[worst]], [answer])
        print(f"  mistake {against.mistakes_:2}: |V| {against.sizes_[-2]:5,} -> {against.sizes_[-1]:5,}")
    print(against.certificate_)


if __name__ == "__main__":
    main()
