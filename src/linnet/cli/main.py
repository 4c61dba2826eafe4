"""The program `linnet`: its commands, its errors, its exit codes."""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated

import typer

import linnet
from linnet.cli.choices import Format, Method, OnError, Output, Penalty, Reduction, Task
from linnet.errors import (
    CertificateError,
    InputError,
    Interrupted,
    LinnetError,
    ModelFileError,
    OutputError,
    RecipeError,
)
from linnet.learners import catalogue

FAILED, WRONG_USAGE, BAD_INPUT, BAD_MODEL, NOT_PROVEN, INTERRUPTED = 1, 2, 3, 4, 5, 130

app = typer.Typer(
    help="One fast, trustworthy system for every linear model.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"linnet {linnet.__version__}")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback with every error.")] = False,
) -> None:
    """One fast, trustworthy system for every linear model."""
    if debug:
        _debugging.append(True)


Data = Annotated[
    list[str],
    typer.Argument(
        help="Files, globs, a folder, or - for standard input: svmlight, CSV, TSV, JSON Lines, Parquet, labelled text, "
        "or a folder with one folder of texts per class; also compressed (gz, bz2, xz, zst).",
        show_default=False,
    ),
]
ModelPath = Annotated[str, typer.Argument(help="A model file that linnet train wrote.", show_default=False)]
Form = Annotated[
    Format | None,
    typer.Option("--format", help="The data's format; guessed from name and content.", show_default=False),
]
Errors = Annotated[
    OnError,
    typer.Option("--on-error", help="Rows that cannot be read: stop there, leave them out, or keep them apart."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON, for other programs.")]
Threads = Annotated[
    int, typer.Option(min=0, help="Threads to read with; 0: one a core. Results are the same for any number.")
]
Cost = Annotated[
    list[str] | None,
    typer.Option(
        "--cost",
        metavar="TRUE,PREDICTED=COST",
        show_default=False,
        rich_help_panel="Deciding",
        help="What it costs to take one label for another (1 if not given): decide for what costs least. May be given "
        "often.",
    ),
]
Reject = Annotated[
    float | None,
    typer.Option(
        metavar="COST",
        show_default=False,
        rich_help_panel="Deciding",
        help="Predict nothing where every decision is expected to cost more than this.",
    ),
]
Least = Annotated[
    float | None,
    typer.Option(
        metavar="PROBABILITY",
        show_default=False,
        rich_help_panel="Deciding",
        help="Predict nothing where the predicted label is less probable than this.",
    ),
]


def _taking(strength: str) -> str:
    return ", ".join(entry.name for entry in catalogue.entries() if entry.strength == strength)


@app.command()
def train(
    data: Data,
    target: Annotated[
        str | None, typer.Option(help="The column to predict; some formats carry their own.", show_default=False)
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The model file; DATA.linnet if not given.", show_default=False)
    ] = None,
    learner: Annotated[
        str,
        typer.Option(
            help=f"auto, the best one for the data; or {', '.join(entry.name for entry in catalogue.entries())}.",
            rich_help_panel="Learning",
        ),
    ] = "auto",
    task: Annotated[
        Task | None,
        typer.Option(
            help="Predict a class or a number; guessed from the target.", show_default=False, rich_help_panel="Learning"
        ),
    ] = None,
    cost_of_loss: Annotated[
        float | None,
        typer.Option(
            "--C",
            metavar="C",
            help="How much the losses count against the penalty: less C, smaller weights. For "
            f"{_taking('C')} (default 1; logistic-dual on texts 16).",
            show_default=False,
            rich_help_panel="Penalty",
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            metavar="ALPHA",
            help=f"The weight of the penalty: more alpha, smaller weights. For {_taking('alpha')} (naive Bayes: what "
            "is added to every count).",
            show_default=False,
            rich_help_panel="Penalty",
        ),
    ] = None,
    penalty: Annotated[
        Penalty | None,
        typer.Option(
            help="Draw all weights to 0 a little (l2), many of them to 0 exactly (l1), both (elasticnet), or none; "
            "which there are depends on the learner. The intercept is not penalised.",
            show_default=False,
            rich_help_panel="Penalty",
        ),
    ] = None,
    l1_ratio: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="The part of an elastic net that is l1 (default 0.5).",
            show_default=False,
            rich_help_panel="Penalty",
        ),
    ] = None,
    penalise_intercept: Annotated[
        bool,
        typer.Option(
            "--penalise-intercept",
            help="Hold the intercept back as the weights are, for learners that see all rows at once under a penalty.",
            rich_help_panel="Penalty",
        ),
    ] = False,
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            "--class-weight",
            metavar="balanced|LABEL=WEIGHT",
            help="How much the rows of a label count in learning (1 if not given): spam=5 is as if each were there "
            "five times. May be given often. balanced: all labels alike in all; for learners that see all rows at "
            "once.",
            show_default=False,
            rich_help_panel="Learning",
        ),
    ] = None,
    multiclass: Annotated[
        Reduction | None,
        typer.Option(
            help="More than two classes: all jointly, jointly with no weights for the last label, each against the "
            "rest, or in pairs that vote; which there are depends on the learner.",
            show_default=False,
            rich_help_panel="Learning",
        ),
    ] = None,
    promotion: Annotated[
        float | None,
        typer.Option(
            metavar="ALPHA",
            help="Winnow's α: what a mistake multiplies weights by, or divides them by (default 2; balanced 1.2).",
            show_default=False,
            rich_help_panel="Learning",
        ),
    ] = None,
    winnow_threshold: Annotated[
        float | None,
        typer.Option(
            metavar="THETA",
            help="The Θ of winnow1 and winnow2: what a row's weights must exceed together (default: half the features "
            "where all columns are numbers; else 512).",
            show_default=False,
            rich_help_panel="Learning",
        ),
    ] = None,
    passes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Passes of an online learner over the data (default 1).",
            show_default=False,
            rich_help_panel="Learning",
        ),
    ] = None,
    holdout: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=0.9,
            help="Share of rows to hold out and measure on (default 0.1).",
            show_default=False,
            rich_help_panel="Learning",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=2**63 - 1, help="For shuffling and for which rows are held out.", rich_help_panel="Learning"
        ),
    ] = 0,
    calibrate: Annotated[
        Method | None,
        typer.Option(
            help="Make scores probabilities by what they meant for rows not learnt from.",
            show_default=False,
            rich_help_panel="Deciding",
        ),
    ] = None,
    threshold_for: Annotated[
        str | None,
        typer.Option(
            "--threshold-for",
            metavar="METRIC[:LABEL]",
            show_default=False,
            rich_help_panel="Deciding",
            help="Of two labels decide at the probability that is best for a metric, chosen on rows not learnt from: "
            "f1, f0.5, f2, accuracy, balanced-accuracy, matthews, precision@recall=0.95 (the best precision that still "
            "finds 95 %), recall@precision=0.9. LABEL is what is to be found, as in f1:spam; of no and yes, or 0 and "
            "1, that is plain.",
        ),
    ] = None,
    cost: Cost = None,
    reject: Reject = None,
    least: Least = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="NAME:ROLE",
            show_default=False,
            rich_help_panel="Features",
            help="A column's role: number, category, text, id, weight, ignore. May be given often.",
        ),
    ] = None,
    cross: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            show_default=False,
            rich_help_panel="Features",
            help="Learn from columns together, too: categories by their combination, numbers by their product.",
        ),
    ] = None,
    polynomial: Annotated[
        int, typer.Option(min=1, max=5, help="All products of numbers up to this degree.", rich_help_panel="Features")
    ] = 1,
    conjunctions: Annotated[
        int,
        typer.Option(
            min=1,
            max=5,
            metavar="K",
            help="Up to K columns together that a row has (are not 0), whichever they are: with winnow1, a k-DNF.",
            rich_help_panel="Features",
        ),
    ] = 1,
    ngrams: Annotated[
        str,
        typer.Option(
            metavar="N or M-N", help="How many words (or characters) go together.", rich_help_panel="Features"
        ),
    ] = "1-2",
    analyzer: Annotated[
        str, typer.Option(help="word, char, or char_wb (characters within words).", rich_help_panel="Features")
    ] = "word",
    counts: Annotated[
        str, typer.Option(help="What a count in a text is worth: log, binary or count.", rich_help_panel="Features")
    ] = "log",
    hash_bits: Annotated[
        int,
        typer.Option(
            min=0,
            max=31,
            rich_help_panel="Features",
            help="Hash names into 2^BITS features per column; 0: an exact dictionary. Collisions are counted.",
        ),
    ] = 0,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Does a CSV begin with names? Guessed.",
            show_default=False,
            rich_help_panel="Reading",
        ),
    ] = None,
    form: Form = None,
    on_error: Errors = OnError.FAIL,
    memory: Annotated[
        str, typer.Option(help="Rows that take more than this are learnt out of core.", rich_help_panel="Reading")
    ] = "1GB",
    threads: Threads = 0,
    checkpoint_every: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="ROWS",
            help="Save the state every so many rows (online).",
            show_default=False,
            rich_help_panel="Going on",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on from the checkpoint of the same command.", rich_help_panel="Going on"),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the results.")] = False,
    json: AsJson = False,
) -> None:
    """Learn a model from data: one command from any file.

    linnet train reviews.jsonl.gz --target label

    linnet train adult.csv --target income --cross education,occupation

    linnet train clicks.svm.gz --learner adaptive --checkpoint-every 1000000

    linnet train adult.csv --target income --learner logistic-gradient --penalty l1 --C 0.1

    linnet train mail.csv --target kind --calibrate sigmoid --cost ham,spam=10

    linnet train mail.csv --target kind --threshold-for precision@recall=0.95:spam
    """
    from linnet.cli import options as parse
    from linnet.cli import train as command
    from linnet.learners.strength import Strength
    from linnet.learners.winnowing import Winnowing
    from linnet.pipeline.train import TrainOptions
    from linnet.training.class_weights import ClassWeights

    output = output or command.default_output(data)
    features = parse.features(ngrams, analyzer, counts, cross or [], polynomial, hash_bits, conjunctions)
    command.run(
        data,
        TrainOptions(
            target=target, roles=parse.roles(column or []), form=form, header=header, task=task, learner=learner,
            passes=passes, holdout=holdout, seed=seed, memory=parse.size(memory), features=features, on_error=on_error,
            quarantine=f"{output}.quarantine", threads=threads, checkpoint=f"{output}.checkpoint",
            checkpoint_every=checkpoint_every, resume=resume, calibrate=calibrate, costs=cost, reject=reject,
            least=least, threshold_for=threshold_for,
            class_weights=ClassWeights.of(class_weight) if class_weight else None,
            strength=Strength(cost_of_loss, alpha, penalty, l1_ratio, multiclass, penalise_intercept),
            winnowing=Winnowing(promotion, winnow_threshold),
        ),
        output,
        as_json=json,
        quiet=quiet,
    )  # fmt: skip


