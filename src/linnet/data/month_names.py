"""The names of months in the languages that files are most often written in, and their abbreviations.

A light module: `linnet --help` must not load NumPy.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
# As dates have them: in Polish, Czech and Russian that is the genitive.
_OTHERS = {
    "German": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "Austrian": "Jänner Feber März April Mai Juni Juli August September Oktober November Dezember",
    "French": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "Spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "Italian": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "Portuguese": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "Dutch": "januari februari maart april mei juni juli augustus september oktober november december",
    "Swedish": "januari februari mars april maj juni juli augusti september oktober november december",
    "Danish": "januar februar marts april maj juni juli august september oktober november december",
    "Norwegian": "januar februar mars april mai juni juli august september oktober november desember",
    "Polish": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "Czech": "ledna února března dubna května června července srpna září října listopadu prosince",
    "Russian": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
SHORTEST = 3
_ABBREVIATIONS = {"sept": 9, "mrt": 3, "mrz": 3, "okt": 10}


def plain(name: str) -> str:
    """A name in lower case, without accents and points: both are often left out."""
    letters = unicodedata.normalize("NFKD", name.lower().rstrip("."))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _numbers() -> dict[str, int]:
    """The month of every name, and of every beginning of three letters or more that only one month has."""
    meant: defaultdict[str, set[int]] = defaultdict(set)
    whole: dict[str, int] = {}
    for names in (MONTHS, *(each.split() for each in _OTHERS.values())):
        for number, name in enumerate(map(plain, names), start=1):
            whole[name] = number
            for length in range(SHORTEST, len(name)):
                meant[name[:length]].add(number)
    return {name: min(numbers) for name, numbers in meant.items() if len(numbers) == 1} | whole | _ABBREVIATIONS


_NUMBERS = _numbers()


def month_number(name: str) -> int | None:
    """The month of this name, from 1; None if it is not one."""
    return _NUMBERS.get(plain(name))
