"""What every catalogued estimator is tested on, and the few things that some are excused from.

A check must cost little, for it runs on every estimator: few members and rounds, data sets made once, and all that
one estimator is asked of one kind in one test (``Failures`` keeps what each part said).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import is_classifier, is_clusterer, is_regressor
from sklearn.datasets import make_blobs
from sklearn.model_selection import LeaveOneOut
from sklearn.utils import get_tags

from lanatus import catalog
from lanatus.bayes import GaussianNB
from lanatus.kernel import GaussianKernel
from lanatus.linear import LogisticRegression
from lanatus.reduce import Isomap
from lanatus.tree import DecisionTreeClassifier

# Parameters that only say how much work is done: what a check finds, it finds with little of it.
_LITTLE = {
    "n_estimators": 3,
    "n_rounds": 4,
    "n_stages": 2,
    "n_generations": 10,
    "n_restarts": 2,
    "hidden": 4,
    "k_max": 4,
}
_LITTLE_OF: dict[str, dict[str, Any]] = {
    "IndexClustering": {"max_iter": 2},
    "DynamicClassifierSelection": {"cv": 2},
    "GradientBoostingRegressor": {"n_estimators": 6},  # with fewer it has not learnt enough for scikit-learn's check
    "LocalOutlierFactor": {"n_neighbors": 5, "novelty": True},  # otherwise it says nothing of new rows
    "LPBoostClassifier": {"n_estimators": 20},  # with fewer its program is not solved, and it says so
    "HierarchicalDirichletProcess": {"max_iter": 20},
    # small steps, many of them: with few the loss stands still from the first round on, for so little patience
    "MLPClassifier": {"batch_size": 10, "tol": 0.01, "n_iter_no_change": 5},
    "MLPRegressor": {"batch_size": 10, "tol": 0.01, "n_iter_no_change": 5},
    "MKLClassifier": {"kernels": [GaussianKernel(1.0), GaussianKernel(3.0)], "tol": 0.1},
    "MixtureOfExperts": {"n_experts": 2, "tol": 0.01},
    "MixtureOfExpertsRegressor": {"n_experts": 2, "tol": 0.01},
    "Nystroem": {"n_components": 4, "random_state": 0},
    "OutputCodeClassifier": {"code": "one-vs-one"},  # drawing a good code at random is most of the work; see SEEDED
    "SOM": {"grid": (1, 3)},  # as many units as clusters
    "BernoulliRBM": {"n_components": 4},
    "DBN": {"hidden_layer_sizes": (8,), "pretrain_iter": 2, "tol": 0.01},
    "Elman": {"max_iter": 40, "n_iter_no_change": 40},
    "ElmanClassifier": {"max_iter": 40, "n_iter_no_change": 40},
    "CascadeCorrelation": {"n_candidates": 2, "max_hidden": 2, "candidate_iter": 20},
    "CascadeCorrelationRegressor": {"n_candidates": 2, "max_hidden": 2, "candidate_iter": 20},
    "RecurrentBP": {"n_units": 5, "tol": 0.02},
    "EvolvingNetwork": {"n_population": 30, "n_generations": 30},
    "SparseDistributedMemory": {"n_locations": 100},
    "StackingClassifier": {"cv": 2},
    "StackingRegressor": {"cv": 2},
}
_LITTLE_OF["StabilitySelector"] = {"n_resamples": 4}
_LITTLE_OF["NMF"] = {"n_components": 2, "max_iter": 10_000, "tol": 1e-7}  # until it stands still
# As many neighbours that three clusters of thirty rows are one graph: one in parts is joined, with a warning.
_IN_ONE_PART = {"n_neighbors": 40}
_LITTLE_OF |= dict.fromkeys(("Isomap", "LocallyLinearEmbedding", "SpectralEmbedding"), _IN_ONE_PART)
_LITTLE_OF["TSNE"] = {"perplexity": 5, "max_iter": 250}  # of twenty rows there are no thirty neighbours
_LITTLE_OF["UMAP"] = {"n_epochs": 20}
_TWO = {"n_components": 2}  # by default hundreds, however few columns there are
_LITTLE_OF |= dict.fromkeys(("GaussianRandomProjection", "SparseRandomProjection"), _TWO)
_LITTLE_OF["OutOfSampleRegressor"] = {"reducer": Isomap(**_IN_ONE_PART)}
# What an array comes to by default is sparse there, and unseen values are an error; asked for what others do.
_AS_OTHERS: dict[str, dict[str, Any]] = {
    "OneHotEncoder": {"handle_unknown": "warn", "sparse_output": False},
    "OrdinalEncoder": {"handle_unknown": "warn"},
    "KBinsDiscretizer": {"encode": "ordinal"},
}
# What draws at random by default, where _LITTLE_OF does not: for the checks of seeds and of saved models.
# Rows that are farther apart than a radius by default are no neighbours.
SEEDED: dict[str, dict[str, Any]] = {
    "OutputCodeClassifier": {"code": "dense"},
    "RadiusNeighborsClassifier": {"radius": 30.0},
    "RadiusNeighborsRegressor": {"radius": 30.0},
}


# What naive Bayes cannot stand for: a model with weights, a tree.
_LEARNERS: dict[str, Any] = {"SelectFromModel": LogisticRegression, "TreeFeatureSelector": DecisionTreeClassifier}
_LEARNERS["StabilitySelector"] = LogisticRegression


def made(entry: catalog.Entry) -> Any:
    """An estimator with its defaults, but few members and rounds; one that works with another gets naive Bayes."""
    learner = _LEARNERS.get(entry.name, GaussianNB)
    model = entry.object(learner()) if entry.wraps_estimator else entry.object()
    given = model.get_params(deep=False)
    little = {
        name: value for name, value in _LITTLE.items() if isinstance(given.get(name), int) and given[name] > value
    }
    return model.set_params(**{**little, **_LITTLE_OF.get(entry.name, {}), **_AS_OTHERS.get(entry.name, {})})


# Those that learn one label or number a row: neither our checks nor scikit-learn's give several to the others.
ALL = [entry for entry in catalog.estimators() if get_tags(made(entry)).target_tags.single_output]
SAMPLERS = [entry for entry in ALL if hasattr(entry.object, "fit_resample")]  # see tests/imbalance/test_samplers.py
OF_PAIRS = {"CollaborativeFilter"}  # X is user and item, two columns and no others; its tests: tests/sparse_learning
ENTRIES = [entry for entry in ALL if entry not in SAMPLERS and entry.name not in OF_PAIRS]
NAMES = [entry.name for entry in ENTRIES]

_BY_ROW = (
    "starting rows are drawn by row number, so a repeated row is drawn differently from a heavy one; "
    "from a given start weights equal repeats, which test_ours.py shows"
)

_DRAWN = "rows are drawn with replacement by row number"

_NOISE_BY_ROW = (
    "rows, weights or noise are drawn by row number; without the draws weights equal repeats, as test_ours.py shows"
)
_FRACTIONS = "the check gives it fractions, which are no codes; of codes weights equal repeats, as test_ours.py shows"
_MANY_OPTIMA = "its linear program may have several solutions, and repeated rows lead to another one"

_COUNTED = "leaves count rows, and by default how many they need follows from how many rows there are"

# class -> {scikit-learn's check: why it does not apply}
EXCUSED: dict[str, dict[str, str]] = {
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": _FRACTIONS,
            "check_classifiers_one_label_sample_weights": _FRACTIONS,
        }
        for name in ("CategoricalNB", "JointBayesClassifier")
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": _COUNTED,
            "check_sample_weight_equivalence_on_sparse_data": _COUNTED,
        }
        for name in ("GradientBoostingClassifier", "GradientBoostingRegressor")
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": _BY_ROW,
            "check_sample_weight_equivalence_on_sparse_data": _BY_ROW,
        }
        for name in ("BisectingKMeans", "KMeans", "MiniBatchKMeans")
    },
    "KModes": {
        "check_clustering": _FRACTIONS,
        "check_sample_weight_equivalence_on_dense_data": _FRACTIONS,
    },
    **{
        name: {"check_sample_weight_equivalence_on_dense_data": _BY_ROW}
        for name in (
            "BregmanKMeans",
            "ConstrainedKMeans",
            "FuzzyCMeans",
            "KMedoids",
            "KPrototypes",
            "KernelKMeans",
            "LVQ",
        )
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": _DRAWN,
            "check_sample_weight_equivalence_on_sparse_data": _DRAWN,
        }
        for name in ("IsolationForest", "RandomForestClassifier", "RandomForestRegressor")
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": _NOISE_BY_ROW,
            "check_sample_weight_equivalence_on_sparse_data": _NOISE_BY_ROW,
        }
        for name in (
            "BaggingClassifier",
            "BaggingRegressor",
            "BoostByFilter",
            "FlippingOutputClassifier",
            "IterativeBaggingRegressor",
            "OutputSmearingClassifier",
            "OutputSmearingRegressor",
        )
    },
    "LPBoostClassifier": {
        "check_sample_weight_equivalence_on_dense_data": _MANY_OPTIMA,
        "check_sample_weight_equivalence_on_sparse_data": _MANY_OPTIMA,
    },
}

_WIDTH = (
    "gamma='scale' is of the variance of the rows without their weights, as in scikit-learn; with a gamma of its own "
    "weights equal repeats, as test_ours.py shows"
)
EXCUSED |= {
    name: {
        "check_sample_weight_equivalence_on_dense_data": _WIDTH,
        "check_sample_weight_equivalence_on_sparse_data": _WIDTH,
    }
    for name in (
        "KernelLDA",
        "KernelLogisticRegression",
        "LeastSquaresSVC",
        "LeastSquaresSVR",
        "CoreVectorMachine",
        "MKLClassifier",
        "MulticlassSVC",
        "NuSVC",
        "NuSVR",
        "OneClassSVM",
        "SVC",
        "SVCPath",
        "SVR",
    )
}
EXCUSED["NuSVC"]["check_class_weight_classifiers"] = "so unequal weights leave no room for nu, and it says so"

EXCUSED |= {
    entry.name: {"check_classifiers_classes": "of the check's labels -1 and 1 the first means unlabelled"}
    for entry in catalog.estimators()
    if entry.path.startswith("lanatus.semi.")
    and entry.task == "classification"
    # which the check gives other labels by name
    and entry.name not in ("LabelPropagation", "LabelSpreading", "SelfTrainingClassifier")
}
for _name in ("MeanS3VM", "S3VM", "S4VM", "TSVM"):
    EXCUSED[_name] |= EXCUSED["SVC"]
EXCUSED["SelfTrainingClassifier"] = {
    "check_non_transformer_estimators_n_iter": "all rows have a label: no round is needed, as in scikit-learn"
}
EXCUSED["SeededKMeans"] = {"check_clustering": "it needs seeds, and the check gives no y"}
_BATCHES = "rows are shown in batches drawn by row number; all at a time weights equal repeats, as test_ours.py shows"
EXCUSED |= {
    name: {
        "check_sample_weight_equivalence_on_dense_data": _BATCHES,
        "check_sample_weight_equivalence_on_sparse_data": _BATCHES,
    }
    for name in ("Adaline", "BernoulliRBM", "CompetitiveLearning", "DBN", "MLPClassifier", "MLPRegressor", "Perceptron")
}

EXCUSED["GradientBoostingClassifier"]["check_class_weight_classifiers"] = (
    "it sets min_weight_fraction_leaf beside weights, which losses without unit curvature refuse"
)


def _two_ends(X: Any, k: int, random_state: Any) -> np.ndarray:
    """Rows to begin a split with that are the same in any order."""
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    order = np.lexsort(dense.T)
    return dense[order[[0, -1]]]


# class -> parameters that make it deterministic without random draws, for weights and permutations
FIXED_START: dict[str, Any] = {
    # leaves count rows, not weights, and by default their number follows from that of the rows
    "GradientBoostingClassifier": lambda X: {"min_samples_leaf": 1, "max_leaf_nodes": 31},
    "GradientBoostingRegressor": lambda X: {"min_samples_leaf": 1, "max_leaf_nodes": 31},
    "ExtraTreesClassifier": lambda X: {"n_estimators": 1, "max_depth": 1, "max_features": None, "max_bins": 2},
    "ExtraTreesRegressor": lambda X: {"n_estimators": 1, "max_depth": 1, "max_features": None, "max_bins": 2},
    "RandomForestClassifier": lambda X: {"bootstrap": False, "max_features": None},
    "RandomForestRegressor": lambda X: {"bootstrap": False, "max_features": None},
    "AdaBoostRegressor": lambda X: {"mode": "reweight"},
    "BaggingClassifier": lambda X: {"bootstrap": False},
    "BaggingRegressor": lambda X: {"bootstrap": False},
    "BoostByFilter": lambda X: {"mode": "reweight"},
    "BisectingKMeans": lambda X: {"init": _two_ends, "tol": 0},
    "DistanceOutlierDetector": lambda X: {"n_clusters": 1},
    "OPTICS": lambda X: {"cluster_method": "dbscan", "eps": 100.0},  # one cluster: others are numbered by the first row
    "KMeans": lambda X: {"init": np.asarray(X, dtype=float)[:3], "tol": 0},
    "ConstrainedKMeans": lambda X: {"init": np.asarray(X, dtype=float)[:3]},
    "KMedoids": lambda X: {"init": "build"},
    "ITML": lambda X: {"n_constraints": 10_000, "tol": 0.1},  # all pairs, where otherwise some are drawn by row number
    "KSVD": lambda X: {"dict_init": np.eye(np.shape(X)[1])},
    "LLC": lambda X: {"dictionary": np.asarray(X, dtype=float)[:3]},
    # "balanced" makes three clusters weigh the same, so that rounding decides which one a stump cuts off
    "CostSensitiveBoostClassifier": lambda X: {"costs": {("red", "green"): 3.0, ("green", "red"): 2.0}},
    "DynamicClassifierSelection": lambda X: {"cv": LeaveOneOut()},
    "FlippingOutputClassifier": lambda X: {"rate": 0.0},
    "FuzzyCMeans": lambda X: {"init": np.asarray(X, dtype=float)[:3]},
    "GASEN": lambda X: {"bootstrap": False},
    **{  # a solution to all digits, of one width
        name: lambda X: {"tol": 1e-13, "gamma": 0.1}
        for name in ("MeanS3VM", "MulticlassSVC", "NuSVC", "NuSVR", "OneClassSVM", "S4VM", "SVC", "SVR", "TSVM")
    },
    "S3VM": lambda X: {"gamma": 0.1},
    **{name: lambda X: {"gamma": 0.1} for name in ("LeastSquaresSVC", "LeastSquaresSVR")},
    "KernelLDA": lambda X: {"gamma": 0.1, "reg": 1.0},
    "KernelLogisticRegression": lambda X: {"tol": 1e-13, "gamma": 0.1},
    "SVCPath": lambda X: {"tol": 1e-13, "gamma": 0.1, "cv": None, "Cs": [0.1, 1.0]},
    "ID4Classifier": lambda X: {"max_depth": 1},  # what hangs below a node is built by the rows that come later
    "IterativeBaggingRegressor": lambda X: {"bootstrap": False},
    "KNNEnsembleClassifier": lambda X: {"bootstrap": False},
    "RBFNetwork": lambda X: {"centers": np.asarray(X, dtype=float)[:3]},
    "RBFNetworkClassifier": lambda X: {"centers": np.asarray(X, dtype=float)[:3]},
    **{  # hundreds of steps towards candidates make much of rounding
        name: lambda X: {"candidate_iter": 4} for name in ("CascadeCorrelation", "CascadeCorrelationRegressor")
    },
    "LinearSVR": lambda X: {"tol": 1e-8},
    "LPBoostClassifier": lambda X: {"nu": 1.0},  # otherwise the program may have several solutions
    **{  # a few looks at all rows, in units that sparse and dense rows share
        name: lambda X: {"solver": "lbfgs", "tol": 0.03, "scaling": None, "activation": "tanh"}
        for name in ("MLPClassifier", "MLPRegressor")
    },
    "MultiBoostClassifier": lambda X: {"n_estimators": 1},  # the first learner of the first committee: no wagging yet
    "OutputSmearingClassifier": lambda X: {"sigma": 0.0},
    "OutputSmearingRegressor": lambda X: {"sigma": 0.0},
    "StackingClassifier": lambda X: {"cv": LeaveOneOut()},
    "StackingRegressor": lambda X: {"cv": LeaveOneOut()},
}

# class -> why a weight is not so many repeats, whatever its parameters; its own tests say what a weight is
CHANCES = {"IsolationForest": "weights are chances to be drawn: see tests/cluster/test_outliers.py"}


# Whose sums are made by LAPACK on a matrix of all rows: their last digits follow its number of threads.
BY_LAPACK = {
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "KernelLDA",
    "KernelLogisticRegression",
    "KernelRidge",
    "LabelPropagation",
    "LDS",
    "LabelSpreading",
    "LapRLS",
    "LapSVM",
    "LeastSquaresSVC",
    "LeastSquaresSVR",
    "Nystroem",
    "RBFSampler",
    "S3VM",
}

BY_LAPACK |= {"LocallyLinearEmbedding"}

# Has no constant, so that it learns one number for all rows as it does any function, with its penalty.
NO_CONSTANT = {"KernelRidge"}

# Takes arrays of three dimensions too: sequences, steps and what is seen at each.
OF_SEQUENCES = {"Elman", "ElmanClassifier"}

# Gives a column for each row learned from, in their order.
COLUMN_A_ROW = {"MixedKernel", "MetricPropagation", "PerExemplarDistance"}

# What draws batches of rows by their numbers, whatever it begins with, or learns from rows one after the other: no
# weights equal repeats, no order another's.
BATCHED = {"LVQ", "MiniBatchKMeans", "Nystroem"}
BATCHED |= {"Adaline", "BernoulliRBM", "CompetitiveLearning", "DBN", "Elman", "ElmanClassifier", "Perceptron"}
# A document's topics begin at a draw of its own.
BATCHED |= {"HierarchicalDirichletProcess", "LatentDirichletAllocation", "PLSA"}
BATCHED |= {"StabilitySelector"}
BATCHED |= {"ART", "ART1", "ART2", "ARTMAP", "FuzzyART"}

# Hundreds of rounds make much of rounding, and of draws by row number: in another order the picture is another one.
BY_ROUNDS = {"TSNE", "UMAP"}

# Clusterers whose clusters are numbered by rows, or begin with rows drawn by number and end, on clusters that do
# not meet, in the same ones: in another order the clusters are the same, their numbers are not.
NUMBERED_BY_ROW = {
    "AffinityPropagation",
    "AgglomerativeClustering",
    "AutoKMeans",
    "Birch",
    "ClusterEnsemble",
    "ClusterThenClassify",
    "DIANA",
    "IndexClustering",
    "KernelKMeans",
    "ROCK",
    "SpectralClustering",
    "XMeans",
}


def renumbered(entry: catalog.Entry, said: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Answers with clusters numbered as the rows asked about bring them, where that is what their numbers are."""
    if entry.name not in NUMBERED_BY_ROW:
        return said
    labels = said["predict"]
    first = {label: place for place, label in enumerate(dict.fromkeys(labels.tolist()))}
    return {"predict": np.array([first[label] for label in labels.tolist()])}


