"""What was learned is looked at when it comes out of a file: each fault is named, and none of them runs or crashes."""

import numpy as np
import pytest

import lanatus
from lanatus.base import Children, Floats, Integers, StateError, check_state
from lanatus.bayes import GaussianNB, NBTree
from lanatus.cluster import KMeans
from lanatus.ensemble import KNNEnsembleClassifier
from lanatus.linear import LinearRegression, LogisticRegression
from lanatus.persist import ModelFileError
from lanatus.tree import CARTClassifier, DecisionTreeClassifier, HoeffdingTreeClassifier, LazyDecisionTreeClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)


def reloaded(model, folder):
    """The model as a file brings it back."""
    return lanatus.load(lanatus.save(model, folder / "model.skops"))


def changed(array, **places):
    array = array.copy()
    for place, value in places.items():
        array[int(place.removeprefix("at"))] = value
    return array


@pytest.mark.parametrize(
    ("model", "name", "spoil", "message"),
    [
        (KMeans(3, random_state=0), "cluster_centers_", lambda a: a[:, :2], "cluster_centers_ has shape"),
        (KMeans(3, random_state=0), "cluster_centers_", lambda a: a * np.nan, "cluster_centers_ holds NaN"),
        (KMeans(3, random_state=0), "labels_", lambda a: a + 5, "labels_ holds 5 to 7, wanted from 0 on and below 3"),
        (KMeans(3, random_state=0), "cluster_centers_", lambda a: a.astype("U3"), "is an array of <U3"),
        (GaussianNB(), "theta_", lambda a: a[:2], "theta_ has shape"),
        (GaussianNB(), "var_", lambda a: -a, "var_ holds"),
        (GaussianNB(), "classes_", lambda a: a * 0, "classes_ is .*wanted distinct labels"),
        (LogisticRegression(), "coef_", lambda a: a[:, :2], "coef_ has"),
        (LinearRegression(), "intercept_", lambda a: np.inf, "intercept_ is inf"),
        (LinearRegression(), "n_features_in_", lambda a: 7, "n_features_in_ is 7, but schema_ has 3"),
        (NBTree(), "child_", lambda a: a * 0, "child_ holds a child that stands before its parent"),
        (KMeans(3, random_state=0), "n_clusters", lambda a: -2, "'n_clusters' parameter"),
    ],
)
def test_load_names_what_is_wrong(model, name, spoil, message, tmp_path):
    model = model.fit(X, Y)
    setattr(model, name, spoil(getattr(model, name)))
    with pytest.raises(ModelFileError, match=message):
        reloaded(model, tmp_path)


@pytest.mark.parametrize(
    ("name", "spoil", "message"),
    [
        ("parent", lambda a: changed(a, at1=1), r"parent\[1\] is 1, but first_child says 0"),
        ("parent", lambda a: a[:-1], "parent is int32"),
        ("outputs", lambda a: a[:, :0], "outputs is float64"),
        ("classes", lambda a: a + 1, "classes are"),
        ("gain", lambda a: a.astype("f4"), "gain is float32"),
        ("first_child", lambda a: changed(a, at0=-1), r"first_child\[0\] is -1"),
    ],
)
def test_a_tree_that_is_none_is_refused_by_load(name, spoil, message, tmp_path):
    model = DecisionTreeClassifier().fit(X, Y)
    setattr(model.tree_, name, spoil(getattr(model.tree_, name)))
    with pytest.raises(ModelFileError, match=message):
        reloaded(model, tmp_path)


def test_nodes_in_a_circle_are_refused(tmp_path):
    model = HoeffdingTreeClassifier(grace_period=10).fit(np.tile(X, (20, 1)), np.tile(Y, 20))
    model._nodes[0]["children"] = [0, 0]
    with pytest.raises(ModelFileError, match="_nodes has 0 among the children of node 0"):
        reloaded(model, tmp_path)


@pytest.mark.parametrize(("name", "value"), [("_codes", 2**63 - 1), ("_places", 2**63 - 1), ("_places", 2**40)])
def test_numbers_that_numpy_would_count_before_its_array_are_refused(name, value, tmp_path):
    """np.bincount adds one to the largest: from 2**63 - 1 on it writes into the memory of others."""
    model = LazyDecisionTreeClassifier().fit(X, Y)
    array = getattr(model, name).astype(np.int64)
    array.flat[3] = value
    setattr(model, name, array)
    with pytest.raises(ModelFileError, match=name):
        reloaded(model, tmp_path)


def test_what_only_shows_when_asked_names_the_file(tmp_path):
    """No rule says how many rows a committee of neighbours has: what does not fit is said in words all the same."""
    model = KNNEnsembleClassifier(3, random_state=0).fit(X, Y)
    model._codes = model._codes[:5]
    with pytest.raises(IndexError):
        model.predict(X)  # not from a file: an error of ours is not blamed on one
    with pytest.raises(StateError, match=r"model\.skops says, does not fit together: predict\w* ends in IndexError"):
        reloaded(model, tmp_path).predict(X)


@pytest.mark.parametrize("model", [KMeans(3), GaussianNB(), CARTClassifier(), LogisticRegression()])
def test_what_fit_learns_is_sound(model):
    check_state(model.fit(X, Y))
    check_state(type(model)())


def test_axes_have_one_length_wherever_they_stand():
    sizes = {"columns": 3}
    assert Floats("k", "columns").fault(np.zeros((2, 3)), sizes) is None
    assert sizes["k"] == 2
    assert "wanted 2 k" in Floats("k").fault(np.zeros(3), sizes)
    assert (Floats("k") | Floats("columns")).fault(np.zeros(3), sizes) is None
    assert "wanted 1 or more" in Floats("m", low=1).fault(np.zeros(1), sizes)
    assert Integers("n", low=-1, below="k").fault(np.array([-1, 1]), sizes) is None
    assert "wanted from 0" in Integers("n", below="k").fault(np.array([-1, 1]), sizes)
    assert Children("nodes", "v").fault(np.array([[1, 2], [-1, -1], [-1, -1]]), {}) is None
    assert "before its parent" in Children("nodes", "v").fault(np.array([[1, 2], [1, -1], [-1, -1]]), {})
