"""The standing attack: python attack/run.py [--minutes M] [--seed S] [--jobs J] [--kills N] [--case SEED:NUMBER].

Cases of every subject run in parallel until the time is over; the finds are printed, and written to attack/finds/.
The exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from random import SystemRandom

sys.path.insert(0, str(Path(__file__).parents[1]))

from attack.case import Case
from attack.corpus import corpus
from attack.execute import execute
from attack.findings import FINDS, Findings
from attack.kills import killed
from attack.pool import attacked
from attack.process import preload
from attack.shrink import shrunk
from attack.subjects import case as case_of
from attack.subjects import subjects


def main() -> int:
    given = _arguments()
    preload()
    if given.case:
        return _replay(given.case, shrink=given.shrink, keep=given.keep)
    seed = SystemRandom().randrange(10**9) if given.seed is None else given.seed
    print(f"seed {seed}, {given.jobs} jobs, {given.minutes:g} minutes", flush=True)
    findings = Findings(seed)
    until = time.monotonic() + 60 * given.minutes
    past = list(corpus().items())
    if not given.only:
        for report in attacked(lambda number: ("corpus", past[number][1]()), given.jobs, float("inf"), stop=len(past)):
            _show(findings.add(report, f"corpus:{past[report.number][0]}"), f"corpus:{past[report.number][0]}")
    if given.kills:
        for report in attacked(lambda number: killed(seed, number), given.jobs, float("inf"), stop=given.kills):
            _show(findings.add(report, f"kill:{seed}:{report.number}"), f"kill:{seed}:{report.number}")
    for report in attacked(
        lambda number: _chosen(seed, number, given.only), given.jobs, until, given.first, given.stop
    ):
        name = f"{seed}:{report.number}" + (f" --only '{given.only}'" if given.only else "")
        _show(findings.add(report, name), name)
    print(findings.summary())
    return 1 if findings.by_signature else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to attack (default 10)")
    parser.add_argument("--seed", type=int, help="the seed of all cases (default: a new one, which is printed)")
    parser.add_argument(
        "--jobs", type=int, default=len(os.sched_getaffinity(0)), help="parallel workers (default: all cores)"
    )
    parser.add_argument("--kills", type=int, default=0, help="how many runs to kill and resume before")
    parser.add_argument("--only", help=f"one subject: {', '.join(subjects())}")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--stop", type=int, help="the number to stop before")
    parser.add_argument("--case", help="replay SEED:NUMBER, corpus:NAME or kill:SEED:NUMBER")
    parser.add_argument("--shrink", action="store_true", help="make the files of the replayed case smaller")
    parser.add_argument("--keep", type=Path, help="a folder to write the files of the replayed case to")
    return parser.parse_args()


def _chosen(seed: int, number: int, only: str | None) -> tuple[str, Case]:
    if only is None:
        return case_of(seed, number)
    from random import Random

    return only, subjects()[only][1](Random(f"{seed}:{number}:{only}"))


def _named(name: str) -> tuple[str, Case]:
    kind, _, rest = name.partition(":")
    if kind == "corpus":
        return kind, corpus()[rest]()
    if kind == "kill":
        seed, _, number = rest.partition(":")
        return killed(int(seed), int(number))
    return _chosen(int(kind), int(rest), _arguments().only)


def _replay(name: str, *, shrink: bool, keep: Path | None) -> int:
    subject, case = _named(name)
    print(f"{name}: {subject}\n{case.described()}")
    result = execute(case, keep)
    if shrink and result.finds:
        wanted = result.finds[0].signature
        case = shrunk(case, lambda smaller: any(find.signature == wanted for find in execute(smaller).finds))
        folder = keep or FINDS / name.replace(":", "-")
        result = execute(case, folder)
        print(f"shrunk, in {folder}:\n{case.described()}")
        for path, content in list(case.files.items())[:4]:
            print(f"  {path!a}: {content[:600]!a}")
    for step, outcome in result.outcomes:
        ended = f"exit {outcome.code}" if outcome.signal is None else f"signal {outcome.signal}"
        print(f"{step.name}: {ended}, {outcome.seconds:.2f} s, {outcome.memory / 1e6:.0f} MB")
        for stream in (outcome.stdout, outcome.stderr):
            for line in stream.decode("utf-8", "backslashreplace").splitlines()[-12:]:
                print(f"    {ascii(line)[1:-1][:220]}")
    for find in result.finds:
        print(f"FIND {find.kind}: {find.signature}\n  {find.detail}")
    return 1 if result.finds else 0


def _show(new: list, name: str) -> None:
    for find in new:
        print(f"find {find.kind}: {find.signature} ({name})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
