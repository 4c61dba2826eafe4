"""Numbers in text are read with the bits of Python's float()."""

from __future__ import annotations

import locale
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from linnet.kernels.numbers import Fault, read_numbers

GRAMMAR = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def read(tokens, separator=b" "):
    text = separator.join(tokens)
    stops = np.cumsum([len(token) + len(separator) for token in tokens]) - len(separator)
    return read_numbers(text, stops - [len(token) for token in tokens], stops)


def expected(token):
    """Value and fault by Python's own conversion, for whatever the grammar lets pass."""
    if not GRAMMAR.fullmatch(token):
        return 0.0, Fault.NOT_A_NUMBER
    value = float(token)
    return (0.0, Fault.TOO_LARGE) if math.isinf(value) else (value, Fault.NONE)


def assert_read_as_python_does(tokens):
    for separator in (b" ", b"", b"7"):  # what follows a number is no part of it, not even where it could be
        values, faults = read(tokens, separator)
        wanted, wrong = zip(*map(expected, tokens), strict=True)
        differ = (values.view(np.int64) != np.array(wanted).view(np.int64)) | (faults != np.array(wrong))
        assert not differ.any(), [(tokens[i], values[i], wanted[i], faults[i]) for i in np.flatnonzero(differ)[:5]]


def decimal(fraction):
    """The exact decimal digits of a fraction whose denominator is a power of two."""
    places = fraction.denominator.bit_length() - 1
    return f"{fraction.numerator * 5**places}e-{places}".encode()


def random_doubles(rng, n):
    bits = rng.integers(0, 2**63, n, dtype=np.uint64) | (rng.integers(0, 2, n, dtype=np.uint64) << np.uint64(63))
    values = bits.view(np.float64)
    return values[np.isfinite(values)].tolist()


digits = st.text("0123456789", max_size=30)
numerals = st.builds(
    lambda sign, whole, rest, power: (sign + whole + rest + power).encode(),
    st.sampled_from(["", "+", "-"]),
    digits,
    st.one_of(st.just(""), digits.map(lambda text: "." + text)),
    st.one_of(st.just(""), st.integers(-400, 400).map("e{}".format), st.integers(-30, 30).map("E{:+}".format)),
)


@settings(max_examples=2000)
@given(st.lists(numerals, min_size=1, max_size=20))
@example([b"", b".", b"+", b"-.", b"1e", b"1e+", b".e1", b"e5", b"5.", b".5", b"-0", b"1_0", b"0x1p3", b"nan", b"inf"])
@example(
    [b"1e400", b"-1e400", b"1e-400", b"1e99999999999999999999999", b"0e99999999999999999999999", b"1e-99999999999"]
)
@example(
    [b"1.7976931348623157e308", b"1.7976931348623158e308", b"1.7976931348623159e308", b"17976931348623157" + b"0" * 292]
)
@example([b"2.4703282292062327e-324", b"2.4703282292062328e-324", b"5e-324", b"2.2250738585072011e-308"])
@example(
    [b"0" * 400 + b"." + b"0" * 400 + b"12345678901234567890123", b"1" + b"0" * 400 + b"e-400", b"0." + b"0" * 400]
)
@example(
    [b"9007199254740993", b"9007199254740992.999999999999999999999", b"9007199254740993.0000000000000000000000000001"]
)
def test_numerals_are_read_as_python_does(tokens):
    assert_read_as_python_does(tokens)


@settings(max_examples=1000)
@given(st.lists(st.binary(max_size=12) | st.text("+-.eE019_xnaif ", max_size=10).map(str.encode), min_size=1))
def test_whatever_is_no_number_is_refused(tokens):
    assert_read_as_python_does(tokens)


@pytest.mark.parametrize("form", ["{!r}", "{:.16g}", "{:.17g}", "{:.18g}", "{:.19e}", "{:.20e}", "{:.30e}", "{:.8g}"])
def test_doubles_printed_in_every_precision_are_read_as_python_does(form, rng):
    assert_read_as_python_does([form.format(value).encode() for value in random_doubles(rng, 20_000)])


@pytest.mark.parametrize("form", ["{:.1f}", "{:.6f}", "{:.17f}", "{:.40f}", "{:.3g}"])
def test_everyday_numbers_are_read_as_python_does(form, rng):
    values = rng.normal(size=20_000) * 10.0 ** rng.integers(-8, 12, 20_000)
    assert_read_as_python_does([form.format(value).encode() for value in values.tolist()])


def test_nineteen_digits_and_any_exponent_are_read_as_python_does(rng):
    mantissas, powers = rng.integers(0, 10**19, 100_000, dtype=np.uint64), rng.integers(-345, 312, 100_000)
    assert_read_as_python_does([b"%de%d" % pair for pair in zip(mantissas.tolist(), powers.tolist(), strict=True)])


def test_exact_halves_between_doubles_go_to_the_even_one_and_a_hair_beside_them_does_not(rng):
    tokens = []
    subnormal = rng.integers(0, 2**52, 500, dtype=np.uint64).view(np.float64).tolist()
    everyday = (rng.integers(2**52, 2**53, 2000) * 2.0 ** rng.integers(-60, 20, 2000)).tolist()
    for value in [*(abs(x) for x in random_doubles(rng, 1000)), *subnormal, *everyday]:
        if math.isinf(math.nextafter(value, math.inf)):
            continue
        half = decimal((Fraction(value) + Fraction(math.nextafter(value, math.inf))) / 2)
        number, power = half.split(b"e")
        beside = int(power) - 3
        tokens += [half, b"%d001e%d" % (int(number), beside), b"%d999e%d" % (int(number) - 1, beside)]
    assert_read_as_python_does(tokens)


def test_subnormals_are_read_as_python_does(rng):
    values = rng.integers(0, 2**53, 20_000, dtype=np.uint64).view(np.float64).tolist()
    assert_read_as_python_does([form.format(x).encode() for x in values for form in ("{!r}", "{:.25e}", "{:.3e}")])


def test_a_locale_with_decimal_commas_changes_nothing():
    before = locale.setlocale(locale.LC_NUMERIC)
    for name in ("de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"):
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
            break
        except locale.Error:
            continue
    else:
        pytest.skip("no locale with decimal commas is installed")
    try:
        assert_read_as_python_does([b"0.5", b"4.9e-324", b"9007199254740993.0", decimal(Fraction(2**54 + 1, 2**60))])
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)


def test_ranges_outside_the_text_are_refused():
    for start, stop in ((-1, 1), (0, 4), (2, 1)):
        with pytest.raises(ValueError, match="do not lie within the 3 bytes"):
            read_numbers(b"123", np.array([start]), np.array([stop]))
    with pytest.raises(ValueError, match="1 starts but 2 stops"):
        read_numbers(b"123", np.array([0]), np.array([1, 2]))


def test_nothing_at_all_is_no_number():
    values, faults = read_numbers(b"", np.array([0]), np.array([0]))
    assert values.tolist() == [0.0]
    assert faults.tolist() == [Fault.NOT_A_NUMBER]
