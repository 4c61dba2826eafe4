"""What the README shows is what happens."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_the_examples_print_what_is_printed_under_them():
    blocks = re.findall(r"```(\w*)\n(.*?)```", README, flags=re.DOTALL)
    assert [language for language, _ in blocks[:3]] == ["python", "", "python"]
    shown = [text.strip() for language, text in blocks if not language]
    for number, (language, code) in enumerate(blocks):
        if language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exec(compile(code, "README", "exec"), {})
        assert printed.getvalue().strip() == blocks[number + 1][1].strip()
        for warning in caught:
            assert any(str(warning.message) in text for text in shown)
