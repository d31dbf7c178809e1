"""Where a name is scikit-learn's, so is the thing: parameters, methods, what is learned.

A parameter of scikit-learn's is taken and does what it does there, or is refused with a reason; what differs all the
same stands in `DIFFERENCES`, with the reason, and what stands there and differs no more fails too.
"""

import importlib.util
import inspect
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import RegressorMixin
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

SPEC = importlib.util.spec_from_file_location("sklearn_tests", Path(__file__).parents[2] / "tools" / "sklearn_tests.py")
tool = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)

PAIRS = dict(sorted(tool.equal_names().items()))

_CHECKED = "rows are always checked: the kernels trust nothing that comes in"
_HISTOGRAMS = (
    "boosting is by histograms, and by the best leaf, as HistGradientBoosting; the docstring says so at its head"
)
_TOLERANCE = "as HistGradientBoosting: a fall of the loss that counts is one beyond rounding"
_START = "there where init is an estimator; the constant that boosting begins at is baseline_"
_OLD = "deprecated there: both of its values choose the same splits"
_FIRST = "the tree comes first, by place"
_PICTURE = "the picture is laid out, coloured and labelled in another way, which has no such choice"
_TEXT = "it returns the text, of the tree as our pictures show it; Graphviz itself has the choice"
_DEPRECATED = "deprecated there: alphas is the number of penalties too"
_UNTOUCHED = "X is never written to, so that there is nothing to choose"
_GOAL = "the goal of dual_gap_ is tol times the mean square of the targets, as the docstring says"
_OPTIMUM = "all solvers find one optimum, and the penalty is read from C and l1_ratio; the docstring says so"
_RECORD = "a record of arrays for the kernels of k-nearest neighbours and density, which do the search"
_EXPLAINED = "it draws the result of our partial_dependence, which holds the choices"
_MODEL = "the model comes first, by place"
_MEASURE = "made of what an explanation needs; scikit-learn's function takes our models too"
_BALANCED = "made for rare classes, where the share of a class is the better threshold; the docstring says so"
_BOUNDS = "bounds give the same clusters sooner; chosen by shape"
_LEAST = "another meaning, as the docstring says: what a singular covariance is given, not when one is refused"
_DIRECT = "the normal equations have none; solver='svd' learns it"
_CODE = "10 log2(N) columns, as Allwein, Schapire and Singer advise; code_size says another length"
_NODES = "trees are arrays of nodes, node_column_ and others, not objects"
_FIGURE = "as many as Figure 10.6 of the book has; the docstring says so"

_PROBABLE = "deprecated there, for what was wrong with it: five fits, and a predict that disagrees; here it stays"
_SIGMOIDS = "sigmoids_: of two classes a slope on either side of the plane, so that predict agrees"
_POINTWISE = "the book's function of a margin, number by number; scikit-learn's is the mean over rows and classes"

_SCALING = "points and means of squared lengths stand in its place; transform does the same"
_SPARSE_GRAPH = "a graph of neighbours is made anew in no time, and a model file has no place for sparse matrices"
_MACHINES = "rows_, pulls_, roots_ and factors_ are what its machines have learned, as arrays that a file may hold"

_GENERATOR = "a generator of random numbers is nothing learned, and a model file has no place for one"

_TREE = "the tree of features lives in C++; its leaves, weights and deviations are subcluster_*_"

