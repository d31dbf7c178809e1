"""Stability selection."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state, get_tags

from lanatus.base import as_labels, fitting, n_rows, take_rows
from lanatus.catalog import method
from lanatus.params import COMMON, Integer, Real, rules_for
from lanatus.select._selector import FeatureSelector
from lanatus.select.embedded._from_model import SelectFromModel
from lanatus.wrapping import LEARNER, Wrapper


@method(
    section="11.4",
    task="transform",
    en="Stability selection",
    zh="稳定性选择",
    peers=["stability-selection:StabilitySelection"],
)
class StabilitySelector(Wrapper, FeatureSelector):
    r"""Stability selection: the columns that are selected again and again from halves of the rows.

    A selector, or a model with weights, is fitted to many halves drawn at random; a column is kept if it was selected
    in a share of at least :math:`\pi` of them. One selection from all rows may hinge on a few of these; its choices
    that do not, stay.

    Book: section 11.4, after embedded selection. Cost: `n_resamples` fits to a part of the rows.

    Parameters
    ----------
    estimator : estimator
        A selector, or a model from which `SelectFromModel` takes the columns: one with an L1 penalty, for instance.
    n_resamples : int, default=50
        How many halves.
    threshold : float, default=0.6
        :math:`\pi`, the share of halves in which a column must be selected.
    sample_share : float, default=0.5
        Share of the rows, of each class, in a half.
    random_state : int, RandomState or None, default=None
        Draws the halves.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    frequency_ : ndarray of shape (n_features,), in which share of the halves each was selected
    mean_selected_ : float, q, how many columns were selected from a half on average
    false_bound_ : float, :math:`q^2 / ((2 \pi - 1) d)`, a bound on the expected number of kept columns that say
        nothing, where :math:`\pi > \frac12` and columns that say nothing are all alike; infinite otherwise
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Where no column is stable, the one selected most often is kept; ties go to the earlier.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.linear import Lasso
    >>> from lanatus.select import StabilitySelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 20))
    >>> y = X[:, 3] - X[:, 7] + rng.normal(size=80)
    >>> stable = StabilitySelector(Lasso(0.3), threshold=0.8, random_state=0).fit(X, y)
    >>> np.flatnonzero(stable.support_).tolist()
    [3, 7]

    References
    ----------
    Meinshausen and Buhlmann (2010), Stability selection, Journal of the Royal Statistical Society B 72.
    """

    _state: ClassVar = {}

    def __init__(
        self,
        estimator: Any,
        *,
        n_resamples: int = 50,
        threshold: float = 0.6,
        sample_share: float = 0.5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_resamples = n_resamples
        self.threshold = threshold
        self.sample_share = sample_share
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON,
        estimator=LEARNER,
        n_resamples=Integer(low=1),
        threshold=Real(above=0, high=1),
        sample_share=Real(above=0, high=1),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = get_tags(self.estimator).target_tags.required
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Select columns from many halves of the rows.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,), optional
            Their targets.

        Returns
        -------
        self
        """
        rows = self._take(X, reset=True, min_rows=2)
        if y is None and self.__sklearn_tags__().target_tags.required:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        rng = check_random_state(self.random_state)
        target = None if y is None else np.asarray(as_labels(y) if is_classifier(self.estimator) else y)
        if target is not None and len(target) != n_rows(rows):
            raise ValueError(f"X has {n_rows(rows)} rows, y has {len(target)}: inconsistent numbers of samples.")
        d = len(self.schema_)
        counts = np.zeros(d)
        for _ in range(self.n_resamples):
            part = self._half(n_rows(rows), target, rng)
            given = () if target is None else (target[part],)
            counts += self._selector().fit(take_rows(rows, part), *given).get_support()
        self.frequency_ = counts / self.n_resamples
        self.mean_selected_ = float(self.frequency_.sum())
        gap = 2 * self.threshold - 1
        self.false_bound_ = self.mean_selected_**2 / (gap * d) if gap > 0 else float("inf")
        self.support_ = self.frequency_ >= self.threshold
        if not self.support_.any():
            self.support_[int(self.frequency_.argmax())] = True
        return self

    def _selector(self) -> Any:
        one = clone(self.estimator)
        return one if hasattr(one, "get_support") else SelectFromModel(one)

    def _half(self, n: int, target: np.ndarray | None, rng: np.random.RandomState) -> np.ndarray:
        """Row numbers in order; of each class its share, one at least."""
        groups = [np.arange(n)]
        if target is not None and is_classifier(self.estimator):
            groups = [np.flatnonzero(target == label) for label in np.unique(target)]
        drawn = [rng.permutation(one)[: max(1, round(self.sample_share * len(one)))] for one in groups]
        return np.sort(np.concatenate(drawn))
