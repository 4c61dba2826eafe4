"""Outputs that are inputs: models, quarantines and checkpoints named like the data, links, folders, devices."""

from __future__ import annotations

from fnmatch import fnmatchcase
from os.path import normpath
from random import Random

from attack import bases
from attack.case import Case, Command, Step
from attack.detectors import MAY_LEAVE

BAD = b"oops\n"


def make(random: Random) -> Case:
    content = bases.data("table.csv") + (BAD if random.random() < 0.5 else b"")
    learner = random.choice([[], ["--learner", "adaptive", "--checkpoint-every", "10"], ["--learner", "naive-bayes"]])
    names = [
        "data.csv",
        "m",
        "m.csv",
        "m.quarantine",
        "m.checkpoint",
        "m.csv.quarantine",
        "m.csv.checkpoint",
        ".linnet-x.tmp",
        "g/b.csv",
    ]
    name = random.choice(names)
    files, links = {name: content, "g/a.csv": content}, {}
    given = random.choice(
        [[name], [f"./{name}"], ["g/*.csv"], ["g"], [name, "g/a.csv"], [f"g/../{name}"], ["link"], ["*.csv"]]
    )
    outputs = [
        "m",
        "m.csv",
        "./m",
        "data.csv",
        "g/b.csv",
        "g/a.csv",
        "link",
        "out",
        "g",
        "g/",
        "-",
        "/dev/null",
        "",
        ".",
        "nowhere/m",
        "g/../m",
        "hard",
        "m\x1b[31m",
    ]
    output = random.choice(outputs)
    if "link" in given or output == "link":
        links["link"] = random.choice([name, "g/a.csv", "nowhere", "link"])
    mode = random.choice(["fail", "skip", "quarantine", "quarantine"])
    arguments = ["train", *given, "--format", "csv", "--target", "y", "-o", output, "--on-error", mode, *learner]
    if random.random() < 0.2:
        arguments.append("--resume")
    steps: list[Step] = [Command(arguments)]
    if random.random() < 0.3:
        files["base"] = bases.model("table")
        output = random.choice([*outputs, "base"])
        steps = [Command(["predict", "base", *given, "--format", "csv", "--on-error", "skip", "-o", output])]
    # What is at the names of the output may be replaced, unless it is among the inputs; those never.
    writable = {normpath(output + more) for more in ("", *MAY_LEAVE)} - _read(["base", *given], files, links)
    return Case(files, steps, writable, links=links)


def _read(given: list[str], files: dict[str, bytes], links: dict[str, str]) -> set[str]:
    """The files that these paths, folders and patterns stand for."""
    paths = [normpath(links.get(path, path)) for path in given]
    return {
        name
        for name in files
        for path in paths
        if name.startswith(f"{path}/") or (fnmatchcase(name, path) and name.count("/") == path.count("/"))
    }
