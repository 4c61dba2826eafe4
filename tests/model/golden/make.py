"""Makes the golden model file of this version: python -m tests.model.golden.make

Run it once for every released version, under a new name: files of earlier versions must stay readable.
"""

from __future__ import annotations

from pathlib import Path

import linnet

HERE = Path(__file__).parent
ROWS = {
    "text": ["good film", "good fun, really", "bad film", "so bad", "fun and good", "bad, bad"] * 10,
    "size": [1.0, 2.0, None, 4.0, 5.5, 6.0] * 10,
    "colour": ["red", "blue", "red", "green", None, "blue"] * 10,
    "label": ["+", "+", "-", "-", "+", "-"] * 10,
}
ASKED = {
    "text": ["good", "bad fun", "nothing known"],
    "size": [2.0, None, 9.0],
    "colour": ["red", "blue", "pink"],
}


def model() -> linnet.Model:
    """A model with every kind of term, calibration, a threshold and a record; C as it was when the file was made."""
    return linnet.train(
        ROWS,
        "label",
        C=16.0,
        columns={"text": "text"},
        crosses=[("colour", "size")],
        calibrate="sigmoid",
        threshold_for="f1:+",
    )


if __name__ == "__main__":
    model().save(HERE / "0.1.linnet")