def enough(entry: catalog.Entry) -> int:
    """Rows for the checks of weights and order: few for those that then leave out one after the other."""
    return 24 if entry.name in ("DynamicClassifierSelection", "StackingClassifier", "StackingRegressor") else 90


def build(entry: catalog.Entry, X: Any = None) -> Any:
    """An estimator fit for small data, with a seed; with X, one that draws nothing at random."""
    model = made(entry)
    small = {"n_clusters": 3, "random_state": 0}
    model.set_params(**{name: value for name, value in small.items() if name in model.get_params()})
    if X is not None and entry.name in FIXED_START:
        model.set_params(**FIXED_START[entry.name](X))
    return model


def seeded(entry: catalog.Entry) -> Any:
    """As build, but drawing at random wherever it does so by default."""
    return build(entry).set_params(**SEEDED.get(entry.name, {}))


# Rows that are enough to learn from where learning goes row by row in Python, or on one thread by design; each model is
# asked about all rows. The learners that these are built of take part with all rows themselves.
FEW_ROWS = {
    "GraphMincut": 1000,
    "LDS": 150,
    "LapRLS": 300,
    "LapSVM": 300,
    "MeanS3VM": 500,
    "S3VM": 200,
    "S4VM": 500,
    "ClassicalMDS": 100,
    "LMNN": 600,
    "MetricPropagation": 600,
    "NeighborhoodComponentsAnalysis": 600,
    "PerExemplarDistance": 600,
    "GraphEmbedding": 500,
    "Isomap": 100,
    "SpectralEmbedding": 100,
    "SupervisedIsomap": 100,
    "KernelPCA": 100,
    "MDS": 60,
    "LocallyLinearEmbedding": 100,
    "OutOfSampleRegressor": 100,
    "ClusterEnsemble": 300,
    "ClusterThenClassify": 500,
    "IndexClustering": 60,
    "SpectralClustering": 500,
    "AffinityPropagation": 200,
    "AutoKMeans": 300,
    "DENCLUE": 300,
    "DIANA": 500,
    "ID4Classifier": 300,
    "IterativeBaggingRegressor": 1000,
    "GaussianProcessClassifier": 200,
    "GaussianProcessRegressor": 300,
    "KernelKMeans": 500,
    "KernelLDA": 400,
    "KernelLogisticRegression": 400,
    "ART": 300,
    "ART1": 300,
    "ART2": 300,
    "ARTMAP": 300,
    "CascadeCorrelation": 1000,
    "CascadeCorrelationRegressor": 1000,
    "Elman": 500,
    "ElmanClassifier": 500,
    "EvolvingNetwork": 300,
    "FuzzyART": 300,
    "RecurrentBP": 300,
    "KernelPerceptron": 500,
    "KernelRidge": 700,
    "LeastSquaresSVC": 700,
    "LeastSquaresSVR": 700,
    "LPBoostClassifier": 1000,
    "LVQ": 200,
    "MeanShift": 500,
    "MixtureOfExperts": 1000,
    "MixtureOfExpertsRegressor": 1000,
    "NeC45Classifier": 1000,
    "NegativeCorrelationEnsemble": 1000,
    "NegativeCorrelationRegressor": 1000,
    "ROCK": 200,
}


