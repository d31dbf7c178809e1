"""A reduction judged by a learner, by neighbourhoods and by what can be rebuilt."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.pipeline import make_pipeline

from lanatus.base import n_rows, take_rows
from lanatus.catalog import method
from lanatus.neighbors import KNeighborsClassifier, KNeighborsRegressor
from lanatus.reduce.measures._neighbourhoods import continuity, trustworthiness


@dataclass(frozen=True)
class ReductionEvaluation:
    """What a reduction keeps.

    Parameters
    ----------
    before, after : ndarray of shape (n_folds,)
        Scores of the learner on whole rows and on reduced ones, fold by fold.
    n_columns : int
        Columns before.
    n_components : int
        Columns after.
    trustworthiness, continuity : float
        Of neighbourhoods; NaN of fewer than five rows.
    reconstruction : float
        Share of the sum of squares about the mean that is lost on the way there and back; NaN where there is none back.
    points : ndarray of shape (n_samples, n_components)
        The reduced rows.
    labels : ndarray of shape (n_samples,)
        What the learner is to tell.
    """

    before: np.ndarray
    after: np.ndarray
    n_columns: int
    n_components: int
    trustworthiness: float
    continuity: float
    reconstruction: float
    points: np.ndarray
    labels: np.ndarray

    @property
    def gain(self) -> float:
        """Mean score after less mean score before."""
        return float(self.after.mean() - self.before.mean())

    def plot(self, ax: Any = None) -> Any:
        """The first two columns of the reduced rows, coloured by what the learner is to tell.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to; a new figure by default.

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = plt.subplots(layout="constrained")[1] if ax is None else ax
        y = self.points[:, 1] if self.points.shape[1] > 1 else np.zeros(len(self.points))
        if self.labels.dtype.kind == "f":
            ax.scatter(self.points[:, 0], y, c=self.labels, s=12, cmap="viridis")
        else:
            for label in np.unique(self.labels):
                there = self.labels == label
                ax.scatter(self.points[there, 0], y[there], s=12, label=str(label))
            ax.legend()
        ax.set(
            xlabel="component 1",
            ylabel="component 2",
            title=f"score {self.before.mean():.3f} before, {self.after.mean():.3f} after",
        )
        return ax


@method(
    "reduce.reduction-evaluation",
    section="10.2",
    task="evaluation",
    kind="function",
    en="Evaluation of a reduction by a learner or by plot",
    zh="降维效果评估",
    peers=["scikit-learn:trustworthiness"],
)
def evaluate_reduction(
    reducer: Any, learner: Any = None, X: Any = None, y: Any = None, *, cv: Any = 5, n_neighbors: int = 5
) -> ReductionEvaluation:
    """Compare a learner before and after a reduction, which is learned from the training rows of each fold alone.

    Beside the scores stand trustworthiness, continuity and the share lost in reconstruction, of all rows, and
    ``plot`` draws two columns.

    Book: section 10.2. Cost: two fits of the learner and one of the reducer a fold; :math:`O(n^2 d)` for neighbours.

    Parameters
    ----------
    reducer : transformer
        The reduction; it is not changed.
    learner : classifier or regressor, default=None
        The learner; k nearest neighbours of a kind that suits y by default.
    X : array or frame of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        What the learner is to tell.
    cv : int, splitter or list of pairs, default=5
        The folds.
    n_neighbors : int, default=5
        Of trustworthiness and continuity.

    Returns
    -------
    ReductionEvaluation
        Scores before and after, and the rest.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.reduce import PCA, evaluate_reduction
    >>> X, y = load_iris(return_X_y=True)
    >>> found = evaluate_reduction(PCA(2), None, X, y)
    >>> found.before.mean().round(2).item(), found.after.mean().round(2).item(), found.trustworthiness > 0.9
    (0.97, 0.97, True)
    """
    if X is None or y is None:
        raise ValueError("evaluate_reduction needs rows X and y, what the learner is to tell; got none.")
    labels = np.asarray(y)
    if learner is None:
        learner = KNeighborsRegressor() if labels.dtype.kind == "f" else KNeighborsClassifier()
    splits = list(check_cv(cv, labels, classifier=is_classifier(learner)).split(np.zeros(len(labels)), labels))
    before = cross_val_score(clone(learner), X, y, cv=splits, error_score="raise")
    after = cross_val_score(make_pipeline(clone(reducer), clone(learner)), X, y, cv=splits, error_score="raise")
    whole = clone(reducer)
    points = np.asarray(whole.fit_transform(X, y), dtype=np.float64)
    rows = _numbers(whole, X)
    k = min(n_neighbors, (n_rows(X) - 1) // 2)
    trust = kept = lost = float("nan")
    if rows is not None and k >= 1:
        trust, kept = trustworthiness(rows, points, n_neighbors=k), continuity(rows, points, n_neighbors=k)
        lost = _lost(whole, rows, points)
    width = len(take_rows(X, np.array([0]))[0]) if rows is None else rows.shape[1]
    return ReductionEvaluation(before, after, width, points.shape[1], trust, kept, lost, points, labels)


def _numbers(model: Any, X: Any) -> np.ndarray | None:
    """The rows as the reducer had them, where it is one of ours; otherwise as an array, if they are numbers."""
    if hasattr(model, "_take"):
        rows = model._take(X, reset=False)
        rows = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)
    else:
        try:
            rows = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError):
            return None
    return rows if rows.ndim == 2 and np.isfinite(rows).all() else None


def _lost(model: Any, rows: np.ndarray, points: np.ndarray) -> float:
    if not hasattr(model, "inverse_transform"):
        return float("nan")
    try:
        back = np.asarray(model.inverse_transform(points), dtype=np.float64)
    except ValueError:  # it was not asked to learn the way back
        return float("nan")
    total = float(((rows - rows.mean(axis=0)) ** 2).sum())
    return float(((rows - back) ** 2).sum()) / total if total > 0 else 0.0
