"""The picture of a search shows what was judged, the way, and what was chosen."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from lanatus.plot import plot_search_path
from lanatus.select import BestFirstSelector, ExhaustiveFeatureSelector, SequentialFeatureSelector


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    return X, X[:, 1] - 2 * X[:, 4] + 0.3 * rng.normal(size=60)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_every_subset_and_every_step_is_drawn(direction):
    X, y = table()
    how = {"criterion": "aic", "n_features_to_select": 3, "direction": direction}
    search = SequentialFeatureSelector(**how).fit(X, y)
    (axes,) = plot_search_path(search).axes
    dots, star = (part.get_offsets() for part in axes.collections)
    np.testing.assert_allclose(dots, [(len(one.subset), one.score) for one in search.subsets_])
    np.testing.assert_allclose(star, [(3, search.score_)])
    (way,) = axes.lines
    np.testing.assert_allclose(way.get_xydata(), [(len(one.subset), one.score) for one in search.path_])
    told = [text.get_text() for text in axes.texts]
    if direction == "forward":
        assert told[:2] == ["+4", "+1"]
    else:
        assert len(told) == 3
        assert all(one.startswith("−") and one[1:] not in ("1", "4") for one in told)
    plt.close("all")


def test_searches_without_a_way_and_own_axes():
    X, y = table()
    _, ax = plt.subplots()
    every = ExhaustiveFeatureSelector(criterion="aic").fit(X, y)
    assert plot_search_path(every, ax=ax) is ax.figure
    assert not ax.lines
    assert len(ax.collections[0].get_offsets()) == 63
    beam = BestFirstSelector(criterion="aic", width=2, n_features_to_select=2).fit(X, y)
    assert len(plot_search_path(beam).axes[0].lines) == 1
    plt.close("all")
