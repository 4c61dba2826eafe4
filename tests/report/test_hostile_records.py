"""Models whose record was changed by hand: it is refused where it is read, or there is a page."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import linnet
from linnet.model.record import Record
from linnet.storage.typed_json import from_plain, to_plain
from tests.report.making import clouds, table

ODD = (0, -1, 1, 10**30, 1e308, -1e308, 5e-324, "nan", "inf", "-inf", None, [], "", 0.5, True, {})


def models(folder):
    rng = np.random.default_rng(0)
    points, codes = clouds(rng, [(0, 0), (2, 1), (1, -2)], rows=120)
    three = str(table(folder / "three.csv", points, np.array(["a", "b", "c"])[codes]))
    two = str(table(folder / "two.csv", points[codes < 2], np.array(["a", "b"])[codes[codes < 2]]))
    (folder / "number.csv").write_text("x,y,z\n" + "".join(f"{a:.4f},{b:.4f},{a - b:.3f}\n" for a, b in points))
    yield linnet.train(two, target="kind")
    yield linnet.train(three, target="kind")
    yield linnet.train(two, target="kind", learner="perceptron")
    yield linnet.train(str(folder / "number.csv"), target="z")


def places(plain, path=()):
    """Where all values are."""
    items = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(plain, path, value):
    copy = dict(plain) if isinstance(plain, dict) else list(plain)
    copy[path[0]] = changed(plain[path[0]], path[1:], value) if len(path) > 1 else value
    return copy


@pytest.mark.parametrize("number", range(4))
def test_a_changed_record_is_refused_or_makes_a_page(tmp_path, number):
    model = list(models(tmp_path))[number]
    plain, draw = to_plain(model.record), random.Random(number)
    where = [path for path in places(plain) if path[0] in DRAWN_FROM]
    by_list = {path[:-1] if isinstance(path[-1], int) else path: path for path in where}  # one entry of every list
    pages = 0
    for path in by_list.values():
        for value in draw.sample(ODD, 5):
            try:
                record = from_plain(Record, changed(plain, path, value))
            except (TypeError, ValueError, OverflowError):
                continue
            page = linnet.report.html(replace(model, record=record))
            assert len(page) < 1_000_000
            pages += 1
    assert pages > 10


DRAWN_FROM = ("held_out", "strength", "progressive", "points", "numbers", "held_out_losses", "rows", "seed", "notes")
