"""Regions, margins and tubes as pictures."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from lanatus.kernel import SVC, SVR, GaussianKernel, KernelLDA
from lanatus.plot import plot_decision, plot_tube
from lanatus.tree import CARTClassifier


def blobs():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal((0, 0), 0.7, (20, 2)), rng.normal((2, 2), 0.7, (20, 2))])
    return X, np.repeat(["a", "b"], 20)


def circles(ax):
    """Rows that are circled in black, and in red."""
    rings = [one for one in ax.collections if hasattr(one, "get_sizes") and 120 in one.get_sizes()]
    return [np.asarray(one.get_offsets()) for one in rings]


def test_support_vectors_are_circled_by_what_they_are():
    X, y = blobs()
    model = SVC(C=1.0, kernel="linear", tol=1e-8).fit(X, y)
    ax = plot_decision(model, X, y).axes[0]
    black, red = circles(ax)
    margins = np.where(y == "b", 1, -1) * model.decision_function(X)
    assert len(black) + len(red) == len(model.support_)
    inside = {tuple(row) for row in X[model.support_][margins[model.support_] < 0.99]}
    assert {tuple(row) for row in red} == inside
    assert not circles(plot_decision(model, X, y, support=False).axes[0])


def test_any_classifier_any_axes_any_names():
    X, y = blobs()
    frame = pd.DataFrame(X, columns=["密度", "sugar $"])
    figure, ax = plt.subplots()
    assert plot_decision(CARTClassifier().fit(frame, y), frame, y, ax=ax) is figure
    assert ax.get_xlabel() == "密度"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    plt.close(figure)
    three = np.repeat([1, 2, 3], [10, 15, 15])
    assert plot_decision(KernelLDA().fit(X, three), X).axes[0].get_xlabel() == "feature 0"
    with pytest.raises(ValueError, match="two columns"):
        plot_decision(SVC().fit(np.c_[X, X], y), np.c_[X, X], y)
    with pytest.raises(ValueError, match="one each"):
        plot_decision(SVC().fit(X, y), X, y[:5])


def test_the_tube_is_as_wide_as_epsilon():
    x = np.linspace(0, 1, 30)[:, None]
    y = np.sin(6 * x).ravel()
    model = SVR(kernel=GaussianKernel(0.3), epsilon=0.2).fit(x, y)
    lines = plot_tube(model, x, y).axes[0].lines
    middle, low, high = (np.asarray(line.get_ydata()).ravel() for line in lines)
    np.testing.assert_allclose(high - middle, 0.2)
    np.testing.assert_allclose(middle - low, 0.2)
    assert len(plot_tube(CARTClassifier().fit(x, y > 0), x, y > 0).axes[0].lines) == 1
    with pytest.raises(ValueError, match="one column"):
        plot_tube(model, np.c_[x, x], y)
