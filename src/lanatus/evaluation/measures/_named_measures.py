"""Named measures for comparisons: what each asks of a learner, and which way is better."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn import metrics

Response = Literal["labels", "scores", "probabilities", "values", "estimator"]


@dataclass(frozen=True)
class Measure:
    """A measure of performance with a name and a direction.

    Parameters
    ----------
    name : str
        What tables call it.
    function : callable
        ``function(y_true, answers)``; with ``response="estimator"`` it is ``function(estimator, X, y)``. Functions that
        need the order of columns of probabilities or scores take a third argument, `classes`, if `with_classes`.
    response : {"labels", "scores", "probabilities", "values", "estimator"}, default="labels"
        What is asked of the learner: ``predict`` of a classifier, scores to rank by (``predict_proba`` or else
        ``decision_function``), ``predict_proba``, ``predict`` of a regressor, or the fitted learner itself.
    greater_is_better : bool, default=True
        Which way is better.
    with_classes : bool, default=False
        Whether `function` also takes the classes.

    Examples
    --------
    >>> from lanatus.evaluation import Measure, total_cost
    >>> missed = Measure("cost", lambda y, p: total_cost(y, p, [[0, 5], [1, 0]]), greater_is_better=False)
    >>> missed.greater_is_better
    False
    """

    name: str
    function: Callable[..., float]
    response: Response = "labels"
    greater_is_better: bool = True
    with_classes: bool = False


def _auc(y: Any, scores: np.ndarray, classes: np.ndarray) -> float:
    """Area under the ROC curve for two classes, that of Hand and Till for more."""
    from lanatus.evaluation.measures._ranking import hand_till_auc, roc_auc_score

    if scores.ndim == 1:
        return float(roc_auc_score(np.asarray(y) == classes[1], scores))
    return float(hand_till_auc(y, scores, labels=classes))


def _log_loss(y: Any, probabilities: np.ndarray, classes: np.ndarray) -> float:
    return float(metrics.log_loss(y, probabilities, labels=classes))


def _brier(y: Any, probabilities: np.ndarray, classes: np.ndarray) -> float:
    """Mean squared distance to the indicators of the classes, halved: the usual score for two classes."""
    hit = np.asarray(y)[:, None] == classes
    return float(((probabilities - hit) ** 2).sum(axis=1).mean() / 2)


def _calibration(y: Any, probabilities: np.ndarray, classes: np.ndarray) -> float:
    """Expected calibration error of the most probable class."""
    from lanatus.evaluation.measures._calibration import calibration_error

    right = np.asarray(y) == classes[probabilities.argmax(axis=1)]
    return float(calibration_error(right, probabilities.max(axis=1), pos_label=True))


def _book_macro_f1(y: Any, labels: Any) -> float:
    from lanatus.evaluation.measures._averages import macro_f1_score

    return float(macro_f1_score(y, labels))


def _f1(y: Any, labels: Any) -> float:
    return float(metrics.f1_score(y, labels, average="macro", zero_division=0))


CLASSIFICATION = (
    Measure("accuracy", metrics.accuracy_score),
    Measure("error_rate", metrics.zero_one_loss, greater_is_better=False),
    Measure(
        "balanced_accuracy", lambda y, labels: metrics.recall_score(y, labels, labels=np.unique(y), average="macro")
    ),
    Measure("f1_macro", _f1),
    Measure("macro_f1_score", _book_macro_f1),
    Measure("kappa", metrics.cohen_kappa_score),
    Measure("mcc", metrics.matthews_corrcoef),
    Measure("auc", _auc, "scores", with_classes=True),
    Measure("log_loss", _log_loss, "probabilities", greater_is_better=False, with_classes=True),
    Measure("brier", _brier, "probabilities", greater_is_better=False, with_classes=True),
    Measure("calibration_error", _calibration, "probabilities", greater_is_better=False, with_classes=True),
)
REGRESSION = (
    Measure("rmse", metrics.root_mean_squared_error, "values", greater_is_better=False),
    Measure("mse", metrics.mean_squared_error, "values", greater_is_better=False),
    Measure("mae", metrics.mean_absolute_error, "values", greater_is_better=False),
    Measure("median_absolute_error", metrics.median_absolute_error, "values", greater_is_better=False),
    Measure("max_error", metrics.max_error, "values", greater_is_better=False),
    Measure("r2", metrics.r2_score, "values"),
    Measure("explained_variance", metrics.explained_variance_score, "values"),
)
_DEFAULT = {"classification": ("accuracy", "f1_macro", "auc"), "regression": ("rmse", "mae", "r2")}


def as_measures(wanted: Any, task: str) -> tuple[Measure, ...]:
    """Measures of names, scorers and callables, for a task; the task's usual ones for None."""
    known = {one.name: one for one in (CLASSIFICATION if task == "classification" else REGRESSION)}
    if wanted is None:
        return tuple(known[name] for name in _DEFAULT[task])
    if isinstance(wanted, str | Measure) or callable(wanted):
        wanted = [wanted]
    if hasattr(wanted, "items"):
        found = tuple(replace(_as_measure(one, known, task), name=str(name)) for name, one in wanted.items())
    else:
        found = tuple(_as_measure(one, known, task) for one in wanted)
    if not found:
        raise ValueError("measures is empty; wanted at least one, such as 'accuracy' or 'rmse'.")
    names = [one.name for one in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"measures has {', '.join(sorted(twice))} more than once; give each its own name.")
    return found


