"""The package as a whole: its names, its version, what importing it costs."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import linnet

ROOT = Path(__file__).parents[1]


def test_public_names():
    assert linnet.__all__ == [
        "Averaging", "BagOfWords", "BernoulliNB", "BestThreshold", "CertificateError", "ComplementNB", "Conjunctions",
        "CostSensitive", "DataWarning", "DependencyParser", "ElasticNet", "ElasticNetCV", "ExpressionError",
        "Factors", "GammaRegressor", "Halving", "HuberRegressor", "InputError", "Lasso", "LassoCV",
        "LinearDiscriminantAnalysis", "LinearRegression", "LinearSVC", "LinearSVCCV", "LinearSVR", "LinnetError",
        "LinnetWarning", "LogisticRegression", "LogisticRegressionCV", "Loss", "Model", "ModelFileError",
        "MultiLabelClassifier", "MultinomialNB", "NumericalError", "OneHot", "OnlineClassifier", "OnlineRegressor",
        "OutputError", "PassiveAggressive", "PassiveAggressiveClassifier", "Penalty", "Perceptron",
        "PoissonRegressor", "Polynomial", "QuantileRegressor", "Recipe", "RecipeError", "Reduction", "Ridge",
        "RidgeCV", "RidgeClassifier", "RidgeClassifierCV", "SGDClassifier", "SGDRegressor", "Schedule",
        "SeparationWarning", "SequenceTagger", "SharedGaussianNB", "StructuredPerceptron", "TaskWarning",
        "TweedieRegressor", "Update", "Winnow", "__version__", "boolean", "catalogue", "compare", "comparison", "load",
        "plot", "report", "train",
    ]  # fmt: skip
    for name in linnet.__all__:
        assert getattr(linnet, name) is not None
    assert dir(linnet) == linnet.__all__
    with pytest.raises(AttributeError, match="no attribute 'Perzeptron'"):
        linnet.Perzeptron


def test_the_version_is_one():
    assert linnet.__version__ == version("linnet")


def test_importing_linnet_imports_nothing_heavy():
    code = "import sys, linnet; print([m for m in ('numpy', 'scipy', 'sklearn', 'rich', 'typer') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_commands_are_offered_without_what_only_work_needs():
    code = (
        "import sys, linnet.cli.main; print([m for m in ('numpy', 'scipy', 'sklearn', 'pyarrow') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_plain_table_of_numbers_is_trained_on_without_arrow_and_scipys_linear_algebra(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(
        "a,b,y\n" + "".join(f"{i * 0.37 % 1:.3f},{i * 0.71 % 1:.3f},{i * i % 7 // 4}\n" for i in range(400))
    )
    code = (
        f"import sys, linnet; linnet.train({str(table)!r}, target='y', task='classification')\n"
        "print([m for m in ('pyarrow', 'pandas', 'scipy.linalg', 'scipy.optimize') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_recipes_do_not_need_scikit_learn():
    code = "import sys, linnet; linnet.Recipe, linnet.catalogue; print('sklearn' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def test_a_kernel_is_compiled_as_the_build_says():
    """Without this, a kernel that fell back to plain Python would pass every other test, slowly."""
    built = re.search(r"^kernels = \[([^]]*)\]", (ROOT / "meson.build").read_text(), re.MULTILINE)[1]
    names = set(re.findall(r"'(\w+)'", built))
    assert names == {path.stem for path in (ROOT / "src/linnet/kernels").glob("*.py")} - {"__init__"}
    for name in names:
        assert not import_module(f"linnet.kernels.{name}").__file__.endswith(".py")