@app.command()
def predict(
    model: ModelPath,
    data: Annotated[
        list[str] | None, typer.Argument(help="Data as for train; standard input if none.", show_default=False)
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="Where to; - is standard output.")] = "-",
    kind: Annotated[Output, typer.Option("--as", help="CSV, JSON Lines, or plain labels.")] = Output.CSV,
    cost: Cost = None,
    reject: Reject = None,
    least: Least = None,
    form: Form = None,
    on_error: Errors = OnError.FAIL,
    threads: Threads = 0,
    json: Annotated[bool, typer.Option("--json", help="The same as --as jsonl.")] = False,
) -> None:
    """Predict every row of the data, in order; by costs, if given here or to train. What is rejected is left empty.

    linnet predict reviews.linnet new.jsonl.gz -o predictions.csv

    linnet predict mail.linnet new.csv --cost ham,spam=10 --reject 0.5

    echo 'You have won a prize!' | linnet predict spam.linnet --as labels
    """
    from linnet.cli import options as parse
    from linnet.cli import predict as command

    decisions = parse.Decisions(cost, reject, least)
    command.run(model, data or ["-"], output, form, Output.JSONL if json else kind, on_error, threads, decisions)


@app.command()
def evaluate(
    model: ModelPath,
    data: Data,
    cost: Cost = None,
    reject: Reject = None,
    least: Least = None,
    form: Form = None,
    on_error: Errors = OnError.FAIL,
    threads: Threads = 0,
    json: AsJson = False,
) -> None:
    """Measure a model on data with known targets: figures with their 95 % intervals, and what is confused with what.

    With costs, given here or to train, also what its decisions cost.

    linnet evaluate reviews.linnet reviews-test.jsonl.gz
    """
    from linnet.cli import evaluate as command
    from linnet.cli import options as parse

    command.run(model, data, form, on_error, threads, parse.Decisions(cost, reject, least), as_json=json)


