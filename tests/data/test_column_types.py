"""Numbers, dates and truth as text spells them: against Python's own formatting, value by value and by column."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.column_types import PLAIN_NUMBER, ColumnType, Kind, ReadAs, Reading
from linnet.data.date_spelling import DateOrder, best_order, clock_seconds, seconds
from linnet.data.features.type_inference import infer
from linnet.data.missing_markers import MARKERS
from linnet.data.number_spelling import NumberSpelling, best_spelling
from linnet.data.sources.block import Strings
from linnet.data.sources.conversion import converted, numbers_of
from linnet.data.sources.dictionaries import block_of
from linnet.storage.typed_json import from_plain, to_plain

MONEY = st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False)


def swapped(text: str) -> str:
    return text.translate(str.maketrans(",.", ".,"))


@given(st.lists(MONEY, min_size=1, max_size=20), st.sampled_from(["", "$", "€", "USD", "kg", "%"]), st.booleans())
def test_numbers_are_read_as_python_formatted_them(amounts, unit, comma):
    texts = [f"{abs(each):,.2f} {unit}".rstrip() for each in amounts]
    texts = [f"-{text}" if each < 0 else text for text, each in zip(texts, amounts, strict=True)]
    texts = [swapped(text) if comma else text for text in texts]
    spelling, fits = best_spelling(Counter(texts))
    assert (spelling.decimal, spelling.unit, fits) == ("," if comma else ".", unit, len(texts))
    assert [spelling.number(text) for text in texts] == [float(each) for each in amounts]


@pytest.mark.parametrize(
    ("text", "decimal", "unit", "value"),
    [
        ("$1,219.01", ".", "$", 1219.01), ("-$5", ".", "$", -5), ("$-5", ".", "$", -5), ("($12.50)", ".", "$", -12.5),
        ("$(12.50)", ".", "$", -12.5), ("(12.50)", ".", "", -12.5), ("€ 1.219,01", ",", "€", 1219.01),
        ("1 219,01 €", ",", "€", 1219.01), ("1\u202f219,01\u00a0€", ",", "€", 1219.01), ("1'219.01", ".", "", 1219.01),
        ("\u22125", ".", "", -5), ("+5", ".", "", 5), ("5.", ".", "", 5), (".5", ".", "", 0.5), ("1e3", ".", "", 1000),
        ("12,34,567", ".", "", 1234567), ("1.219", ",", "", 1219), ("1,219", ".", "", 1219), ("1,219", ",", "", 1.219),
        ("US$ 3", ".", "US$", 3), ("EUR 3", ".", "EUR", 3), ("3kg", ".", "kg", 3), ("3", ".", "kg", 3),
        ("kg 3", ".", "kg", None), ("1,5", ".", "", None), ("1,2345", ".", "", None), ("1.5", ",", "", None),
        ("3 lb", ".", "kg", None), ("1_000", ".", "", None), ("0x10", ".", "", None), ("inf", ".", "", None),
        ("1e999", ".", "", None), ("--5", ".", "", None),
        ("-$-5", ".", "$", None), ("", ".", "", None), ("$", ".", "$", None), ("5 5", ".", "", None),
        ("٣", ".", "", None), ("1\n", ".", "", None), ("(5", ".", "", None),
    ],
)  # fmt: skip
def test_spellings_of_numbers(text, decimal, unit, value):
    spelling = NumberSpelling(decimal, unit)
    assert spelling.number(text) == value
    assert column_of([text], ColumnType(Kind.NUMBER, spelling)) == [spelling.number(text)]


@given(
    st.lists(st.tuples(MONEY, st.sampled_from(["", "k", "K", "M", "B", "bn", "Bn"])), min_size=1, max_size=20),
    st.sampled_from(["", "$", "€", "USD"]),
    st.booleans(),
)
def test_magnitudes_are_exact_powers_of_ten(amounts, unit, comma):
    """Against decimal arithmetic."""
    power = {"": 0, "k": 3, "K": 3, "M": 6, "B": 9, "bn": 9, "Bn": 9}
    texts = [f"{amount:,.2f}{letter} {unit}".rstrip() for amount, letter in amounts]
    texts = [swapped(text) if comma else text for text in texts]
    spelling = NumberSpelling("," if comma else ".", unit, magnitudes=True)
    wanted = [float(amount.scaleb(power[letter])) for amount, letter in amounts]
    assert [spelling.number(text) for text in texts] == wanted
    assert column_of(texts, ColumnType(Kind.NUMBER, spelling)) == wanted


def column_of(texts, kind):
    """The same by the conversion of whole columns; None is what does not fit, or is missing."""
    values, _ = numbers_of(pa.array(texts, pa.large_string()), Reading(kind, ReadAs.NUMBER))
    return [None if np.isnan(value) else value for value in values.tolist()]


SIGNS = st.one_of(
    st.text(alphabet="0123456789.,'- ()+$€%kgeE/:TZ\u2212\u00a0xaAPpm", max_size=14),
    st.text(alphabet="0123456789.,- ($kKMmBbnr", max_size=7),
)
KINDS = [
    *(ColumnType(Kind.NUMBER, NumberSpelling(decimal, unit)) for decimal in ".," for unit in ("", "$", "kg", "%")),
    *(
        ColumnType(Kind.NUMBER, NumberSpelling(decimal, unit, magnitudes=True))
        for decimal in ".,"
        for unit in ("", "$", "kr")
    ),
    *(ColumnType(Kind.DATE, order=order) for order in DateOrder),
    ColumnType(Kind.TIME),
    ColumnType(Kind.BOOLEAN),
]
DATES = st.builds(
    lambda y, m, d, sign, rest: f"{y}{sign}{m}{sign}{d}{rest}",
    st.one_of(st.integers(0, 40), st.integers(1900, 2100)),
    st.integers(0, 40),
    st.one_of(st.integers(0, 40), st.integers(1900, 2100)),
    st.sampled_from("-/. "),
    st.sampled_from(["", " 10:30", "T23:59:59.1234567891Z", " 12:00 AM", " 13:00 PM", ", 1:05 pm", " 24:00",
                     "+02:00", " 1:02:03-0530"]),
)  # fmt: skip


@settings(max_examples=150)
@given(st.lists(st.one_of(SIGNS, DATES), max_size=30), st.sampled_from(KINDS))
def test_a_row_is_read_as_the_column_is(texts, kind):
    """dictionaries.py reads value by value, conversion.py whole columns: never otherwise."""
    how = Reading(kind, ReadAs.NUMBER)
    values, wrong = numbers_of(pa.array(texts, pa.large_string()), how)
    block = block_of([{"x": text} for text in texts], {"x": how})
    np.testing.assert_array_equal(block.columns["x"].values, values)
    assert sum(each.count for each in block.misfits) == wrong.sum()


@given(st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9999, 12, 30)), st.integers(-14 * 60, 14 * 60))
def test_dates_are_read_as_python_wrote_them(moment, minutes):
    order = DateOrder.DAY_FIRST
    whole, day = moment.replace(microsecond=0), moment.replace(hour=0, minute=0, second=0, microsecond=0)
    zone = timezone(timedelta(minutes=minutes))
    spellings = {
        moment.isoformat(): moment, moment.isoformat(sep=" "): moment, f"{whole:%Y-%m-%d %H:%M:%S}": whole,
        f"{day:%Y/%m/%d}": day,
        f"{day:%d.%m.%Y}": day, f"{day.day}/{day.month}/{day:%Y}": day, f"{day:%d %b %Y}": day, f"{day:%B %d, %Y}": day,
        f"{whole:%d.%m.%Y %I:%M:%S %p}": whole, f"{day:%Y%m%d}": day, f"{whole:%a, %d %b %Y %H:%M:%S}": whole,
        f"{day.replace(day=1):%Y-%m}": day.replace(day=1), f"{day.replace(day=1):%b %Y}": day.replace(day=1),
        f"{moment.isoformat()}Z": moment, moment.replace(tzinfo=zone).isoformat(): moment - timedelta(minutes=minutes),
    }  # fmt: skip
    for text, meant in spellings.items():
        whole_seconds = (meant.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
        assert seconds(text, order) == pytest.approx(whole_seconds, abs=1e-5), text
    kind = ColumnType(Kind.DATE, order=order)
    assert column_of(list(spellings), kind) == [seconds(text, order) for text in spellings]
    typed = pa.array([moment], pa.timestamp("us"))
    assert numbers_of(typed, Reading(kind, ReadAs.NUMBER))[0][0] == seconds(moment.isoformat(), order)


@pytest.mark.parametrize(
    ("texts", "order", "ambiguous"),
    [
        (["2024-04-05"], DateOrder.YEAR_FIRST, False),
        (["5 Apr 2024"], DateOrder.YEAR_FIRST, False),
        (["04/05/2024", "25/05/2024"], DateOrder.DAY_FIRST, False),
        (["04/05/2024", "05/25/2024"], DateOrder.MONTH_FIRST, False),
        (["04/05/2024"], DateOrder.MONTH_FIRST, True),
        (["04.05.2024"], DateOrder.DAY_FIRST, True),
        (["2024-04-05", "04.05.2024"], DateOrder.DAY_FIRST, True),
    ],
)
def test_the_order_of_a_date_is_inferred(texts, order, ambiguous):
    found, fits, example = best_order(Counter(texts), None)
    assert (found, fits, bool(example)) == (order, len(texts), ambiguous)
    assert best_order(Counter(texts), DateOrder.DAY_FIRST)[0] is DateOrder.DAY_FIRST


def test_times_of_day():
    assert [clock_seconds(text) for text in ("10:30", "1:02:03.5", "12:00 AM", "11 am", "36:10", "10:60")] == [
        37800, 3723.5, 0, None, 130200, None,
    ]  # fmt: skip


def kind_of(values, kind=None):
    return infer(Strings.of(values), MARKERS, None, kind)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2.5", "", "NA"], "number"),
        (["1", "2", "x"], "string"),  # too few to call it a slip
        (["1"] * 19 + ["x"], "number"),
        (["1"] * 18 + ["x", "y"], "string"),
        (["1"] * 190 + ["x"] * 10, "number"),
        (["1"] * 189 + ["x"] * 11, "string"),
        (["$5", "$1,200.50"], "number, $1,219.01"),
        (["5,5", "1.200,50"], "number, 1.219,01"),
        (["3 kg", "4 kg"], "number, 1,219.01 kg"),
        (["1st", "2nd", "3rd"], "string"),
        (["A1", "B2"], "string"),
        (["Yes", "no", "YES"], "boolean, YES/no"),
        (["True", "FALSE"], "boolean, true/false"),
        (["yes", "yes"], "string"),
        (["yes", "no", "maybe"], "string"),
        (["2024-04-05"] * 19 + ["soon"], "date"),
        (["13.04.2024", "2024-04-05 10:00"], "date, day/month/year with time"),
        (["10:30", "23:59:01"], "time"),
        (["red", "blue"], "string"),
        (["", "NA"], "string"),
        (["1.2.3", "10.0.0"], "string"),
        (["192.168.0.1", "10.0.0.1"], "string"),
        (["20240405", "20240406"], "number"),
        (["2024-04", "2024-05"], "date"),
        (["Apr 2024", "May 2024"], "date"),
        (["2023-2024", "2024-2025"], "string"),
        (["€ 1.219", "€ 950"], "number, 1.219,01 €"),
        (["$1,219", "$950"], "number, $1,219.01"),
        (["1.219", "950"], "number"),
        (["02139", "10001", "00501"], "string"),  # postal codes
        (["0", "0", "10"], "number"),
        (["007", "12", "1234567"], "string"),
        (["1234"] * 30 + ["0345"], "number"),  # one slip
        (["1234"] * 60 + ["0345", "0346"], "string"),
        (["00.5", "01.5"], "number"),
        (["05:10", "07:20"], "time"),
        (["71:28", "120:05"], "time"),
        (["1.5"] * 9 + ["inf"] * 3 + ["-Infinity"], "number"),
        (["inf", "-inf"], "string"),
        (["2024-W15", "2024-W16"], "date"),
        (["5. März 2024", "1. Mai 2024"], "date"),
        (["950k", "1.2M", "3.4B", "12K", "800"], "number, 1,219.01 or 1.2M"),
        (["950k", "12k"], "number, 1,219.01 or 1.2M"),
        (["12K", "15K", "800"], "number, 1,219.01 or 1.2M"),
        (["800", "900", "1.2M"], "number, 1,219.01 or 1.2M"),
        (["$950k", "$1.2m", "$12"], "number, $1,219.01 or $1.2M"),
        (["950 k€", "1,2 M€", "3,5 M€", "12 €"], "number, 1.219,01 € or 1,2M €"),
        (["1.219 €", "1,2M €", "2,5bn €"], "number, 1.219,01 € or 1,2M €"),
        # units, as before: one letter everywhere, or with a blank before it
        (["293K", "295K"], "number, 1,219.01 K"),
        (["293 K", "295 K", "297"], "number, 1,219.01 K"),
        (["5M", "7M"], "number, 1,219.01 M"),
        (["12m", "5m", "7"], "number, 1,219.01 m"),
        (["3 kg", "4 kg", "5"], "number, 1,219.01 kg"),
        (["5 BRL", "7 BRL", "8"], "number, BRL1,219.01"),
        (["5 MX$", "7 MX$", "8"], "number, MX$1,219.01"),
        (["12K", "3M", "1G", "2G"], "string"),  # sizes of files
        (["12 m", "3 k"], "string"),
        # a letter that may be a slip does not change the others
        (["1"] * 19 + ["3B"], "number"),
        (["293 K"] * 39 + ["5M"], "number, 1,219.01 K"),
    ],
)
def test_types_are_inferred(values, kind):
    assert str(kind_of(values).type) == kind


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50))
def test_typed_numbers_are_the_doubles_that_their_text_spells(values):
    how = Reading(PLAIN_NUMBER, ReadAs.NUMBER)
    assert kind_of([repr(value) for value in values]).type == PLAIN_NUMBER
    text, _ = converted(pa.array([repr(value) for value in values]), how)
    typed, _ = converted(pa.array(values, pa.float64()), how)
    np.testing.assert_array_equal(text.values, typed.values)


def test_a_given_kind_is_taken_however_few_values_fit():
    found = kind_of(["1", "x", "y"], Kind.NUMBER)
    assert (found.type, found.misfits) == (PLAIN_NUMBER, 2)


def test_given_markers_are_missing_as_text_and_as_numbers():
    how = Reading(PLAIN_NUMBER, ReadAs.NUMBER, missing=("999", "n.k."))
    assert converted(pa.array(["1", "999", "999.0", "n.k.", "N.K."]), how)[0].values.tolist()[:1] == [1]
    for array in (pa.array(["999", "999.0", "n.k."]), pa.array([999.0]), pa.array([999])):
        column, wrong = converted(array, how)
        assert np.isnan(column.values).all()
        assert not len(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_types_are_stored_and_read_back(kind):
    assert from_plain(ColumnType, to_plain(kind)) == kind


@pytest.mark.parametrize(
    "spoilt",
    [
        {"spelling": {"decimal": ";", "unit": ""}}, {"spelling": {"decimal": ".", "unit": "x" * 13}},
        {"spelling": {"decimal": ".", "unit": "5"}}, {"spelling": {"decimal": ".", "unit": "kg", "magnitudes": True}},
        {"spelling": {"decimal": ".", "unit": "", "magnitudes": 1}}, {"words": ["a", "b"]}, {"words": ["yes"]},
        {"kind": "FLOAT"}, {"order": 1},
    ],
)  # fmt: skip
def test_a_type_that_cannot_be_is_refused(spoilt):
    with pytest.raises((TypeError, ValueError)):
        from_plain(ColumnType, {**to_plain(ColumnType()), **spoilt})
