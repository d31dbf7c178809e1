"""The base of combinations: several named estimators, fitted to the same rows."""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_regressor
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch, ClassifierTags, RegressorTags

from lanatus.base import as_targets, n_rows, take_rows
from lanatus.callbacks import tell
from lanatus.ensemble._one_learner import fit_one
from lanatus.ensemble._routing import router
from lanatus.params import Array, Choice, Integer, Nothing, Satisfies
from lanatus.wrapping import ForLearners, Wrapper

__all__ = [
    "ESTIMATORS",
    "FOLDS",
    "PREFIT",
    "WEIGHTS",
    "Committee",
    "class_shares",
    "default_classifiers",
    "default_regressors",
    "fitted",
    "folds",
    "given_weights",
    "held_out",
    "of_kind",
    "of_own_type",
    "one_hot",
    "one_target",
    "places",
    "score",
    "tags_of_members",
]


def _is_list_of_pairs(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) > 0
        and all(isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str) for pair in value)
        and all(model == "drop" or (hasattr(model, "fit") and not isinstance(model, type)) for _, model in value)
        and len({name for name, _ in value}) == len(value)
    )


ESTIMATORS = Nothing() | Satisfies(
    _is_list_of_pairs, 'a list of (name, estimator) with distinct names, such as [("bayes", GaussianNB())], or None'
)
_SPLITTER = Satisfies(lambda value: hasattr(value, "split") and not isinstance(value, str), "a splitter")
_PAIRS = Satisfies(lambda value: isinstance(value, list), "a list of (train, test) pairs")
FOLDS = Nothing() | Integer(low=2) | _SPLITTER | _PAIRS
PREFIT = Choice("prefit")
WEIGHTS = Nothing() | Array(1)


def of_own_type(tags: Any) -> Any:
    """Tags of a ``transform`` that gives the answers of the members: they are of their own type, whatever X is of."""
    tags.transformer_tags.preserves_dtype = []
    return tags


