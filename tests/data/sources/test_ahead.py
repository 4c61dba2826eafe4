"""Items that are made in a thread of their own come in order, and it ends with whoever takes them."""

import threading

import pytest

from linnet.data.sources.ahead import read_ahead


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name == "linnet-ahead"]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100])
def test_items_come_in_their_order_from_one_thread(count):
    makers = set()

    def made():
        for number in range(count):
            makers.add(threading.current_thread().name)
            yield number

    assert list(read_ahead(made())) == list(range(count))
    assert makers == ({"linnet-ahead"} if count else set())
    assert threads() == []


def test_an_error_comes_in_its_turn():
    def made():
        yield 1
        yield 2
        raise ValueError("the third")

    ahead = read_ahead(made())
    assert [next(ahead), next(ahead)] == [1, 2]
    with pytest.raises(ValueError, match="the third"):
        next(ahead)
    assert threads() == []


def test_whoever_stops_early_ends_the_thread_and_closes_the_items():
    made, closed = [], []

    def items():
        try:
            while True:
                made.append(len(made))
                yield made[-1]
        finally:
            closed.append(True)

    ahead = read_ahead(items(), most=3)
    assert next(ahead) == 0
    ahead.close()
    assert closed == [True]
    assert threads() == []
    assert len(made) <= 8  # those that wait, and a few on their way
