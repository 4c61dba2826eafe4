"""The command line speaks the field's words: the old ones are neither printed nor left in its sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import linnet
from linnet.cli.main import COMMANDS
from tests.cli.calling import call

OLD = (
    "telling", "came to rest", "at rest", "going on", "so many", "alike in all", "learnt", "told", "as they come",
    "on the way",
)  # fmt: skip
SOURCES = Path(linnet.__file__).parent
SPEAKING = sorted(
    [*(SOURCES / "cli").glob("*.py"), *(SOURCES / "pipeline" / f"{name}.py" for name in (
        "api", "declaration", "option_values", "options"
    ))]
)  # fmt: skip


def old_words(text):
    text = re.sub(r"[\s│]+", " ", text).lower()
    return [word for word in OLD if re.search(rf"\b{word}\b", text)]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_none_of_the_old_words(command):
    done = call(*([command] if command else []), "--help")
    assert done.returncode == 0
    assert old_words(done.stdout) == []


@pytest.mark.parametrize("path", SPEAKING, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_sources_have_none_of_the_old_words(path):
    assert old_words(path.read_text()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_by_examples(command):
    """At least two commands as they would be typed, under what the command does."""
    shown = call(command, "--help").stdout
    examples = re.findall(rf"^ .*linnet {command}\b", shown[shown.index("Examples:") :], flags=re.MULTILINE)
    assert len(examples) >= 2
