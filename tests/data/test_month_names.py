"""Dates that name their month in another language than English, and those that are weeks, quarters, or seconds."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from linnet.data.date_spelling import DateOrder, seconds
from linnet.data.month_names import MONTHS, month_number


def day(text: str) -> date | None:
    found = seconds(text, DateOrder.DAY_FIRST)
    return None if found is None else datetime.fromtimestamp(found, UTC).date()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("5. März 2024", date(2024, 3, 5)),
        ("Dienstag, 5. Maerz 2024", None),
        ("05-Dez-2023", date(2023, 12, 5)),
        ("5. Jänner 2024", date(2024, 1, 5)),
        ("1er août 2024", date(2024, 8, 1)),
        ("5 févr. 2024", date(2024, 2, 5)),
        ("14 juil. 2024", date(2024, 7, 14)),
        ("14 juin 2024", date(2024, 6, 14)),
        ("14 jui 2024", None),
        ("5 de abril de 2024", date(2024, 4, 5)),
        ("24-dic-2024", date(2024, 12, 24)),
        ("5 maggio 2024", date(2024, 5, 5)),
        ("5 de março de 2024", date(2024, 3, 5)),
        ("5 mei 2024", date(2024, 5, 5)),
        ("5 maj 2024 14:30", date(2024, 5, 5)),
        ("5 października 2024", date(2024, 10, 5)),
        ("5. června 2024", date(2024, 6, 5)),
        ("5 января 2024", date(2024, 1, 5)),
        ("2024-W15", date(2024, 4, 8)),
        ("2024-W15-3", date(2024, 4, 10)),
        ("2020W537", date(2021, 1, 3)),
        ("2024-W60", None),
        ("2024-Q2", date(2024, 4, 1)),
        ("Q4 2023", date(2023, 10, 1)),
        ("2024-Q5", None),
    ],
)
def test_a_date_means_what_its_writer_meant(text, meant):
    assert day(text) == meant


def test_every_english_month_is_known_by_three_letters_or_more():
    for number, name in enumerate(MONTHS, start=1):
        for length in range(3, len(name) + 1):
            assert month_number(name[:length]) == number
            assert month_number(name[:length].upper() + ".") == number
    assert month_number("foo") is None


@pytest.mark.parametrize("per", [1, 10**3, 10**6, 10**9])
def test_seconds_since_1970_are_dates_in_any_unit(per):
    moment = datetime(2024, 4, 5, 10, 30, 1, tzinfo=UTC)
    count = int(moment.timestamp())
    assert seconds(str(count * per), DateOrder.YEAR_FIRST) == count
    assert seconds(str(count * per + per // 2), DateOrder.YEAR_FIRST) == pytest.approx(
        count + (per // 2) / per, abs=1e-6
    )
    assert seconds(f"{count}.25", DateOrder.YEAR_FIRST) == count + 0.25
