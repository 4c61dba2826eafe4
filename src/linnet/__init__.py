"""linnet: one fast, trustworthy system for every linear model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from linnet import boolean as boolean
    from linnet import comparison as comparison
    from linnet import plot as plot
    from linnet import report as report
    from linnet.comparison.api import compare as compare
    from linnet.errors import CertificateError as CertificateError
    from linnet.errors import DataWarning as DataWarning
    from linnet.errors import ExpressionError as ExpressionError
    from linnet.errors import InputError as InputError
    from linnet.errors import LinnetError as LinnetError
    from linnet.errors import LinnetWarning as LinnetWarning
    from linnet.errors import ModelFileError as ModelFileError
    from linnet.errors import NumericalError as NumericalError
    from linnet.errors import OutputError as OutputError
    from linnet.errors import RecipeError as RecipeError
    from linnet.errors import SeparationWarning as SeparationWarning
    from linnet.errors import TaskWarning as TaskWarning
    from linnet.estimators.bag_of_words import BagOfWords as BagOfWords
    from linnet.estimators.best_threshold import BestThreshold as BestThreshold
    from linnet.estimators.conjunctions import Conjunctions as Conjunctions
    from linnet.estimators.cost_sensitive import CostSensitive as CostSensitive
    from linnet.estimators.discriminant_analysis import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
    from linnet.estimators.glm import GammaRegressor as GammaRegressor
    from linnet.estimators.glm import PoissonRegressor as PoissonRegressor
    from linnet.estimators.glm import TweedieRegressor as TweedieRegressor
    from linnet.estimators.halving import Halving as Halving
    from linnet.estimators.huber import HuberRegressor as HuberRegressor
    from linnet.estimators.lasso import ElasticNet as ElasticNet
    from linnet.estimators.lasso import Lasso as Lasso
    from linnet.estimators.lasso_cv import ElasticNetCV as ElasticNetCV
    from linnet.estimators.lasso_cv import LassoCV as LassoCV
    from linnet.estimators.linear_regression import LinearRegression as LinearRegression
    from linnet.estimators.linear_svc import LinearSVC as LinearSVC
    from linnet.estimators.linear_svr import LinearSVR as LinearSVR
    from linnet.estimators.logistic_regression import LogisticRegression as LogisticRegression
    from linnet.estimators.multi_label import MultiLabelClassifier as MultiLabelClassifier
    from linnet.estimators.naive_bayes import BernoulliNB as BernoulliNB
    from linnet.estimators.naive_bayes import ComplementNB as ComplementNB
    from linnet.estimators.naive_bayes import MultinomialNB as MultinomialNB
    from linnet.estimators.naive_bayes import SharedGaussianNB as SharedGaussianNB
    from linnet.estimators.one_hot import OneHot as OneHot
    from linnet.estimators.online import OnlineClassifier as OnlineClassifier
    from linnet.estimators.online import OnlineRegressor as OnlineRegressor
    from linnet.estimators.passive_aggressive import PassiveAggressive as PassiveAggressive
    from linnet.estimators.passive_aggressive import PassiveAggressiveClassifier as PassiveAggressiveClassifier
    from linnet.estimators.perceptron import Perceptron as Perceptron
    from linnet.estimators.polynomial import Polynomial as Polynomial
    from linnet.estimators.quantile import QuantileRegressor as QuantileRegressor
    from linnet.estimators.ridge import Ridge as Ridge
    from linnet.estimators.ridge import RidgeClassifier as RidgeClassifier
    from linnet.estimators.ridge_cv import RidgeClassifierCV as RidgeClassifierCV
    from linnet.estimators.ridge_cv import RidgeCV as RidgeCV
    from linnet.estimators.sgd import SGDClassifier as SGDClassifier
    from linnet.estimators.sgd import SGDRegressor as SGDRegressor
    from linnet.estimators.tuned_c import LinearSVCCV as LinearSVCCV
    from linnet.estimators.tuned_c import LogisticRegressionCV as LogisticRegressionCV
    from linnet.estimators.winnow import Winnow as Winnow
    from linnet.learners import catalogue as catalogue
    from linnet.learners.losses import Loss as Loss
    from linnet.learners.recipe import Averaging as Averaging
    from linnet.learners.recipe import Factors as Factors
    from linnet.learners.recipe import Penalty as Penalty
    from linnet.learners.recipe import Recipe as Recipe
    from linnet.learners.recipe import Reduction as Reduction
    from linnet.learners.recipe import Update as Update
    from linnet.learners.schedule import Schedule as Schedule
    from linnet.model.file import load as load
    from linnet.model.model import Model as Model
    from linnet.pipeline.api import train as train
    from linnet.structured.parser import DependencyParser as DependencyParser
    from linnet.structured.perceptron import StructuredPerceptron as StructuredPerceptron
    from linnet.structured.sequence_tagger import SequenceTagger as SequenceTagger

# The module of each public name. Names are loaded on first use, so that importing linnet stays cheap.
_HOMES = {
    "Averaging": "linnet.learners.recipe",
    "BagOfWords": "linnet.estimators.bag_of_words",
    "BernoulliNB": "linnet.estimators.naive_bayes",
    "BestThreshold": "linnet.estimators.best_threshold",
    "Conjunctions": "linnet.estimators.conjunctions",
    "CertificateError": "linnet.errors",
    "ComplementNB": "linnet.estimators.naive_bayes",
    "CostSensitive": "linnet.estimators.cost_sensitive",
    "DataWarning": "linnet.errors",
    "DependencyParser": "linnet.structured.parser",
    "ElasticNet": "linnet.estimators.lasso",
    "ElasticNetCV": "linnet.estimators.lasso_cv",
    "ExpressionError": "linnet.errors",
    "Factors": "linnet.learners.recipe",
    "GammaRegressor": "linnet.estimators.glm",
    "Halving": "linnet.estimators.halving",
    "HuberRegressor": "linnet.estimators.huber",
    "InputError": "linnet.errors",
    "Lasso": "linnet.estimators.lasso",
    "LassoCV": "linnet.estimators.lasso_cv",
    "LinearDiscriminantAnalysis": "linnet.estimators.discriminant_analysis",
    "LinearRegression": "linnet.estimators.linear_regression",
    "LinearSVC": "linnet.estimators.linear_svc",
    "LinearSVCCV": "linnet.estimators.tuned_c",
    "LinearSVR": "linnet.estimators.linear_svr",
    "LinnetError": "linnet.errors",
    "LinnetWarning": "linnet.errors",
    "Model": "linnet.model.model",
    "ModelFileError": "linnet.errors",
    "OutputError": "linnet.errors",
    "LogisticRegression": "linnet.estimators.logistic_regression",
    "LogisticRegressionCV": "linnet.estimators.tuned_c",
    "Loss": "linnet.learners.losses",
    "MultiLabelClassifier": "linnet.estimators.multi_label",
    "MultinomialNB": "linnet.estimators.naive_bayes",
    "NumericalError": "linnet.errors",
    "OneHot": "linnet.estimators.one_hot",
    "OnlineClassifier": "linnet.estimators.online",
    "OnlineRegressor": "linnet.estimators.online",
    "PassiveAggressive": "linnet.estimators.passive_aggressive",
    "PassiveAggressiveClassifier": "linnet.estimators.passive_aggressive",
    "Penalty": "linnet.learners.recipe",
    "Perceptron": "linnet.estimators.perceptron",
    "PoissonRegressor": "linnet.estimators.glm",
    "Polynomial": "linnet.estimators.polynomial",
    "QuantileRegressor": "linnet.estimators.quantile",
    "Recipe": "linnet.learners.recipe",
    "RecipeError": "linnet.errors",
    "Reduction": "linnet.learners.recipe",
    "Ridge": "linnet.estimators.ridge",
    "RidgeCV": "linnet.estimators.ridge_cv",
    "RidgeClassifier": "linnet.estimators.ridge",
    "RidgeClassifierCV": "linnet.estimators.ridge_cv",
    "SGDClassifier": "linnet.estimators.sgd",
    "SGDRegressor": "linnet.estimators.sgd",
    "Schedule": "linnet.learners.schedule",
    "SeparationWarning": "linnet.errors",
    "SequenceTagger": "linnet.structured.sequence_tagger",
    "SharedGaussianNB": "linnet.estimators.naive_bayes",
    "StructuredPerceptron": "linnet.structured.perceptron",
    "TaskWarning": "linnet.errors",
    "TweedieRegressor": "linnet.estimators.glm",
    "Update": "linnet.learners.recipe",
    "Winnow": "linnet.estimators.winnow",
    "boolean": "linnet",
    "catalogue": "linnet.learners",
    "compare": "linnet.comparison.api",
    "comparison": "linnet",
    "load": "linnet.model.file",
    "plot": "linnet",
    "report": "linnet",
    "train": "linnet.pipeline.api",
}

__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'linnet' has no attribute {name!r}")
    home = _HOMES[name]
    found = None if home == "linnet" else getattr(import_module(home), name, None)
    if found is None:  # a module, not a name in one
        found = import_module(f"{home}.{name}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