class Committee(Wrapper):
    """Base of estimators with a list `estimators` of (name, estimator); "drop" leaves one out, None is a default.

    X goes to the members as `Wrapper` says: as numbers, or as a `Table` where all of them are ours.
    """

    _wants = ForLearners(numbers_once=True)

    estimators: Any
    n_jobs: int | None
    estimators_: list[Any]

    def _default(self) -> list[tuple[str, Any]]:
        """Members where `estimators` is None."""
        raise NotImplementedError

    def _members(self) -> list[tuple[str, Any]]:
        named = self._default() if self.estimators is None else self.estimators
        self._refuse_names([name for name, _ in named])
        kept = [(name, model) for name, model in named if not isinstance(model, str)]
        if not kept:
            raise ValueError("All estimators are dropped. At least one is required to be an estimator.")
        return kept

    def _refuse_names(self, names: list[str]) -> None:
        """Refuse names that `set_params` could not tell from parameters."""
        if taken := sorted(set(names) & set(super().get_params(deep=False))):
            raise ValueError(f"Estimator names conflict with constructor arguments: {taken!r}; choose others.")
        if wrong := [name for name in names if "__" in name]:
            raise ValueError(f"Estimator names must not contain __: got {wrong!r}.")

    def _models(self) -> list[Any]:
        return [model for _, model in self._members()]

    @property
    def named_estimators(self) -> Bunch:
        """Members by name, as they were given."""
        return Bunch(**dict(self._default() if self.estimators is None else self.estimators))

    def get_metadata_routing(self) -> Any:
        """Which metadata of ``fit`` goes on to the members."""
        return router(self, dict(self._members()), fit="fit")

    @property
    def named_estimators_(self) -> Bunch:
        """Fitted members by name."""
        kept = dict(zip((name for name, _ in self._members()), self.estimators_, strict=True))
        return Bunch(**{name: kept.get(name, "drop") for name in self.named_estimators})

    # ------------------------------------------------------------ parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, those of the members as ``name__parameter`` among them.

        Parameters
        ----------
        deep : bool, default=True
            Whether the members and their parameters are listed too.
        """
        params: dict[str, Any] = super().get_params(deep=deep)
        if deep and ESTIMATORS.accepts(self.estimators) and self.estimators is not None:
            for name, model in self.estimators:
                params[name] = model
                if not isinstance(model, str):
                    params.update({f"{name}__{key}": value for key, value in model.get_params().items()})
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a member by its name, its parameters as ``name__parameter``.

        Parameters
        ----------
        **params : dict
            What to set.
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        if ESTIMATORS.accepts(self.estimators) and self.estimators is not None:
            names = [name for name, _ in self.estimators]
            if given := {name: params.pop(name) for name in names if name in params}:
                self.estimators = [(name, given.get(name, model)) for name, model in self.estimators]
        super().set_params(**params)
        return self

    # ------------------------------------------------------------ intake

    def _learners(self) -> list[Any]:
        return self._models() if ESTIMATORS.accepts(self.estimators) else []

    def _fit_members(
        self,
        rows: Any,
        target: np.ndarray,
        weight: np.ndarray | None,
        more: dict[str, dict[str, Any]] | None = None,
    ) -> None:
        """Fit clones of all members; `more` is what else goes to the ``fit`` of each, by name."""
        named, news = self._members(), bool(getattr(self, "verbose", False))
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_member)(
                model, rows, target, weight, (more or {}).get(name, {}), f"({i} of {len(named)})", name if news else ""
            )
            for i, (name, model) in enumerate(named, 1)
        )


def _fit_member(
    model: Any, X: Any, y: np.ndarray, weight: np.ndarray | None, more: dict[str, Any], place: str, name: str
) -> Any:
    """A fitted clone of a member, with a line of news where it is named."""
    start = time.perf_counter()
    member = fit_one(clone(model), X, y, None, weight, **more)
    if name:
        tell(f"[Voting] {'.' * 20} {place} Processing {name}, total={time.perf_counter() - start:6.1f}s")
    return member


def given_weights(committee: Committee, weights: Any) -> np.ndarray | None:
    """Weights of the members, adding up to 1; a dropped one takes its weight along. None where there are no numbers."""
    if weights is None or isinstance(weights, str):
        return None
    named = committee._default() if committee.estimators is None else committee.estimators
    if len(weights) != len(named):
        raise ValueError(f"weights must have one number for each of the {len(named)} estimators; got {len(weights)}.")
    kept = [w for w, (_, model) in zip(weights, named, strict=True) if not isinstance(model, str)]
    values = np.asarray(kept, dtype=np.float64)
    if not (values >= 0).all() or not 0 < values.sum() < np.inf:
        raise ValueError(f"weights must be numbers of 0 or more, not all 0; got {weights!r}.")
    return np.asarray(values / values.sum())


def fitted(model: Any, X: Any, y: np.ndarray, part: np.ndarray | None = None, weight: np.ndarray | None = None) -> Any:
    """A clone of a model, fitted to some rows."""
    return fit_one(clone(model), X, y, part, weight)


def folds(cv: Any, y: np.ndarray, *, classifier: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and rows to answer; with fewer rows than folds, fewer folds; of one row, itself."""
    if cv is None or isinstance(cv, int | np.integer):
        most = int(np.bincount(y).max()) if classifier and y.ndim == 1 else len(y)
        n_splits = min(5 if cv is None else int(cv), max(most, min(len(y), 2)))
        if n_splits < 2:
            everything = np.arange(len(y))
            return [(everything, everything)]
        cv = n_splits
    return list(check_cv(cv, y, classifier=classifier).split(np.zeros((len(y), 1)), y))


