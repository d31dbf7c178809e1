"""Trees as pictures: nothing overlaps, parents stand over their children, Chinese shows."""

from itertools import combinations

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from samples import melons
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from lanatus.tree import CARTClassifier, DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier, plot_tree
from lanatus.tree.read._layout import places


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def melon_tree(model):
    return model.fit(*melons("2.0"))


def noisy_tree(depth):
    X = load_breast_cancer().data
    return DecisionTreeClassifier(max_depth=depth).fit(X, np.random.RandomState(0).randint(3, size=len(X)))


def overlaps(boxes):
    return [
        (a, b)
        for a, b in combinations(boxes, 2)
        if a[0] < b[2] - 1e-6 and b[0] < a[2] - 1e-6 and a[1] < b[3] - 1e-6 and b[1] < a[3] - 1e-6
    ]


TREES = {
    "multiway": (lambda: melon_tree(ID3Classifier()), {}),
    "subsets": (lambda: melon_tree(CARTClassifier()), {"node_ids": True, "impurity": True}),
    "iris": (lambda: DecisionTreeClassifier().fit(*load_iris(return_X_y=True)), {"filled": False}),
    "noise": (lambda: noisy_tree(7), {}),
    "cut": (lambda: noisy_tree(10), {"max_depth": 3}),
    "numbers": (lambda: DecisionTreeRegressor(max_depth=4).fit(*load_diabetes(return_X_y=True)), {}),
    "leaf": (lambda: DecisionTreeClassifier().fit([[1.0]], ["只有"]), {}),
}


@pytest.mark.parametrize("case", TREES)
def test_nothing_overlaps_and_parents_stand_over_their_children(case):
    make, options = TREES[case]
    model = make()
    display = plot_tree(model, **options)
    assert not overlaps([*display.boxes_.values(), *display.labels_.values()])
    tree = model.tree_
    middle = {node: (box[0] + box[2]) / 2 for node, box in display.boxes_.items()}
    for node in display.boxes_:
        below = [child for child in tree.children(node) if child in middle]
        if below:
            assert middle[node] == pytest.approx((middle[below[0]] + middle[below[-1]]) / 2, abs=1e-6)
            assert all(display.boxes_[child][1] > display.boxes_[node][3] for child in below)
            assert [middle[child] for child in below] == sorted(middle[child] for child in below)
    wanted = len(tree) if "max_depth" not in options else int((tree.depth <= 3).sum())
    assert len(display.boxes_) == wanted


@pytest.mark.parametrize("case", ["multiway", "noise", "numbers"])
def test_words_fit_into_their_boxes(case):
    display = plot_tree(TREES[case][0]())
    to_data = display.ax_.transData.inverted()
    for text in display.ax_.texts:
        extent = text.get_window_extent().transformed(to_data)
        x, y = text.get_position()
        box = next(
            b for b in [*display.boxes_.values(), *display.labels_.values()] if b[0] <= x <= b[2] and b[1] <= y <= b[3]
        )
        slack = 0.02 * (box[2] - box[0]) + 1
        assert box[0] - slack <= extent.x0
        assert extent.x1 <= box[2] + slack


def test_words_of_the_picture():
    display = plot_tree(melon_tree(ID3Classifier()))
    words = {text.get_text() for text in display.ax_.texts}
    assert "纹理\n9 : 8" in words
    assert "是\n5" in words
    assert "清晰" in words
    cut = plot_tree(noisy_tree(10), max_depth=2)
    assert any("leaves below" in text.get_text() for text in cut.ax_.texts)
    cart = {text.get_text() for text in plot_tree(melon_tree(CARTClassifier())).ax_.texts}
    assert "稍糊, 模糊" in cart


def test_on_given_axes_the_letters_shrink():
    figure, axes = plt.subplots(1, 2, figsize=(5, 2))
    display = plot_tree(noisy_tree(5), ax=axes[1])
    assert display.ax_ is axes[1]
    assert display.figure_ is figure
    assert max(text.get_fontsize() for text in axes[1].texts) < 6
    assert not axes[0].texts


def test_svg_and_dollar_signs():
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], ["$a$", "b_{$}"])
    text = plot_tree(model, feature_names=["cost in $ per $"]).to_svg()
    assert text.startswith("<svg")
    assert not plt.get_fignums()


def test_tidy_places():
    """A small subtree slips under the overhang of a big neighbour; equal subtrees look equal."""
    children = {0: [1, 2], 1: [3, 4], 2: [5, 6], 3: [7, 8]}
    x = places(children, dict.fromkeys(range(9), 2.0), 1.0)
    assert min(x.values()) == pytest.approx(1.0)
    assert x[4] - x[3] == pytest.approx(x[6] - x[5]) == pytest.approx(3.0)
    assert x[0] == pytest.approx((x[1] + x[2]) / 2)
    deep = {i: [i + 1] for i in range(5000)}
    assert len(set(places(deep, dict.fromkeys(range(5001), 1.0), 1.0).values())) == 1
