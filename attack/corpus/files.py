"""Outputs that were inputs, streams that were closed or full."""

from __future__ import annotations

from dataclasses import replace

from attack import bases
from attack.case import Case, Command

TRAIN = ["--target", "y", "--format", "csv"]
TABLE = ["train", "table.csv", "--target", "y"]


def retraining_on_the_quarantine() -> Case:
    content = bases.data("table.csv") + b"oops\n"
    return Case(
        {"m.quarantine": content},
        [Command(["train", "m.quarantine", "-o", "m", "--on-error", "quarantine", *TRAIN])],
        {"m"},
    )


def data_named_like_the_checkpoint() -> Case:
    arguments = ["train", "n.l.checkpoint", "-o", "n.l", "--learner", "adaptive", *TRAIN]
    return Case({"n.l.checkpoint": bases.data("table.csv")}, [Command(arguments)], {"n.l"})


def a_model_among_the_files_of_a_pattern() -> Case:
    content = bases.data("table.csv")
    return Case({"g/a.csv": content, "g/b.csv": content}, [Command(["train", "g/*.csv", "-o", "g/b.csv", *TRAIN])])


def predictions_over_the_model() -> Case:
    files = {"base": bases.model("table"), "table.csv": bases.data("table.csv")}
    return Case(files, [Command(["predict", "base", "table.csv", "-o", "base"])])


def predictions_over_the_data() -> Case:
    files = {"base": bases.model("table"), "table.csv": bases.data("table.csv")}
    return Case(files, [Command(["predict", "base", "table.csv", "-o", "./table.csv"])])


def an_output_that_is_a_folder() -> Case:
    steps = [Command([*TABLE, "-o", name]) for name in ("g/", "g", "new/", "")]
    return Case({"table.csv": bases.data("table.csv"), "g/x": b""}, list(steps))


def a_model_to_standard_output() -> Case:
    return Case({"table.csv": bases.data("table.csv")}, [Command([*TABLE, "-o", "-", "-q"])])


def _started(*commands: list[str], **state: object) -> Case:
    files = {"table.csv": bases.data("table.csv"), "base": bases.model("table")}
    return Case(files, [Command(each, fresh=True, **state) for each in commands], {"m"})


def standard_input_closed() -> Case:
    return _started(["predict", "base"], ["train", "-", "--target", "y", "-o", "m"], stdin=None)


def standard_error_closed() -> Case:
    return _started([*TABLE, "-o", "m"], closed=(2,), codes=frozenset({0}))


def standard_output_full() -> Case:
    return _started([*TABLE, "-o", "m"], ["inspect", "base"], ["predict", "base", "table.csv"], stdout="/dev/full")


def standard_output_of_ascii() -> Case:
    case = _started(
        [*TABLE, "-o", "m"],
        ["inspect", "m"],
        ["predict", "m", "table.csv", "--json"],
        environment={"PYTHONIOENCODING": "ascii"},
    )
    return replace(
        case,
        files={"table.csv": bases.data("table.csv").replace(b"red", "réd".encode()).replace(b",a\n", ",ä\n".encode())},
    )


def option_values_that_speak_to_the_terminal() -> Case:
    files = {"table.csv": bases.data("table.csv")}
    options = [
        ["--hash-bits", "bell\x07"],
        ["--learner", "\x1b[31m"],
        ["--target", "\x9b2J"],
        ["--column", "[/]:\x1b[0m"],
    ]
    return Case(files, [Command([*TABLE, "-o", "m", *given]) for given in options], {"m"})


def terminals_of_no_size() -> Case:
    sizes = {"COLUMNS": "0", "LINES": "-1", "TERMINAL_WIDTH": "wide"}
    cases = [_started(["nonsense"], [], ["train", "--help"], environment={name: size}) for name, size in sizes.items()]
    return replace(cases[0], steps=[step for case in cases for step in case.steps])
