"""The learners that only count: sums over the rows of each class give the model in closed form."""

from __future__ import annotations

from linnet.data.task import Task
from linnet.learners.entry import Entry, TextWeighting, Way
from linnet.learners.losses import Loss
from linnet.learners.recipe import Recipe
from linnet.learners.values import COUNTS, PRESENCE

_CLASSES = (Task.CLASSIFICATION,)

# Where rows are only counted, scores are log-odds as those of the logistic loss are; no other choice has a meaning.
_COUNTED = Recipe(Loss.LOGISTIC)

ROWS = (
    Entry(
        "naive-bayes",
        _COUNTED,
        Way.COUNTING,
        _CLASSES,
        "Multinomial naive Bayes: features are drawn, as words into a text, as often as the class draws them.",
        "w_kj = log((N_kj + α) / (Σ_j N_kj + α d)), b_k = log(n_k / n)",
        "McCallum, Nigam 1998, A comparison of event models for naive Bayes text classification",
        strength="alpha",
        text=TextWeighting.COUNTS,
        values=COUNTS,
        counting_model="linnet.training.counting.naive_bayes:Multinomial",
    ),
    Entry(
        "naive-bayes-complement",
        _COUNTED,
        Way.COUNTING,
        _CLASSES,
        "Complement naive Bayes: a class by what all others draw, which is steadier where classes differ in size.",
        "w_kj = -log((Σ_{i≠k} N_ij + α) / (Σ_j Σ_{i≠k} N_ij + α d)), b_k = 0",
        "Rennie, Shih, Teevan, Karger 2003, Tackling the poor assumptions of naive Bayes text classifiers",
        strength="alpha",
        text=TextWeighting.COUNTS,
        values=COUNTS,
        counting_model="linnet.training.counting.naive_bayes:Complement",
    ),
    Entry(
        "naive-bayes-bernoulli",
        _COUNTED,
        Way.COUNTING,
        _CLASSES,
        "Bernoulli naive Bayes: a row has a feature or not, and both count as evidence.",
        "w_kj = log(p_kj / (1 - p_kj)), b_k = log(n_k / n) + Σ_j log(1 - p_kj), p_kj = (N_kj + α) / (n_k + 2 α)",
        "McCallum, Nigam 1998, A comparison of event models for naive Bayes text classification",
        strength="alpha",
        text=TextWeighting.BINARY,
        values=PRESENCE,
        counting_model="linnet.training.counting.naive_bayes:Bernoulli",
    ),
    Entry(
        "naive-bayes-gaussian",
        _COUNTED,
        Way.COUNTING,
        _CLASSES,
        "Gaussian naive Bayes: columns spread about the mean of the class, with a variance that all classes share.",
        "w_kj = μ_kj / v_j, b_k = log(n_k / n) - Σ_j μ_kj² / (2 v_j)",
        "Hastie, Tibshirani, Friedman 2009, The elements of statistical learning, section 18.2",
        counting_model="linnet.training.counting.gaussian:SharedGaussian",
    ),
    Entry(
        "discriminant-analysis",
        _COUNTED,
        Way.COUNTING,
        _CLASSES,
        "Linear discriminant analysis: Gaussian classes with one covariance between them.",
        "w_k = Σ⁻¹ μ_k, b_k = log π_k - μ_k' Σ⁻¹ μ_k / 2, Σ = Σ_k π_k S_k / n_k",
        "Fisher 1936, The use of multiple measurements in taxonomic problems",
        counting_model="linnet.training.counting.discriminant_analysis:Discriminant",
    ),
)
