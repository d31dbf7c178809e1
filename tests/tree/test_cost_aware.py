"""Trees for attributes that cost something to find out."""

import numpy as np
import pandas as pd
import pytest

from lanatus.data import load_watermelon
from lanatus.evaluation import CostMatrix
from lanatus.tree import CostAwareTreeClassifier, ID3Classifier, information_gain

CRITERIA = ("eg2", "cs-id3", "idx", "total-cost")


def melons():
    return load_watermelon("2.0", return_X_y=True)


@pytest.mark.covers("tree.cost-aware-tree")
def test_without_costs_it_is_id3():
    X, y = melons()
    plain = ID3Classifier().fit(X, y)
    for model in (
        CostAwareTreeClassifier(cost_exponent=0.0, attribute_costs=np.arange(6.0)),
        CostAwareTreeClassifier(attribute_costs=np.zeros(6)),
        CostAwareTreeClassifier(criterion="idx", attribute_costs=np.zeros(6)),
    ):
        model.fit(X, y)
        assert model.get_n_leaves() == plain.get_n_leaves()
        assert model.tree_.feature[0] == plain.tree_.feature[0]
        np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X))


@pytest.mark.covers("tree.cost-aware-tree")
@pytest.mark.parametrize(
    ("criterion", "worth"),
    [
        ("eg2", lambda gain, cost: (2**gain - 1) / (cost + 1)),
        ("cs-id3", lambda gain, cost: gain**2 / cost),
        ("idx", lambda gain, cost: gain / cost),
    ],
)
def test_the_root_is_the_attribute_of_most_worth(criterion, worth):
    X, y = melons()
    rng = np.random.RandomState(0)
    gains = np.array([information_gain(y, X[name]) for name in X.columns])
    roots = set()
    for _ in range(20):
        costs = np.exp(rng.normal(size=6))
        model = CostAwareTreeClassifier(attribute_costs=costs, criterion=criterion).fit(X, y)
        assert model.tree_.feature[0] == np.argmax(worth(gains, costs))
        roots.add(int(model.tree_.feature[0]))
    assert len(roots) > 2


@pytest.mark.covers("tree.cost-aware-tree")
def test_a_test_that_costs_more_than_it_saves_is_not_made():
    """Ling et al.: 10 rows, one attribute that tells 8 of them; it saves 3 errors and costs 10 times its price."""
    X, y = np.array([[0]] * 5 + [[1]] * 5), np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 0])
    cheap = CostAwareTreeClassifier(criterion="total-cost", attribute_costs=[0.29]).fit(X, y)
    dear = CostAwareTreeClassifier(criterion="total-cost", attribute_costs=[0.31]).fit(X, y)
    assert (cheap.get_n_leaves(), dear.get_n_leaves()) == (2, 1)
    assert cheap.training_costs_ == pytest.approx({"attributes": 2.9, "labels": 0.0, "errors": 2.0})
    assert dear.training_costs_ == {"attributes": 0.0, "labels": 0.0, "errors": 5.0}


@pytest.mark.covers("tree.cost-aware-tree")
def test_costs_of_errors_decide_at_the_leaves():
    X, y = np.zeros((10, 1)), ["well"] * 8 + ["sick"] * 2
    costs = {("sick", "well"): 10.0, ("well", "sick"): 1.0}
    assert CostAwareTreeClassifier().fit(X, y).predict(X[:1]).tolist() == ["well"]
    for given in (costs, CostMatrix(costs), [[0.0, 10.0], [1.0, 0.0]]):
        model = CostAwareTreeClassifier(error_costs=given, label_cost=0.5).fit(X, y)
        assert model.predict(X[:1]).tolist() == ["sick"]
        assert model.training_costs_ == {"attributes": 0.0, "labels": 5.0, "errors": 8.0}
        np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.2, 0.8]])


@pytest.mark.covers("tree.cost-aware-tree")
def test_an_attribute_is_paid_for_once():
    rng = np.random.RandomState(0)
    X = rng.rand(200, 2)
    y = (X[:, 0] > 0.3) & (X[:, 0] < 0.7)
    model = CostAwareTreeClassifier(attribute_costs=[3.0, 1.0]).fit(X, y)
    assert model.get_depth() >= 2
    used = {int(j) for j in model.tree_.feature[~model.tree_.is_leaf]}
    assert used == {0}
    assert set(model.test_costs(X)) == {3.0}
    by_name = CostAwareTreeClassifier(attribute_costs={"a": 3.0}).fit(pd.DataFrame(X, columns=["a", "b"]), y)
    assert by_name.attribute_costs_.tolist() == [3.0, 0.0]


@pytest.mark.covers("tree.cost-aware-tree")
@pytest.mark.parametrize("criterion", CRITERIA)
def test_dear_attributes_are_asked_for_less(criterion):
    """Two columns tell the same; one costs ten times as much."""
    rng = np.random.RandomState(1)
    y = rng.randint(2, size=300)
    X = np.column_stack([y + rng.normal(scale=0.4, size=300), y + rng.normal(scale=0.4, size=300)])
    cost = {}
    for costs in ([0.001, 0.01], [0.01, 0.001]):
        model = CostAwareTreeClassifier(attribute_costs=costs, criterion=criterion, max_depth=1).fit(X, y)
        cost[tuple(costs)] = int(model.tree_.feature[0])
    if criterion in ("idx", "cs-id3"):
        assert cost == {(0.001, 0.01): 0, (0.01, 0.001): 1}
    else:  # worth 1 % of a row: gain decides
        assert len(set(cost.values())) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"attribute_costs": {"c": 1.0}}, "names 'c'; the columns are a, b"),
        ({"attribute_costs": [1.0]}, "wanted 2 numbers"),
        ({"attribute_costs": [1.0, -1.0]}, "wanted 2 numbers"),
        (
            {"error_costs": CostMatrix([[0, 1], [1, 0]], ["x", "y"])},
            r"no costs for the classes \[0, 1\]",
        ),
    ],
)
def test_costs_that_cannot_be(given, words):
    with pytest.raises(ValueError, match=words):
        CostAwareTreeClassifier(**given).fit(pd.DataFrame({"a": [0, 1], "b": [1, 0]}), [0, 1])