# name -> {difference: why it is accepted}
DIFFERENCES: dict[str, dict[str, str]] = {
    "GaussianProcessClassifier": {"learns no base_estimator_": _MACHINES},
    "SelfTrainingClassifier": {
        "it: estimator is <class 'inspect._empty'>, not None, by default": "None is refused there too, by fit"
    },
    "HDBSCAN": {"it: copy is True, not 'warn', by default": _UNTOUCHED},
    "hinge_loss": {f"it has no {name}": _POINTWISE for name in ("labels", "pred_decision", "sample_weight", "y_true")},
    **{
        name: {
            "it: probability is False, not 'deprecated', by default": _PROBABLE,
            **{f"learns no {name}": _SIGMOIDS for name in ("probA_", "probB_")},
        }
        for name in ("SVC", "NuSVC")
    },
    "IsolationForest": {
        "has no __getitem__()": _NODES,
        "has no __iter__()": _NODES,
        "has no __len__()": _NODES,
        "learns no estimator_": _NODES,
        "learns no estimators_": _NODES,
    },
    **{
        name: {
            "it has no criterion": _OLD,
            "it: max_depth is None, not 3, by default": _HISTOGRAMS,
            "it: max_leaf_nodes is 'auto', not None, by default": _HISTOGRAMS,
            "it: min_samples_leaf is 'auto', not 1, by default": _HISTOGRAMS,
            "it: tol is 1e-07, not 0.0001, by default": _TOLERANCE,
            "learns no init_": _START,
        }
        for name in ("GradientBoostingClassifier", "GradientBoostingRegressor")
    },
    "Birch": {"learns no dummy_leaf_": _TREE, "learns no root_": _TREE},
    "DecisionTreeClassifier": {
        f"{verb}() has no check_input": _CHECKED
        for verb in ("apply", "decision_path", "fit", "predict", "predict_proba")
    },
    "DecisionTreeRegressor": {
        f"{verb}() has no check_input": _CHECKED for verb in ("apply", "decision_path", "fit", "predict")
    },
    "export_graphviz": {
        "it has no decision_tree": _FIRST,
        "it: filled is True, not False, by default": _TEXT,
        **{
            f"it has no {name}": _TEXT
            for name in (
                "fontname",
                "impurity",
                "label",
                "leaves_parallel",
                "node_ids",
                "out_file",
                "precision",
                "proportion",
                "rounded",
                "special_characters",
            )
        },
    },
    "export_text": {
        "it has no decision_tree": _FIRST,
        "it: decimals is 3, not 2, by default": "as the books print thresholds",
        "it: max_depth is None, not 10, by default": "nothing is left out unasked",
    },
    "plot_tree": {
        "it has no decision_tree": _FIRST,
        **{f"it has no {name}": _PICTURE for name in ("label", "precision", "proportion", "rounded")},
        "it: filled is True, not False, by default": _PICTURE,
        "it: fontsize is 10.0, not None, by default": _PICTURE,
        "it: impurity is False, not True, by default": _PICTURE,
    },
    "ElasticNet": {
        "fit() has no check_input": _CHECKED,
        "path() has no check_input": _CHECKED,
        "path() has no n_alphas": _DEPRECATED,
        "path(): alphas is 100, not 'warn', by default": _DEPRECATED,
    },
    "ElasticNetCV": {
        "path() has no check_input": _CHECKED,
        "path() has no n_alphas": _DEPRECATED,
        "path(): alphas is 100, not 'warn', by default": _DEPRECATED,
    },
    "FixedThresholdClassifier": {
        "it: threshold is 'balanced', not 'auto', by default": _BALANCED,
    },
    "MDS": {"it: init is 'classical_mds', not 'warn', by default": "what the warning there announces"},
    **{
        name: {f"{verb}() has no copy": _UNTOUCHED for verb in ("predict", "transform")}
        for name in ("CCA", "PLSCanonical", "PLSRegression")
    },
    "Isomap": {"learns no kernel_pca_": _SCALING},
    "SpectralEmbedding": {"learns no affinity_matrix_": _SPARSE_GRAPH},
    "KMeans": {
        "it: algorithm is 'auto', not 'lloyd', by default": _BOUNDS,
    },
    "KernelDensity": {
        "learns no tree_": _RECORD,
    },
    "Lasso": {
        "fit() has no check_input": _CHECKED,
    },
    "LinearRegression": {
        "learns no singular_": _DIRECT,
    },
    "LogisticRegression": {
        "it: penalty is 'auto', not 'deprecated', by default": _OPTIMUM,
        "it: solver is 'auto', not 'lbfgs', by default": _OPTIMUM,
    },
    **{
        name: {
            **({} if name.endswith("CV") else {"learns no eps_": _GOAL}),
            "path() has no check_input": _CHECKED,
            "path() has no n_alphas": _DEPRECATED,
            "path(): alphas is 100, not 'warn', by default": _DEPRECATED,
        }
        for name in ("MultiTaskElasticNet", "MultiTaskElasticNetCV", "MultiTaskLasso")
    },
    "OutputCodeClassifier": {
        "code_book_ has the shape (2, 1), not (2, 3)": _CODE,
        "it: code_size is None, not 1.5, by default": _CODE,
    },
    "NeighborhoodComponentsAnalysis": {"learns no random_state_": _GENERATOR},
    "PartialDependenceDisplay": {
        "has no from_estimator()": _EXPLAINED,
        "it has no deciles": _EXPLAINED,
        "it has no feature_names": _EXPLAINED,
        "it has no features": _EXPLAINED,
        "it has no is_categorical": _EXPLAINED,
        "it has no kind": _EXPLAINED,
        "it has no pd_results": _EXPLAINED,
        "it has no random_state": _EXPLAINED,
        "it has no subsample": _EXPLAINED,
        "it has no target_idx": _EXPLAINED,
        "plot() has no bar_kw": _EXPLAINED,
        "plot() has no centered": _EXPLAINED,
        "plot() has no contour_kw": _EXPLAINED,
        "plot() has no heatmap_kw": _EXPLAINED,
        "plot() has no ice_lines_kw": _EXPLAINED,
        "plot() has no line_kw": _EXPLAINED,
        "plot() has no n_cols": _EXPLAINED,
        "plot() has no pd_line_kw": _EXPLAINED,
        "plot() has no pdp_lim": _EXPLAINED,
    },
    "QuadraticDiscriminantAnalysis": {
        "it: tol is 1e-09, not 0.0001, by default": _LEAST,
    },
    "enet_path": {
        "it has no check_input": _CHECKED,
        "it has no n_alphas": _DEPRECATED,
        "it: alphas is 100, not 'warn', by default": _DEPRECATED,
    },
    "make_s_curve": {
        "it: n_samples is 3000, not 100, by default": _FIGURE,
    },
    "partial_dependence": {
        "it has no categorical_features": _MEASURE,
        "it has no custom_values": _MEASURE,
        "it has no estimator": _MODEL,
        "it has no feature_names": _MEASURE,
        "it has no kind": _MEASURE,
        "it takes ['model', 'X'] by place, not ['X', 'features']": _MODEL,
        "it: grid_resolution is 50, not 100, by default": _MEASURE,
    },
    "permutation_importance": {
        "it has no estimator": _MODEL,
        "it has no max_samples": _MEASURE,
        "it takes ['model', 'X'] by place, not ['X', 'y']": _MODEL,
    },
}


