"""The numbers of a picture, read back from its SVG by the ticks of its axes alone."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"


def picture(page: str, key: str) -> ElementTree.Element:
    """The svg element of a figure."""
    figure = re.search(rf'<figure id="{key}".*?</figure>|<figure [^>]*id="{key}".*?</figure>', page, flags=re.DOTALL)
    assert figure is not None, f"there is no figure {key}"
    return ElementTree.fromstring(re.search(r"<svg.*?</svg>", figure[0], flags=re.DOTALL)[0])


def number(text: str) -> float:
    return float(text.replace("\u2212", "-").replace(",", ""))


class Axes:
    """From pixels to the units of the axes: a line through the ticks."""

    def __init__(self, svg: ElementTree.Element) -> None:
        self.svg = svg
        grid = [line for line in svg.iter(f"{SVG}line") if line.get("class") == "grid"]
        upright = sorted({float(line.get("x1")) for line in grid if line.get("x1") == line.get("x2")})
        level = sorted({float(line.get("y1")) for line in grid if line.get("y1") == line.get("y2")})
        self._x = np.polyfit(upright, sorted(self._ticks("x-tick")), 1)
        self._y = np.polyfit(level, sorted(self._ticks("y-tick"), reverse=True), 1)

    def _ticks(self, kind: str) -> list[float]:
        return [number(text.text) for text in self.svg.iter(f"{SVG}text") if kind in text.get("class", "").split()]

    def point(self, x: str | float, y: str | float) -> np.ndarray:
        return np.array([np.polyval(self._x, float(x)), np.polyval(self._y, float(y))])

    def segments(self, name: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """The lines of this name, as pairs of points."""
        return [
            (self.point(line.get("x1"), line.get("y1")), self.point(line.get("x2"), line.get("y2")))
            for line in self.svg.iter(f"{SVG}line")
            if line.get("data-name") == name
        ]

    def polyline(self, name: str) -> np.ndarray:
        found = next(each for each in self.svg.iter(f"{SVG}polyline") if each.get("data-name") == name)
        return np.array([self.point(*pair.split(",")) for pair in found.get("points").split()])

    def polygons(self, class_: str) -> list[np.ndarray]:
        return [
            np.array([self.point(*pair.split(",")) for pair in each.get("points").split()])
            for each in self.svg.iter(f"{SVG}polygon")
            if class_ in each.get("class").split()
        ]

    @property
    def unit(self) -> float:
        """Units a pixel, across and upwards."""
        return float(abs(self._x[0])), float(abs(self._y[0]))
