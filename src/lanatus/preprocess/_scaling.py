"""Scaling of numeric columns (exercise 2.8)."""

from typing import Any, ClassVar

from sklearn import preprocessing

from lanatus.base import Floats, check_is_fitted
from lanatus.catalog import method
from lanatus.params import Flag, Satisfies
from lanatus.preprocess._column_transformer import ColumnTransformer, Output, in_order, passed_through, preserving_dtype
from lanatus.table import Table


class _Scaler(ColumnTransformer):
    """Scales the numeric columns with scikit-learn's scaler and leaves the others alone."""

    _inner_class: type

    def _learn(self, table: Table, y: Any) -> None:
        self._inner = self._inner_class(**self.get_params())
        if table.schema.numeric:
            self._inner.fit(table.numeric)
            learned = {name: value for name, value in vars(self._inner).items() if name.endswith("_")}
            for name, value in learned.items():
                if name not in ("n_features_in_", "feature_names_in_"):  # those of the whole table are kept
                    setattr(self, name, value)

    def _apply(self, table: Table) -> list[Output]:
        return self._mapped(table, "transform")

    def inverse_transform(self, X: Any) -> Any:
        """The rows in their first units again."""
        check_is_fitted(self)
        return self._assemble(self._mapped(self._take(X, reset=False), "inverse_transform"), X)

    def _mapped(self, table: Table, verb: str) -> list[Output]:
        names = [table.schema.columns[j].name for j in table.schema.numeric]
        columns = passed_through(table, set(names))
        if names:
            scaled = getattr(self._inner, verb)(table.numeric)
            columns |= {name: Output(name, scaled[:, at]) for at, name in enumerate(names)}
        return in_order(table, columns)

    def __sklearn_tags__(self) -> Any:
        return preserving_dtype(super().__sklearn_tags__())


@method(
    "data.min-max-scaler",
    section="2.3.4",
    task="transform",
    en="Min-max normalisation",
    zh="规范化 (min-max)",
    peers=["scikit-learn:MinMaxScaler"],
)
class MinMaxScaler(_Scaler):
    r"""Min-max normalisation of the numeric columns.

    Maps :math:`x` to :math:`x'_{min} + (x - x_{min}) / (x_{max} - x_{min}) \cdot (x'_{max} - x'_{min})`
    (2.43); a constant column becomes :math:`x'_{min}`. Ordinal and nominal columns pass through.

    Book: section 2.3.4, exercise 2.8. Cost: :math:`O(nd)`.

    Parameters
    ----------
    feature_range : tuple (min, max), default=(0, 1)
        The new range.
    copy : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    clip : bool, default=False
        Whether new values beyond the range seen in ``fit`` are cut off at its ends.

    Attributes
    ----------
    data_min_, data_max_ : ndarrays of shape (n_numeric,), the range seen
    scale_, min_ : ndarrays of shape (n_numeric,), the map is ``x * scale_ + min_``

    Examples
    --------
    >>> from lanatus.preprocess import MinMaxScaler
    >>> MinMaxScaler().fit_transform([[1.0], [2.0], [5.0]]).ravel().tolist()
    [0.0, 0.25, 1.0]
    """

    _inner_class = preprocessing.MinMaxScaler
    _state: ClassVar = {name: Floats("numeric") for name in ("data_min_", "data_max_", "data_range_", "scale_", "min_")}
    _params = {
        "feature_range": Satisfies(
            lambda value: isinstance(value, tuple | list) and len(value) == 2 and value[0] < value[1],
            "a pair (min, max) with min < max",
        ),
        "copy": Flag(),
        "clip": Flag(),
    }

    def __init__(self, feature_range: tuple[float, float] = (0, 1), *, copy: bool = True, clip: bool = False) -> None:
        self.feature_range = feature_range
        self.copy = copy
        self.clip = clip


@method(
    "data.z-score-scaler",
    section="2.3.4",
    task="transform",
    en="z-score normalisation",
    zh="z-score规范化",
    peers=["scikit-learn:StandardScaler"],
)
class StandardScaler(_Scaler):
    r"""z-score normalisation of the numeric columns.

    Maps :math:`x` to :math:`(x - \bar x) / \sigma_x` (2.44); a constant column becomes 0. Ordinal and nominal
    columns pass through.

    Book: section 2.3.4, exercise 2.8. Cost: :math:`O(nd)`.

    Parameters
    ----------
    copy : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    with_mean : bool, default=True
        Whether to subtract the mean.
    with_std : bool, default=True
        Whether to divide by the standard deviation.

    Attributes
    ----------
    mean_, var_, scale_ : ndarrays of shape (n_numeric,)

    Examples
    --------
    >>> from lanatus.preprocess import StandardScaler
    >>> StandardScaler().fit_transform([[1.0], [3.0]]).ravel().tolist()
    [-1.0, 1.0]
    """

    _inner_class = preprocessing.StandardScaler
    _state: ClassVar = {name: Floats("numeric") for name in ("mean_", "var_", "scale_")}
    _params = {"copy": Flag(), "with_mean": Flag(), "with_std": Flag()}

    def __init__(self, *, copy: bool = True, with_mean: bool = True, with_std: bool = True) -> None:
        self.copy = copy
        self.with_mean = with_mean
        self.with_std = with_std
