"""linnet demo: the commands on a file of movie reviews, then every family of learners on small real data."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from rich.table import Table

from linnet.cli.options import AsJson
from linnet.cli.terminal import console, plain, print_json

# The four cars of the lecture on least squares: weight and age, and miles per gallon.
CARS = [[31.5, 6.0], [36.2, 2.0], [43.1, 0.0], [27.6, 2.0]]
MILEAGE = [21.0, 25.0, 18.0, 30.0]


def command(json: AsJson = False) -> None:
    """Run the commands on movie reviews, every family of linear models on small data, and a tagger.

    The text is 33,530 movie reviews (pip install 'linnet\\[demo]'); the small data come with scikit-learn: breast
    cancer (two classes), digits (ten), diabetes (regression); and the four cars of the lecture on least squares. The
    sentences to tag are made on the spot. Finally a page about one of the models is written (linnet report).

    \b
    Examples:
      linnet demo
      linnet demo --json
    """
    run(as_json=json)


def _classifiers() -> dict[str, Any]:
    import linnet

    return {
        "perceptron, last weights": linnet.Perceptron(max_iter=100),
        "perceptron, averaged": linnet.Perceptron(averaging="average", max_iter=100),
        "perceptron, voted": linnet.Perceptron(averaging="vote", max_iter=20),
        "perceptron, batch": linnet.Perceptron(mode="batch", max_iter=1000),
        "passive-aggressive I": linnet.PassiveAggressive(),
        "passive-aggressive II": linnet.PassiveAggressive(loss="squared_hinge"),
        "pegasos (online SVM)": linnet.OnlineClassifier("pegasos", alpha=1e-2),
        "linear SVM": linnet.LinearSVC(C=0.1),
        "logistic, online": linnet.OnlineClassifier("sgd-logistic"),
        "logistic regression": linnet.LogisticRegression(),
        "adaptive, unscaled data": linnet.OnlineClassifier(),
    }


def _regressors() -> dict[str, Any]:
    import linnet

    return {
        "least squares, analytic": linnet.LinearRegression(),
        "least squares, gradient": linnet.LinearRegression(solver="gradient"),
        "Widrow-Hoff": linnet.LinearRegression(solver="online", max_iter=200, tol=None),
        "adaptive, unscaled data": linnet.OnlineRegressor(),
    }


@dataclass(frozen=True)
class Result:
    """One line of the table."""

    data: str
    learner: str
    measure: str
    score: float
    rows: int
    rows_held_out: int
    passes: int
    mistakes: int | None
    seconds: float
    converged: bool


def run(*, as_json: bool) -> None:
    """Train, collect, print."""
    from linnet.cli import demo_tagger, reviews

    if as_json:
        print_json([asdict(result) for result in _results()])
        return
    page = reviews.run()
    _print(list(_results()))
    demo_tagger.run()
    _print_page(page or _small_page())


def _small_page() -> str:
    """A page about a model of small data, where there are no reviews."""
    from sklearn.datasets import load_breast_cancer

    import linnet
    from linnet.cli.reviews import kept_page

    data, page = load_breast_cancer(), kept_page()
    names = [str(name) for name in data.feature_names]
    table = {name: data.data[:, number] for number, name in enumerate(names)}
    table["diagnosis"] = data.target_names[data.target]
    linnet.report.write(linnet.train(table, target="diagnosis"), page)
    return page


def _print_page(path: str) -> None:
    """Where the page is, for a browser."""
    console().print(f"\nA page about the model, to open in a browser: {plain(path)}")


def _results() -> Iterator[Result]:
    import numpy as np
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

    for name, load in (("breast cancer", load_breast_cancer), ("digits", load_digits)):
        data = _split(load(return_X_y=True))
        for learner, estimator in _classifiers().items():
            yield _trained(name, learner, estimator, data, "accuracy")
    data = _split(load_diabetes(return_X_y=True, scaled=False))
    for learner, estimator in _regressors().items():
        yield _trained("diabetes", learner, estimator, data, "R²")
    cars, mileage = np.array(CARS), np.array(MILEAGE)
    for learner, estimator in list(_regressors().items())[:3]:  # four rows are too few to learn a scale per column
        yield _trained("four cars", learner, estimator, (cars, cars, mileage, mileage), "training R²")


def _split(data: tuple[Any, Any]) -> tuple[Any, ...]:
    from sklearn.model_selection import train_test_split

    return tuple(train_test_split(*data, test_size=0.3, random_state=0))


def _trained(data_name: str, learner: str, estimator: Any, data: tuple[Any, ...], measure: str) -> Result:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.preprocessing import StandardScaler

    train, held_out, y, y_held_out = data
    rows_held_out = 0 if held_out is train else len(y_held_out)
    if "unscaled" not in learner:
        scaler = StandardScaler().fit(train)
        train, held_out = scaler.transform(train), scaler.transform(held_out)
    began = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        estimator.fit(train, y)
    seconds = perf_counter() - began
    mistakes = estimator.history_[-1].mistakes if hasattr(estimator, "classes_") else None
    score = float(estimator.score(held_out, y_held_out))
    return Result(
        data_name,
        learner,
        measure,
        score,
        len(y),
        rows_held_out,
        len(estimator.history_),
        mistakes,
        seconds,
        not caught,
    )


def _print(results: list[Result]) -> None:
    out = console(soft_wrap=False)
    for name in dict.fromkeys(result.data for result in results):
        mine = [result for result in results if result.data == name]
        classes = mine[0].mistakes is not None
        title = f"{name}: {mine[0].rows:,} training rows"
        if mine[0].rows_held_out:
            title += f", {mine[0].rows_held_out:,} held-out rows"
        table = Table(title=title, title_justify="left", title_style="bold")
        table.add_column("learner", no_wrap=True)
        for column in (mine[0].measure, "passes", *(("mistakes",) if classes else ()), "time"):
            table.add_column(column, justify="right")
        for result in mine:
            table.add_row(
                result.learner,
                f"{result.score:.3f}",
                f"{result.passes:,}" + ("" if result.converged else "*"),
                *((f"{result.mistakes:,}",) if classes else ()),
                f"{1e3 * result.seconds:.1f} ms",
            )
        out.print(table)
    out.print("mistakes: on training rows, in the last pass, each predicted before the weights change")
    out.print("*  did not converge within the passes it was given")