@app.command()
def inspect(
    model: ModelPath,
    data: Annotated[list[str] | None, typer.Argument(help="Data with a row to explain.", show_default=False)] = None,
    row: Annotated[int, typer.Option(min=1, help="Which row of the data to explain, counted from 1.")] = 1,
    top: Annotated[int, typer.Option(min=1, help="How many features to show.")] = 15,
    features: Annotated[
        str | None,
        typer.Option(metavar="PATTERN", help="Show the weights of features called like this.", show_default=False),
    ] = None,
    form: Form = None,
    json: AsJson = False,
) -> None:
    """Show what is in a model: columns, weights by name; and, given data, why a row gets its label.

    linnet inspect reviews.linnet --features 'text:*great*'

    linnet inspect reviews.linnet new.jsonl.gz --row 3
    """
    from linnet.cli import inspect as command

    command.run(model, data or [], row, form, top, features, as_json=json)


@app.command()
def verify(
    model: Annotated[
        str,
        typer.Argument(
            help="A model file that linnet train wrote; with --separable the first of DATA.", show_default=False
        ),
    ],
    data: Annotated[
        list[str] | None, typer.Argument(help="The data that the model was learnt from.", show_default=False)
    ] = None,
    separable: Annotated[
        bool,
        typer.Option("--separable", help="No model: can a plane separate the classes of DATA? A proof either way."),
    ] = False,
    target: Annotated[
        str | None,
        typer.Option(
            help="With --separable: the column that has the classes; some formats carry their own.", show_default=False
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="NAME:ROLE",
            show_default=False,
            help="With --separable: a column's role, as for train. May be given often.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            show_default=False,
            help="With --separable: how long to look for a proof, for each class (default 60).",
        ),
    ] = None,
    form: Form = None,
    on_error: Errors = OnError.FAIL,
    json: AsJson = False,
) -> None:
    """Check what a model states as proven against the data it was learnt from; exit with 5 if it does not hold.

    linnet verify reviews.linnet reviews.jsonl.gz

    With --separable, prove of the data alone that a plane separates their classes, or that none does: exit with 0 for
    either, with 1 if it remains undecided. The columns become features as they do for linnet train.

    linnet verify --separable mushrooms.csv --target kind
    """
    from linnet.cli import options as parse
    from linnet.cli import separable as of_data
    from linnet.cli import verify as command

    if separable:
        roles = parse.roles(column or [])
        of_data.run([model, *(data or [])], target, roles, form, on_error, seconds, as_json=json)
        return
    if target is not None or column or seconds is not None:
        raise RecipeError("--target, --column and --seconds go with --separable: a model knows its own columns")
    if not data:
        raise RecipeError("name the data that the model was learnt from: linnet verify MODEL DATA")
    command.run(model, data, form, on_error, as_json=json)


