"""The commands in processes of their own, as a user types them."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = [sys.executable, "-c", "import sys; from linnet.cli.main import main; sys.argv[0] = 'linnet'; main()"]


def call(*arguments, stdin=None):
    """What a command printed, and its exit code."""
    given = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(given, input=stdin, capture_output=True, text=True, check=False)


def predictions(*arguments):
    """The rows that linnet predict writes."""
    done = call("predict", *arguments)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def contributing(section):
    """The code that CONTRIBUTING shows in a section."""
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text().split(f"\n## {section}\n")[1]
    return re.search(r"```python\n(.*?)```", text, flags=re.DOTALL)[1]