def held_out(
    models: list[Any],
    X: Any,
    y: np.ndarray,
    parts: list[tuple[np.ndarray, np.ndarray]],
    answer: Callable[[Any, Any], np.ndarray],
    *,
    weight: np.ndarray | None = None,
    more: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> list[np.ndarray]:
    """What each model says of rows that it did not learn from: `answer(fitted model, rows)`, put together by row."""

    def say(model: Any, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        return answer(fit_one(clone(model), X, y, train, weight, **(more or {})), take_rows(X, test))

    tests = np.concatenate([test for _, test in parts])
    if len(tests) != n_rows(X) or len(np.unique(tests)) != len(tests):
        raise ValueError("cv must put each row in exactly one test part, as KFold does; got another splitter.")
    back = np.argsort(tests, kind="stable")
    answers = iter(Parallel(n_jobs=n_jobs)(delayed(say)(model, *part) for model in models for part in parts))
    return [np.concatenate(list(_next(answers, len(parts))))[back] for _ in models]


def _next(items: Iterator[Any], count: int) -> Iterator[Any]:
    return (next(items) for _ in range(count))


def one_hot(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Codes as indicator rows."""
    return np.asarray(codes)[:, None] == np.arange(n_classes)


def places(labels: Any, classes: np.ndarray | None) -> np.ndarray:
    """Codes that are codes already, or labels as places in `classes`."""
    if classes is None:
        return np.asarray(labels).astype(np.intp)
    labels = np.asarray(labels)
    at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    if not (classes[at] == labels).all():
        raise ValueError(f"the fitted estimators know classes that y has not: {np.setdiff1d(labels, classes)}.")
    return np.asarray(at)


def class_shares(
    model: Any, X: Any, n_classes: int, *, hard: bool = False, classes: np.ndarray | None = None
) -> np.ndarray:
    """Probabilities of all classes by a model, which may have seen some of them only.

    One without probabilities, or asked for a `hard` answer, gives all to its answer. The model speaks in codes, or in
    labels of `classes`.
    """
    shares = np.zeros((n_rows(X), n_classes))
    if hard or not hasattr(model, "predict_proba"):
        shares[np.arange(len(shares)), places(model.predict(X), classes)] = 1.0
    else:
        shares[:, places(model.classes_, classes)] = model.predict_proba(X)
    return shares


def of_kind(models: list[Any], *, regressors: bool, who: str) -> None:
    """Refuse classifiers among regressors and the other way round."""
    for model in models:
        if is_regressor(model) != regressors:
            wanted = "regressors" if regressors else "classifiers"
            raise ValueError(f"{who} wants {wanted}; {model!r} is none.")


def one_target(y: Any, X: Any) -> np.ndarray:
    """Numbers to predict, one a row, as float64."""
    values = as_targets(y, X)
    if values.ndim == 2:
        if values.shape[1] > 1:
            raise ValueError(f"y must have one column; got {values.shape[1]}.")
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,).",
            DataConversionWarning,
            stacklevel=4,
        )
    return np.ravel(values).astype(np.float64, copy=False)


def default_classifiers() -> list[tuple[str, Any]]:
    """Members of a combination of classifiers that was given none: three of different kinds."""
    from lanatus.bayes import GaussianNB
    from lanatus.linear import LinearDiscriminantAnalysis, LogisticRegression

    return [("bayes", GaussianNB()), ("discriminant", LinearDiscriminantAnalysis()), ("logistic", LogisticRegression())]


def default_regressors() -> list[tuple[str, Any]]:
    """Members of a combination of regressors that was given none."""
    from lanatus.linear import LinearRegression, Ridge

    return [("least squares", LinearRegression()), ("ridge", Ridge())]


def tags_of_members(tags: Any, *, regressors: bool) -> Any:
    """Tags of an estimator that is a classifier or a regressor as its members are."""
    tags.target_tags.required = True
    if regressors:
        tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
    else:
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
    return tags


def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: D417 (a method of those that name it)
    """Accuracy of classifiers, R2 of regressors.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,)
        True labels or values.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float
    """
    from sklearn.metrics import accuracy_score, r2_score

    measure = r2_score if is_regressor(self) else accuracy_score
    return float(measure(y, self.predict(X), sample_weight=sample_weight))