def _as_measure(one: Any, known: dict[str, Measure], task: str) -> Measure:
    if isinstance(one, Measure):
        return one
    if isinstance(one, str):
        if one in known:
            return known[one]
        if one in metrics.get_scorer_names():
            return Measure(one, metrics.get_scorer(one), "estimator")
        raise ValueError(
            f"no measure {one!r} for {task}; there are {', '.join(known)}, and scikit-learn's scorer names."
        )
    if callable(one):
        if _takes_answers(one):
            raise TypeError(
                f"got the function {one.__name__}(y_true, ...) as a measure; wanted a scorer(estimator, X, y). "
                f"Wrap it: Measure({one.__name__!r}, {one.__name__})."
            )
        return Measure(getattr(one, "__name__", type(one).__name__), one, "estimator")
    raise TypeError(f"a measure must be a name, a Measure or a scorer(estimator, X, y); got {one!r}.")


def _takes_answers(function: Any) -> bool:
    """Whether a function is one of scikit-learn's kind, of true and predicted values."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return hasattr(function, "__name__") and names[:1] == ["y_true"]


class Predictions:
    """What a fitted learner says of some rows, each response computed once."""

    def __init__(self, model: Any, X: Any, y: np.ndarray) -> None:
        self._model, self._X, self._y = model, X, y
        self._said: dict[str, Any] = {}

    def get(self, response: str) -> Any:
        """Labels, scores, probabilities or values."""
        if response not in self._said:
            self._said[response] = self._ask(response)
        return self._said[response]

    def score(self, measure: Measure) -> float:
        """A measure's value; NaN where the learner has no such answers."""
        given: tuple[Any, ...] = (self._model, self._X, self._y)
        if measure.response != "estimator":
            answers = self.get(measure.response)
            if answers is None:
                return float("nan")
            given = (self._y, answers)
            if measure.with_classes:
                lowest = 0.0 if measure.response == "probabilities" else -np.inf
                given = (self._y, *_for_all_classes(answers, np.asarray(self._model.classes_), self._y, lowest))
        try:
            return float(measure.function(*given))
        except Exception as problem:
            problem.add_note(f"measure {measure.name}")
            raise

    def _ask(self, response: str) -> Any:
        model = self._model
        if response in ("labels", "values"):
            return np.asarray(model.predict(self._X))
        if hasattr(model, "predict_proba"):
            proba = np.asarray(model.predict_proba(self._X))
            return proba[:, 1] if response == "scores" and proba.shape[1] == 2 else proba
        if response == "scores" and hasattr(model, "decision_function"):
            return np.asarray(model.decision_function(self._X))
        return None


def _for_all_classes(answers: np.ndarray, known: np.ndarray, y: np.ndarray, lowest: float) -> tuple[Any, Any]:
    """Answers and their classes, where a class that only the test part has gets the lowest answer: never expected."""
    classes = np.union1d(known, y)
    if len(classes) == len(known):
        return answers, known
    if answers.ndim == 1:  # scores of the second of two classes
        answers = np.column_stack([-answers, answers])
    table = np.full((len(answers), len(classes)), lowest)
    table[:, np.searchsorted(classes, known)] = answers
    return (table[:, 1] if len(classes) == 2 and lowest < 0 else table), classes
