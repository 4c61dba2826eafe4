"""Data frames as Arrow tables."""

import numpy as np
import pandas as pd
import pyarrow as pa

from linnet.data.sources.arrow import table_of


def test_a_pandas_frame_becomes_the_table_that_arrow_makes_of_it():
    """Columns of numbers are taken without asking Arrow about each."""
    frame = pd.DataFrame(
        {
            "x": [1.5, np.nan, np.inf],
            "whole": [1, 2, 3],
            "small": np.array([1, 2, 255], dtype=np.uint8),
            "single": np.array([0.1, np.nan, 3], dtype=np.float32),
            "word": ["a", None, "c"],
            "kind": pd.Categorical(["u", "v", "u"]),
            "yes": [True, False, True],
            "when": pd.to_datetime(["2026-01-01", None, "2026-01-03"]),
            "known": pd.array([1, None, 3], dtype="Int64"),
        },
        index=[7, 8, 9],
    )
    for each in (frame, frame[["x", "whole"]], frame[["word"]], frame.iloc[::2], frame.iloc[:0], frame[["whole"]].T):
        expected = pa.Table.from_pandas(each, preserve_index=False).replace_schema_metadata()
        assert table_of(each).replace_schema_metadata().equals(expected)