def parameters(thing: Any) -> dict[str, inspect.Parameter]:
    """The parameters of a constructor, method or function."""
    found = inspect.signature(thing.__init__ if inspect.isclass(thing) else thing).parameters
    return {name: one for name, one in found.items() if name != "self"}


def of_signatures(ours: Any, theirs: Any, where: str) -> Iterator[str]:
    """Parameters that we lack, others in the places where theirs may stand without a name, and other defaults."""
    mine, yours = parameters(ours), parameters(theirs)
    if any(one.kind is one.VAR_KEYWORD for one in mine.values()):
        yours = {name: one for name, one in yours.items() if name in mine}
    named = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    for name, one in yours.items():
        if one.kind not in named:
            continue
        if name not in mine:
            yield f"{where} has no {name}"
        elif one.default is one.empty:
            continue
        elif mine[name].default is not one.default and mine[name].default != one.default:
            yield f"{where}: {name} is {mine[name].default!r}, not {one.default!r}, by default"
    by_place = [name for name, one in yours.items() if one.kind is one.POSITIONAL_OR_KEYWORD and name in mine]
    own = [name for name, one in mine.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    if own[: len(by_place)] != by_place:
        yield f"{where} takes {own[: len(by_place)]} by place, not {by_place}"


def public(cls: type) -> dict[str, Any]:
    """Methods that users call, those for routing metadata left out: scikit-learn makes them from signatures."""
    found = {name: getattr(cls, name, None) for name in dir(cls) if not name.startswith("_") or name in SPECIAL}
    return {
        name: one
        for name, one in found.items()
        if callable(one) and not (name.startswith("set_") and name.endswith("_request"))
    }


def properties(cls: type) -> list[str]:
    """What is read of an estimator before it is fitted too."""
    return [
        name
        for name in dir(cls)
        if name[0] != "_" and name[-1] != "_" and isinstance(inspect.getattr_static(cls, name), property)
    ]


SPECIAL = ("__len__", "__getitem__", "__iter__")


def example(cls: type) -> tuple[Any, Any, Any]:
    """An estimator with little to do, and rows for it."""
    wanted = parameters(cls)
    few = {"n_estimators": 3, "random_state": 0, "oob_score": True, "bootstrap": True, "n_jobs": 1}
    given = {name: value for name, value in few.items() if name in wanted}
    if cls.__name__.startswith("GradientBoosting"):
        given["subsample"] = 0.5
    if cls.__name__.endswith("RandomProjection"):
        given["n_components"] = 3
    if "dictionary" in wanted:
        given["dictionary"] = np.eye(5)
    regression = issubclass(cls, RegressorMixin)
    if "estimators" in wanted:
        learners = (Ridge(), KNeighborsRegressor()) if regression else (LogisticRegression(), KNeighborsClassifier())
        given["estimators"] = [("linear", learners[0]), ("near", learners[1])]
    needed = inspect.Parameter.empty, *([None] if cls.__name__ == "SelfTrainingClassifier" else [])  # None: no default
    if "estimator" in wanted and wanted["estimator"].default in needed:
        given["estimator"] = Ridge() if regression else LogisticRegression()
    made = make_regression if regression else partial(make_classification, n_redundant=0)
    X, y = made(60, 5, random_state=0)
    return cls(**given), *_fit_for(cls.__name__, X, y)


def _fit_for(name: str, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and targets that a class of that name can be fitted to."""
    if name.startswith("MultiTask") or name in ("CCA", "PLSCanonical", "PLSSVD"):
        return X, np.column_stack([y, -y])
    if name in ("MultinomialNB", "ComplementNB", "LatentDirichletAllocation", "NMF"):
        return np.abs(X), y
    if name in ("CategoricalNB", "OneHotEncoder", "OrdinalEncoder"):
        return np.abs(X).round().astype(int), y
    return X, y


def learned(model: Any) -> dict[str, Any]:
    """What a fitted estimator has learned, by name."""
    found = {}
    for name in dir(model):
        if name.endswith("_") and not name.startswith("_"):
            try:
                found[name] = getattr(model, name)
            except (AttributeError, NotImplementedError):
                continue
    return found


def of_learned(ours: type, theirs: type) -> Iterator[str]:
    """What theirs learns and ours does not, or learns in another shape."""
    (mine, X, y), (yours, _, _) = example(ours), example(theirs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few members
        got, wanted = learned(mine.fit(X, y)), learned(yours.fit(X, y))
    for name, value in wanted.items():
        if name not in got:
            yield f"learns no {name}"
        elif isinstance(value, np.ndarray) and np.shape(got[name]) != value.shape:
            yield f"{name} has the shape {np.shape(got[name])}, not {value.shape}"


def differences(ours: Any, theirs: Any) -> Iterator[str]:
    """All that differs, in words."""
    yield from of_signatures(ours, theirs, "it")
    if not inspect.isclass(ours):
        return
    mine, yours = public(ours), public(theirs)
    for name, method in yours.items():
        if name not in mine:
            yield f"has no {name}()"
        elif name not in SPECIAL:
            yield from of_signatures(mine[name], method, f"{name}()")
    yield from (f"has no {name}" for name in properties(theirs) if not hasattr(ours, name))
    if hasattr(theirs, "fit"):
        yield from of_learned(ours, theirs)


@pytest.mark.parametrize("name", PAIRS)
def test_the_same_name_is_the_same_thing(name):
    found, accepted = set(differences(*PAIRS[name])), set(DIFFERENCES.get(name, {}))
    assert not found - accepted, "differs from scikit-learn's:\n" + "\n".join(sorted(found - accepted))
    assert not accepted - found, "differs no more:\n" + "\n".join(sorted(accepted - found))


def test_every_difference_is_of_a_name_and_has_a_reason():
    assert set(DIFFERENCES) <= set(PAIRS)
    assert all(reason for reasons in DIFFERENCES.values() for reason in reasons.values())


def test_the_equal_names_are_found():
    names = tool.equal_names()
    assert {"DecisionTreeClassifier", "RandomForestRegressor", "StackingClassifier", "KMeans", "Ridge"} <= set(names)
    assert "CalibratedClassifierCV" not in names  # borrowed: it is scikit-learn's
