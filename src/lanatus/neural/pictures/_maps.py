"""Self-organising maps and features of Boltzmann machines as pictures."""

from typing import Any

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.canvas import axes_for, plain, use_chinese
from lanatus.neural.competitive._som import SOM, u_matrix
from lanatus.params import check_choice, check_integer


def plot_som(som: SOM, what: str = "u-matrix", *, X: Any = None, y: Any = None, ax: Any = None) -> Any:
    """A self-organising map: walls between clusters, hits, or one of its columns, unit by unit (exercise 5.8).

    Parameters
    ----------
    som : SOM
        A fitted map.
    what : str, default="u-matrix"
        "u-matrix" for the mean distances to the neighbours, "hits" for the rows of each unit, or a column by its name.
    X : array or frame of shape (n_samples, n_features) or None, default=None
        Rows to mark at their best units.
    y : array of shape (n_samples,) or None, default=None
        Their labels.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.neural import SOM, plot_som
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> figure = plot_som(SOM((4, 4), random_state=0).fit(X), "密度", X=X, y=y)
    >>> figure.axes[0].get_title()
    '密度'
    >>> plt.close(figure)
    """
    check_is_fitted(som)
    names = som.schema_.expanded_names()
    check_choice("what", what, ("u-matrix", "hits", *names))
    if what == "u-matrix":
        values = u_matrix(som).ravel()
    else:
        values = som.counts_ if what == "hits" else som.weights_[:, names.index(what)]
    with use_chinese():
        axes = axes_for(ax, figsize=(5, 4.2))
        marker = "h" if som.topology == "hexagonal" else "s"
        size = (250 / max(som.grid)) ** 2
        shown = axes.scatter(*som.places_.T, c=values, s=size, marker=marker, cmap="viridis")
        axes.get_figure().colorbar(shown, ax=axes)
        if X is not None:
            _mark(axes, som, X, y)
        axes.set_title(plain(what))
        axes.invert_yaxis()
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.margins(0.12)
        figure = axes.get_figure()
        figure.draw_without_rendering()
    return figure


def _mark(axes: Any, som: SOM, X: Any, y: Any) -> None:
    """Rows as dots about their units, on a circle where there are several."""
    units = som.predict(X)
    labels = np.zeros(len(units), int) if y is None else np.unique(np.asarray(y), return_inverse=True)[1]
    for unit in np.unique(units):
        here = np.flatnonzero(units == unit)
        angle = 2 * np.pi * np.arange(len(here)) / len(here)
        at = som.places_[unit] + 0.25 * np.column_stack([np.cos(angle), np.sin(angle)]) * (len(here) > 1)
        axes.scatter(*at.T, c=[f"C{1 + 2 * labels[i] % 10}" for i in here], edgecolor="white", s=25, zorder=3)


def plot_features(machine: Any, shape: tuple[int, int] | None = None, *, most: int = 64) -> Any:
    """Weights of the hidden units of a restricted Boltzmann machine, or of a network's first layer, as little images.

    Parameters
    ----------
    machine : fitted BernoulliRBM, DBN, MLPClassifier or MLPRegressor
        What has learned from images, a pixel a column.
    shape : (int, int) or None, default=None
        Height and width; None is a square.
    most : int, default=64
        Units that are shown, the strongest.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_digits
    >>> from lanatus.neural import BernoulliRBM, plot_features
    >>> X = load_digits().data[:200] / 16
    >>> figure = plot_features(BernoulliRBM(9, n_iter=2, random_state=0).fit(X))
    >>> len(figure.axes)
    9
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt

    check_is_fitted(machine)
    machine = machine.machines_[0] if hasattr(machine, "machines_") else machine
    weights = machine.components_ if hasattr(machine, "components_") else machine.coefs_[0].T
    side = round(float(np.sqrt(weights.shape[1])))
    height, width = shape or (side, side)
    if height * width != weights.shape[1]:
        raise ValueError(
            f"shape {(height, width)} has not {weights.shape[1]} pixels, one a column; give shape=(height, width)."
        )
    most = min(check_integer("most", most, 1), len(weights))
    order = np.argsort(-np.square(weights).sum(axis=1), kind="stable")[:most]
    columns = int(np.ceil(np.sqrt(most)))
    lines = -(-most // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(columns, lines), layout="constrained", squeeze=False)
    limit = float(np.abs(weights[order]).max()) or 1.0
    for place, unit in zip(axes.flat, order, strict=False):
        place.imshow(weights[unit].reshape(height, width), cmap="RdBu_r", vmin=-limit, vmax=limit)
        place.set_axis_off()
    for left in axes.flat[most:]:
        left.remove()
    return figure