@lru_cache
def _blobs(n: int, seed: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    X, codes = make_blobs(n, 4, centers=3, cluster_std=spread, random_state=seed)
    return X, codes


OF_NUMBERS = {"RReliefF"}  # transformers that learn numbers, not labels


@lru_cache
def _wants(name: str) -> tuple[bool, bool, bool]:
    """Whether an estimator wants nothing below zero, codes of values, and numbers as targets."""
    model = made(next(entry for entry in ALL if entry.name == name))
    tags = get_tags(model).input_tags
    return bool(tags.positive_only), bool(tags.categorical), is_regressor(model) or name in OF_NUMBERS


def numbers(
    entry: catalog.Entry | None = None, n: int = 90, seed: int = 0, dtype: Any = np.float64, spread: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Three clusters that are classes too, or for a regressor numbers above zero that follow from them.

    With a spread of 1 no two clusters meet, so that models of many draws give one answer; with 5 they do not.
    """
    X, codes = _blobs(n, seed, spread)
    positive, categorical, regression = (False, False, False) if entry is None else _wants(entry.name)
    X = X - X.min() if positive else X  # what the method is made for: counts, or codes of values
    X = X.round() if categorical else X
    y = 2.0 + codes + 0.1 * np.sin(X).sum(axis=1) if regression else np.array(["red", "green", "蓝"])[codes]
    return X.astype(dtype), y  # copies: what a test does to them, no other sees


@lru_cache
def _colours(n: int, seed: int) -> pd.DataFrame:
    _, labels = numbers(None, n, seed)
    rng = np.random.RandomState(seed)
    frame = pd.DataFrame({"色泽": np.where(rng.rand(n) < 0.8, labels, "red").astype(object)})
    frame["size"] = pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True)
    frame["ripe"] = rng.rand(n) < 0.5
    return frame


def mixed(entry: catalog.Entry | None = None, n: int = 90, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, strings, an ordered category and a boolean, all of which tell something of the class."""
    X, y = numbers(entry, n, seed)
    frame = pd.DataFrame(X[:, :2], columns=["密度", "含糖率"])
    return pd.concat([frame, _colours(n, seed)], axis=1).copy(), y


@cache
def _fitted(name: str) -> Any:
    entry = next(entry for entry in ALL if entry.name == name)
    return seeded(entry).fit(*mixed(entry))


def fitted_on_mixed(entry: catalog.Entry) -> Any:
    """A model of the mixed table, the same for all that only ask it something: one fit an estimator."""
    return _fitted(entry.name)


class Failures:
    """What failed of the parts of one test, told together at its end: ``with failures.of("polars"): ...``."""

    def __init__(self) -> None:
        self.said: list[str] = []

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Go on after a failure of this part, and remember it."""
        try:
            yield
        except (Exception, pytest.fail.Exception) as failure:
            self.said.append(f"{part}: {type(failure).__name__}: {failure}")

    def tell(self) -> None:
        """Fail if any part did."""
        assert not self.said, "\n".join(self.said)


def answers(model: Any, X: Any) -> dict[str, np.ndarray]:
    """All that a fitted model says about rows."""
    verbs = [verb for verb in ("predict", "predict_proba", "transform", "score_samples") if hasattr(model, verb)]
    if not verbs:  # a search for neighbours
        graph = model.radius_neighbors_graph(X, mode="distance").toarray()
        return {"radius_neighbors_graph": np.sort(graph, axis=1)}  # whatever the order of the rows
    said = {verb: getattr(model, verb)(X) for verb in verbs}
    return {verb: one.toarray() if sp.issparse(one) else np.asarray(one) for verb, one in said.items()}


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray], **tolerance: float) -> None:
    """Two sets of answers agree: to the bit, or to the tolerance given."""
    assert one.keys() == other.keys()
    for verb in one:
        if tolerance and one[verb].dtype.kind == "f":
            np.testing.assert_allclose(one[verb], other[verb], err_msg=verb, **tolerance)
        else:
            np.testing.assert_array_equal(one[verb], other[verb], err_msg=verb)


def learns_labels(model: Any) -> bool:
    """Whether the model is a classifier or a clusterer."""
    return bool(is_classifier(model) or is_clusterer(model))
