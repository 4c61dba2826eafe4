"""Files that a run claims before it writes them."""

from __future__ import annotations

import signal
import subprocess
import sys

from linnet.storage.atomic import remove_left, replacing
from linnet.storage.outputs import claimed

KILLED_WHILE_WRITING = """
import os, signal, sys
from linnet.storage.atomic import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_left_is_removed_by_the_next_and_what_is_being_written_stays(tmp_path):
    target = tmp_path / "model"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_WRITING, str(target)], capture_output=True, text=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    (left,) = tmp_path.iterdir()
    assert left.suffix == ".tmp"
    with claimed([tmp_path / "another"]):
        assert left.exists()
    with claimed([target]):
        assert not left.exists()
        with replacing(target) as file:
            file.write(b"whole")
            (written,) = tmp_path.glob("*.tmp")
            remove_left(str(target))
            assert written.exists()
    assert target.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [target]
