"""The attack: past finds stay mended, every detector can fire, and a case is the same whenever it is made."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import pytest

from attack import containers, detectors, shrink
from attack.case import MEGABYTE, Call, Case, Command, Limits, Meanwhile, send
from attack.corpus import corpus
from attack.execute import delete, execute
from attack.findings import Findings
from attack.pool import attacked
from attack.process import preload
from attack.subjects import chosen, subjects

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the attack watches processes in /proc")


@pytest.fixture(scope="module", autouse=True)
def _everything_imported():
    """Children are forked from this process: what it has imported, they need not."""
    preload()


# What takes many seconds; every attack begins with all of them.
LONG = (
    "data.bad_rows_of_few_bytes",
    "data.passes_over_rows_of_many_columns",
    "data.rivals_of_many_labels",
    "data.votes_of_many_mistakes_on_long_rows",
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in corpus()]
)
def test_a_past_find_stays_mended(name):
    assert execute(corpus()[name]()).finds == []


# -- each detector, on a fault planted for it --------------------------------------------------------------------------


def kinds(made):
    return {find.kind for find in execute(made).finds}


@pytest.fixture
def program(monkeypatch):
    """Put a function in the place of the program; children inherit it."""

    def planted(fault, *arguments, files=None, **more):
        monkeypatch.setattr("linnet.cli.main.main", fault)
        return kinds(Case(files or {"data.csv": b"x"}, [Command(list(arguments) or ["inspect", "m"], **more)], {"m"}))

    return planted


def ends(code, out="", err="linnet: wrong\n"):
    def fault():
        sys.stdout.write(out)
        sys.stderr.write(err)
        raise SystemExit(code)

    return fault


def test_a_sound_program_is_no_find(program):
    assert program(ends(0, "all is well\n", "")) == set()
    assert program(ends(3)) == set()


def test_death_by_a_signal_is_a_find(program):
    assert program(lambda: os.kill(os.getpid(), signal.SIGSEGV)) == {"signal"}


def test_death_by_the_signal_that_was_sent_is_none(program):
    assert program(lambda: time.sleep(30), meanwhile=(send(signal.SIGKILL, 0.05),)) == set()


def test_a_traceback_is_a_find(program):
    assert program(lambda: {}["missing"]) == {"traceback"}


def test_a_warning_of_python_is_a_find(program):
    assert program(ends(0, "", "/x/linnet/a.py:3: RuntimeWarning: overflow\n")) == {"warning"}


def test_an_exit_code_that_is_not_documented_is_a_find(program):
    assert program(ends(7)) == {"exit code"}
    assert program(ends(130)) == {"exit code"}


def test_a_busy_loop_is_a_find(program):
    def fault():
        while True:
            pass

    assert program(fault, limits=Limits(seconds=0.3)) == {"hang"}


def test_waiting_for_ever_is_a_find(program):
    assert program(lambda: time.sleep(60), limits=Limits(seconds=0.1)) == {"hang"}


def test_working_on_after_a_signal_is_a_find(program, monkeypatch):
    def fault():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        Path("ready").touch()
        time.sleep(0.2)
        while time.process_time() < 1.0:
            pass
        Path("ready").unlink()

    def when_ready(process, folder):
        while not (folder / "ready").exists():
            time.sleep(0.001)
        os.kill(process, signal.SIGTERM)

    monkeypatch.setattr(detectors, "LONGEST_STOP", 0.3)
    assert program(fault, meanwhile=(Meanwhile(0.0, "send SIGTERM", when_ready),)) == {"slow stop"}


def test_memory_over_the_limit_is_a_find(program):
    def fault():
        kept = bytearray(900 * MEGABYTE)
        for at in range(0, len(kept), 4096):
            kept[at] = 1

    assert program(fault, limits=Limits(memory=700 * MEGABYTE)) == {"memory"}


def test_asking_for_more_memory_than_there_is_is_a_find(program):
    assert program(lambda: bytearray(1 << 45)) == {"memory", "traceback"}
    assert program(ends(1, "", "linnet: out of memory\n")) == {"memory"}


@pytest.mark.parametrize("text", ["\x1b[31m", "\x07", "\x9b2J", "\u202e", "\x7f"])
def test_control_characters_are_a_find(program, text):
    assert program(ends(0, f"label {text}\n", "")) == {"control characters"}
    assert program(ends(3, "", f"linnet: {text}\n")) == {"control characters"}


def test_colours_that_were_asked_for_are_no_find_but_other_escapes_are(program):
    forced = {"environment": {"FORCE_COLOR": "0"}}
    assert program(ends(0, "\x1b[1mtrained\x1b[0m\n", ""), **forced) == set()
    assert program(ends(0, "\x1b[1mtrained\x1b[0m \x1b[2J\n", ""), **forced) == {"control characters"}


def test_help_without_a_command_is_an_answer(monkeypatch):
    monkeypatch.setattr("linnet.cli.main.main", ends(2, "Usage: linnet\n", ""))
    assert kinds(Case({}, [Command([])])) == set()
    assert kinds(Case({}, [Command(["inspect"])])) == {"silence"}


def test_predictions_are_data_and_may_hold_any_character(program):
    assert program(ends(0, "label \x1b[31m\n", ""), "predict", "m") == set()


def test_failing_without_a_word_is_a_find(program):
    assert program(ends(3, "", "")) == {"silence"}


def test_an_endless_error_is_a_find(program):
    assert program(ends(3, "", "x" * 30_000)) == {"flood"}


def test_json_that_is_not_is_a_find(program):
    assert program(ends(0, "{'a': 1}", ""), "inspect", "m", "--json") == {"json"}
    assert program(ends(0, '{"a": NaN}', ""), "inspect", "m", "--json") == {"json"}


def test_an_input_that_is_changed_or_deleted_is_a_find(program):
    def truncated():
        Path("data.csv").write_bytes(b"")

    assert program(truncated) == {"input lost"}
    assert program(lambda: Path("data.csv").unlink()) == {"input lost"}


def test_a_temporary_that_is_left_is_a_find(program):
    def left():
        Path(".linnet-abc.tmp").write_bytes(b"")

    def left_elsewhere():
        Path(os.environ["TMPDIR"], "x").write_bytes(b"")

    assert program(left) == {"temporary"}
    assert program(left_elsewhere) == {"temporary"}


def test_a_temporary_of_a_killed_run_that_the_next_one_leaves_is_a_find(monkeypatch):
    def fault():
        if "--resume" not in sys.argv:
            Path(".linnet-abc.tmp").write_bytes(b"")
            time.sleep(30)
        raise SystemExit(0)

    monkeypatch.setattr("linnet.cli.main.main", fault)
    killed = Command(["inspect", "m"], meanwhile=(send(signal.SIGKILL, 0.3),))
    assert kinds(Case({}, [killed])) == set()
    assert kinds(Case({}, [killed, Command(["inspect", "m", "--resume"])])) == {"temporary"}


def test_a_file_nobody_asked_for_is_a_find(program):
    assert program(lambda: Path("core").write_bytes(b"")) == {"stray file"}


def test_the_files_of_a_comparison_are_no_find(program):
    def compared():
        Path("r.json").write_bytes(b"{}")
        Path("r.costs.json").write_bytes(b"{}")

    assert program(compared, "compare", "data.csv", "-o", "r.json") == set()
    assert program(compared, "compare", "data.csv", "-o", "other.json") == {"stray file"}


def test_a_signal_while_python_itself_starts_is_no_find(program):
    def stopped(file):
        trace = f'Traceback (most recent call last):\n  File "{file}", line 5, in x\nKeyboardInterrupt\n'
        return ends(1, err=trace)

    assert program(stopped("<frozen site>")) == set()
    assert program(stopped("linnet/cli/main.py")) == {"traceback"}


def test_no_signal_is_lost_while_a_process_is_forked(program, monkeypatch):
    monkeypatch.setattr(detectors, "LONGEST_STOP", 0.5)

    def busy():
        while time.process_time() < 1.0:
            pass

    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a worker
    try:
        for _ in range(20):
            assert program(busy, meanwhile=(send(signal.SIGINT, 0.0),)) == set()
    finally:
        signal.signal(signal.SIGINT, handler)


def test_a_half_written_model_is_a_find(program):
    def fault():
        Path("m").write_bytes(b"\x08\0\0\0\0\0\0\0{}")
        raise SystemExit(0)

    assert program(fault, "train", "data.csv", "-o", "m") == {"half-written"}


def test_success_without_a_model_is_a_find(program):
    assert program(ends(0, "", ""), "train", "data.csv", "-o", "m") == {"no model"}


def test_models_that_differ_are_a_find(monkeypatch):
    def fault():
        Path(sys.argv[-1]).write_bytes(sys.argv[-1].encode())

    monkeypatch.setattr("linnet.cli.main.main", fault)
    made = Case({}, [Command(["predict", "-o", name]) for name in ("one", "two")], same=[["one", "two"]])
    assert kinds(made) == {"other bits"}


def test_an_error_that_the_python_interface_does_not_document_is_a_find():
    def refuses(kind):
        raise kind("no")

    assert kinds(Case({}, [Call(refuses, KeyError)])) == {"traceback"}
    assert kinds(Case({}, [Call(refuses, ValueError), Call(refuses, TypeError)])) == set()


# -- the machinery -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", subjects())
def test_a_case_follows_from_its_seed_and_number(name):
    def made():
        found = subjects()[name][1](Random("7:7"))
        return found.files, found.described()

    assert made() == made()


def test_numbers_choose_among_all_subjects():
    assert {chosen(Random(number)) for number in range(1000)} == set(subjects())


def test_a_container_put_together_again_is_the_same_file():
    golden = (Path(__file__).parent / "model/golden/0.1.linnet").read_bytes()
    assert containers.put_together(*containers.taken_apart(golden)) == golden
    assert containers.resealed(golden) == golden


def test_shrinking_leaves_what_matters():
    content = b"a" * 500 + b"X" + b"b" * 300 + b"Y" + b"c" * 99
    assert shrink.smaller_bytes(content, lambda small: b"X" in small and b"Y" in small, time.monotonic() + 20) == b"XY"


def test_workers_share_the_numbers_and_finds_are_gathered_by_signature():
    def make(number):
        fault = (lambda _: {}["missing"]) if number % 2 else (lambda _: None)
        return "planted", Case({}, [Call(fault)])

    findings = Findings(1, folder=None)
    numbers = []
    for report in attacked(make, jobs=2, until=time.monotonic() + 60, stop=8):
        numbers.append(report.number)
        findings.add(report, f"1:{report.number}")
    assert sorted(numbers) == list(range(8))
    assert [len(seen) for seen in findings.by_signature.values()] == [4]
    assert "1 finds" in findings.summary()


@pytest.fixture
def deep():
    """A folder that may become deeper than pytest can delete."""
    top = Path(tempfile.mkdtemp())
    yield top
    delete(top)
    assert not top.exists()


def test_a_snapshot_sees_content_links_and_depth(deep):
    made = Case({"a/b": b"1"}, [], links={"l": "a/b"}, folders=["d/" * 1200])
    made.write(deep)
    found = detectors.snapshot(deep)
    assert set(found) == {"a/b", "l"}
    (deep / "a/b").write_bytes(b"2")
    assert detectors.snapshot(deep) != found
