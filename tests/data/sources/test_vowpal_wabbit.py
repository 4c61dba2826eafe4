"""Vowpal Wabbit's text format: labels, importance, tags and named features, to a model and back."""

from __future__ import annotations

import pytest

import linnet
from linnet.data.sources.formats import Format
from linnet.data.sources.opening import open_source
from linnet.errors import InputError, RecipeError
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.train import train
from tests.data.sources.tools import bad, opened, rows, values, written

LINES = [
    f"{1 if i % 3 else -1} {1 + i % 2} 'r{i}|words {'good' if i % 3 else 'bad'} it:{i % 5}.5 |about year:{i % 9} |:2 x"
    for i in range(80)
]


@pytest.mark.parametrize("size", [1, 100, None])
def test_lines_are_rows_with_label_importance_tag_and_features(size, tmp_path):
    text = "1 2.5 'first|n a:2 b\n\n-1 |n a\n|n c\n0 tagged|n d\n"
    source = opened(written(tmp_path, text.encode()), size=size)
    assert source.format == "vw"
    assert [(line, tuple(value.values())) for _, line, value in rows(source)] == [
        (1, (1.0, 2.5, "first", "|n a:2 b")),
        (3, (-1.0, 1.0, None, "|n a")),
        (4, (None, 1.0, None, "|n c")),
        (5, (0.0, 1.0, "tagged", "|n d")),
    ]


def test_a_model_has_the_names_of_the_file(tmp_path):
    paths = written(tmp_path, "\n".join(LINES).encode(), suffix=".vw")
    for learner in ("logistic-regression", "adaptive"):
        model = train(paths, TrainOptions(learner=learner))
        assert set(model.features.names()) == {"words^good", "words^bad", "words^it", "about^year", "x"}
        assert model.classes == ["-1", "1"] or model.classes == [-1, 1]
        assert [str(label) for label in model.predict(paths)] == [line.split()[0] for line in LINES]
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    unlabelled = written(tmp_path, b"|words good it\n|words bad\n", suffix=".vw")
    assert [str(label) for label in again.predict(unlabelled)] == ["1", "-1"]


def test_any_cut_gives_the_same_model(tmp_path):
    options = TrainOptions(learner="adaptive")
    whole = train(written(tmp_path, "\n".join(LINES).encode(), suffix=".vw"), options)
    parts = written(tmp_path, *("\n".join(LINES[a:b]).encode() for a, b in ((0, 7), (7, 50), (50, 80))), suffix=".vw")
    assert train(parts, options).linear.weights.tobytes() == whole.linear.weights.tobytes()
    cut = train(open_source(parts, chunk_size=50), options)
    assert cut.linear.weights.tobytes() == whole.linear.weights.tobytes()


@pytest.mark.parametrize(
    ("line", "column", "said"),
    [
        ("1 no bar", 1, "no bar"),
        ("1:0.5 2:0.1 |f a", 1, "labels with costs"),
        ("shared |f a", 1, "labels with costs"),
        ("1 x |f a", 3, "the importance must be a number"),
        ("1 1 0.5 |f a", 5, "an initial prediction"),
        ("1 |f a:x", 6, "the value of a feature must be a number"),
        ("1 |f:x a", 4, "the value of a namespace"),
        ("1 |f :2", 6, "a feature needs a name"),
        ("1 |f:1e200 a:1e200", None, "infinite"),
        (f"1 |{'n' * 129} a", 4, "longer than 128 bytes"),
    ],
)
def test_what_is_not_supported_is_named_with_its_place(line, column, said, tmp_path):
    source = opened(written(tmp_path, f"1 |f a\n{line}\n-1 |f b\n".encode()), Format.VW)
    ((_, at, byte, reason),) = bad(source)
    assert (at, byte) == (2, column)
    assert said in reason
    assert len(values(source)) == 2


def test_a_target_or_roles_of_its_own_need_no_option(tmp_path):
    paths = written(tmp_path, "\n".join(LINES).encode(), suffix=".vw")
    with pytest.raises(RecipeError, match="there is no column 'nothing'"):
        train(paths, TrainOptions(target="nothing"))
    with pytest.raises(RecipeError, match="takes NAME:ROLE"):
        TrainOptions(columns={"x": "features"})
    with pytest.raises(InputError, match="no bar"):
        open_source(written(tmp_path, b"1\n2\n", suffix=".vw"))