@app.command()
def boolean(
    expression: Annotated[
        str | None,
        typer.Argument(
            help="Names with & | ~ ^ -> <-> (also and, or, not), 0, 1, parentheses, atleast(k, ...), atmost, exactly, "
            "majority; or a truth table like 0110.",
            show_default=False,
        ),
    ] = None,
    variables: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...", help="The variables, in order; as they come in the expression.", show_default=False
        ),
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="Show the truth table, with the weighted sums.")] = False,
    count: Annotated[
        int | None,
        typer.Option(metavar="N", help="Count the linear threshold functions of N variables.", show_default=False),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.0, help="How long to look for the fewest conjunctions, about.")
    ] = 10.0,
    json: AsJson = False,
) -> None:
    """Can a line say it? The smallest weights of a Boolean function, or the proof that there are none and what helps.

    linnet boolean 'x1 & x2 & ~x3'

    linnet boolean 'atleast(2, x1, x2, x3)' --table

    linnet boolean 'x1 ^ x2'

    linnet boolean --count 4
    """
    from linnet.cli import boolean as command

    command.run(expression, variables, count, seconds, table=table, as_json=json)


@app.command()
def demo(
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON, for other programs.")] = False,
) -> None:
    """Train on real text by the very commands you would type, then every family of linear models on small data.

    The text is 33,530 movie reviews (pip install 'linnet\\[demo]'); the small data ship with scikit-learn: breast
    cancer (two classes), digits (ten), diabetes (a number).

    And the four cars of the lecture on least squares.
    """
    from linnet.cli.demo import run

    run(as_json=json)


def main() -> None:
    """Run the program; an error is a line or two, not a traceback."""
    try:
        app()
    except LinnetError as error:
        if isinstance(error, OutputError) and error.errno == errno.EPIPE:  # who read us has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(0) from None
        if _debugging:
            raise
        print(f"linnet: {error}", file=sys.stderr)
        raise SystemExit(_exit_code(error)) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


_debugging: list[bool] = []


def _exit_code(error: LinnetError) -> int:
    for kind, code in (
        (Interrupted, INTERRUPTED),
        (RecipeError, WRONG_USAGE),
        (ModelFileError, BAD_MODEL),
        (CertificateError, NOT_PROVEN),
        (InputError, BAD_INPUT),
    ):
        if isinstance(error, kind):
            return code
    return FAILED
