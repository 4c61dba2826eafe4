"""Options are declared once: flag, keyword parameter, parsing and documentation follow from the declaration."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import dataclass, fields
from textwrap import indent

import pytest
import typer
from typer.testing import CliRunner

import linnet
from linnet.cli.options import with_options
from linnet.data.features.conjunctions import LARGEST_DEGREE
from linnet.data.features.text_options import Analyzer
from linnet.data.on_error import OnError
from linnet.data.role import Role
from linnet.data.task import Task
from linnet.errors import RecipeError, name_flags
from linnet.learners import catalogue
from linnet.learners.catalogue import Way
from linnet.pipeline import declaration
from linnet.pipeline.declaration import in_python, in_shell, option
from linnet.pipeline.option_checks import check_task
from linnet.pipeline.options import TrainOptions
from tests.cli.calling import contributing

PLAIN = {"NO_COLOR": "1", "COLUMNS": "200", "TERM": "dumb"}


def declared(line):
    """The options of training, and one more: nothing else is written for it."""
    names = {"TrainOptions": TrainOptions, "option": option, "Way": Way, "dataclass": dataclass}
    exec(f"@dataclass(frozen=True)\nclass More(TrainOptions):\n{indent(line, '    ')}", names)
    return names["More"]


More = declared(contributing("Adding an option"))


def parsed_by_typer(cls, *arguments):
    """The options that a command made from a declaration gets from a command line."""
    app, seen = typer.Typer(), []

    @app.command()
    @with_options(cls=cls)
    def command(options: TrainOptions) -> None:
        seen.append(options)

    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False, env=PLAIN)
    return seen[0] if seen else done.output


def test_an_added_option_has_a_flag_a_parameter_and_help():
    assert parsed_by_typer(More, "--momentum", "0.5").momentum == 0.5
    assert parsed_by_typer(More).momentum is None
    shown = re.sub(r"[\s│]+", " ", parsed_by_typer(More, "--help"))
    online = ", ".join(entry.name for entry in catalogue.entries(Way.ONLINE))
    assert f"--momentum NUMBER Fraction of the last step to add to the next. For {online}." in shown
    assert declaration.signature(More).parameters["momentum"].default is None
    assert "momentum : float, optional\n    Fraction of the last step" in declaration.documentation(More)
    assert declaration.checked(More, {"momentum": 0.5}) == {"momentum": 0.5}
    assert "momentum" not in declaration.documentation(TrainOptions)


def test_an_added_option_is_parsed_checked_and_named_as_the_user_writes_it():
    with pytest.raises(RecipeError, match=r"^momentum must be a number from 0 to below 1; it is 1$"):
        More(momentum=1)
    with pytest.raises(RecipeError, match=r"^momentum is not for svm: it is for adaptive, "):
        check_task(More(momentum=0.5), Task.CLASSIFICATION, catalogue.find("svm"))
    check_task(More(momentum=0.5), Task.CLASSIFICATION, catalogue.find("adaptive"))
    assert More(momentum=0.5).decisive()["momentum"] == 0.5
    name_flags(declaration.flags(More))  # as the program does; tests/conftest.py takes them back
    with pytest.raises(RecipeError, match=r"^--momentum must be a number"):
        More(momentum="much")


@pytest.mark.parametrize(
    ("typed", "name", "given"),
    [
        (["--column", "a:number", "--column", "b:c:text"], "columns", {"a": Role.NUMBER, "b:c": Role.TEXT}),
        (["--cross", "a,b", "--cross", "b,c,d"], "crosses", (["a", "b"], ("b", "c", "d"))),
        (["--ngrams", "3"], "ngrams", 3),
        (["--ngrams", "2-3"], "ngrams", [2, 3]),
        (["--memory", "1.5K"], "memory", 1536),
        (["--memory", "2 GiB"], "memory", 1 << 31),
        (["--class-weight", "spam=5", "--class-weight", "ham=0.5"], "class_weight", {"spam": 5, "ham": 0.5}),
        (["--class-weight", "balanced"], "class_weight", "balanced"),
        (["--analyzer", "char_wb"], "analyzer", Analyzer.CHAR_WB),
        (["--on-error", "skip"], "on_error", OnError.SKIP),
        (["--C", "1e-3"], "C", 0.001),
        (["--no-header"], "header", False),
        (["--no-marks"], "marks", False),
        (["--penalise-intercept"], "penalise_intercept", True),
        (["--seed", "7"], "seed", 7),
        (["--cost", "a,b=2"], "costs", ["a,b=2"]),
    ],
)
def test_a_shell_and_python_give_the_same_value(typed, name, given):
    assert getattr(parsed_by_typer(TrainOptions, *typed), name) == getattr(TrainOptions(**{name: given}), name)


def test_values_that_are_typed_mean_what_they_say():
    options = parsed_by_typer(
        TrainOptions, "--ngrams", "2-3", "--column", "b:c:text", "--memory", "1K", "--cross", "x,y"
    )
    assert (options.ngrams, options.memory, options.crosses) == ((2, 3), 1024, (("x", "y"),))
    assert options.columns == options.roles == {"b:c": Role.TEXT}
    assert (options.features.text.shortest, options.features.text.longest) == (2, 3)


def test_without_flags_a_command_has_the_defaults():
    assert parsed_by_typer(TrainOptions) == TrainOptions()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("passes", 0, "passes must be a whole number, 1 or more; it is 0"),
        ("passes", 1.5, "whole number"),
        ("passes", True, "whole number"),
        ("seed", 2**63, "from 0 to 9,223,372,036,854,775,807"),
        ("holdout", float("nan"), "from 0 to below 1"),
        ("task", "classify", "task is one of classification, regression; not 'classify'; did you mean"),
        ("penalty", "L2", "penalty is one of l2, l1, elasticnet, none; not 'L2'; did you mean 'l2'"),
        ("multiclass", "ovr", "multiclass is one of joint, reference, one-vs-rest, pairwise, each-label; not 'ovr'"),
        ("resume", "yes", "resume is True or False; not 'yes'"),
        ("ngrams", "2-1", "ngrams must be a length or a range"),
        ("ngrams", (1, 2, 3), "ngrams must be"),
        ("ngrams", 11, "up to 10"),
        ("columns", {"a": "age"}, "columns takes NAME:ROLE with a role of target, weight, id, .*; not 'a': 'age'"),
        ("columns", ["a"], "not 'a'"),
        ("crosses", ["a,"], "crosses takes two columns or more"),
        ("columns", 5, "columns takes dict of column to role; not 5"),
        ("crosses", [3], "crosses takes sequence of sequences of columns; not"),
        ("memory", "-1", "memory must be a number of bytes"),
        ("class_weight", {"a": 0}, "must be a number above 0"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_parameter(name, value, message):
    with pytest.raises(RecipeError, match=message):
        TrainOptions(**{name: value})


def test_the_two_doors_have_the_same_options_but_for_checkpoints():
    shell, python = ({each.name for each in of(TrainOptions)} for of in (in_shell, in_python))
    assert shell - python == {"checkpoint_every", "resume"}
    assert python <= shell
    assert {each.name for each in fields(TrainOptions)} - shell == {"checkpoint", "quarantine"}
    assert list(inspect.signature(linnet.train).parameters) == [
        "data",
        *(each.name for each in in_python(TrainOptions)),
        "verbose",  # the plan is printed by a command, and in Python if asked for
    ]


def test_train_documents_every_parameter_and_refuses_others():
    for name in inspect.signature(linnet.train).parameters:
        assert f"\n{name} : " in linnet.train.__doc__
    with pytest.raises(TypeError, match="unexpected keyword argument 'penalti'; did you mean 'penalty'"):
        linnet.train({}, penalti="l1")
    with pytest.raises(TypeError, match="'checkpoint'"):
        linnet.train({}, checkpoint="file")


def test_every_option_has_a_group_and_a_help_that_is_a_sentence():
    groups = {each.written.group for each in in_shell(TrainOptions)}
    assert groups == {"", "Training", "Penalty", "Losses", "Winnow", "Decisions", "Features", "Reading", "Checkpoints"}
    for each in in_shell(TrainOptions):
        assert each.written.help.endswith(".")


def test_learners_that_take_an_option_are_those_of_the_catalogue():
    by_name = {each.name: each for each in in_shell(TrainOptions)}
    for name in ("C", "alpha"):
        for entry in catalogue.entries():
            assert by_name[name].written.learners(entry) == (entry.strength == name)
    assert by_name["conjunctions"].written.most == LARGEST_DEGREE


def test_a_checkpoint_is_bound_to_what_decides_the_model_as_json_holds_it():
    plain = TrainOptions(columns={"a": "text"}, crosses=["a,b"], class_weight={1: 2.0}, threads=3).decisive()
    assert plain["columns"] == {"a": "text"}
    assert plain["crosses"] == [["a", "b"]]
    assert plain["class_weight"] == {"1": 2.0}
    assert type(plain["on_error"]) is str
    assert not plain.keys() & {"threads", "memory", "checkpoint", "quarantine", "resume", "costs", "reject", "least"}
    assert TrainOptions(threshold_for="f1").decisive()["threshold_for"] is True


@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"], ["separable", "--help"], ["demo", "--help"]])
def test_help_needs_neither_numpy_nor_what_is_larger(arguments):
    code = (
        "import sys; from linnet.cli.main import main; sys.argv[0] = 'linnet'\n"
        "try: main()\n"
        "finally: print([m for m in ('numpy', 'scipy', 'sklearn', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
