"""Learners of the rows at hand, and learners of new ones."""

from typing import Any

from sklearn.semi_supervised import LabelPropagation, LabelSpreading

from lanatus.catalog import method


@method(
    "semi.transductive-tag",
    section="13.1",
    task="classification",
    kind="function",
    en="Transductive or inductive",
    zh="直推学习与归纳学习判别",
)
def is_transductive(estimator: Any) -> bool:
    """Whether a learner answers for the rows that it is given to learn from, and not for new ones.

    Labels that spread over a graph are labels of its nodes, and what such a learner says of a new row is a rule beside
    the method: the mean of the rows near by. `InductiveGraphSSL` makes an inductive learner of it. A learner without
    ``predict``, as most clusterings are, is transductive as well.

    Book: section 13.1, figure 13.2. Cost: none.

    Parameters
    ----------
    estimator : estimator or class of estimators
        Of this library, or of scikit-learn.

    Examples
    --------
    >>> from lanatus.semi import LabelSpreading, TSVM, is_transductive
    >>> is_transductive(LabelSpreading()), is_transductive(TSVM())
    (True, False)
    """
    kind = estimator if isinstance(estimator, type) else type(estimator)
    told = getattr(kind, "_transductive", None)
    if told is not None:
        return bool(told)
    if not hasattr(kind, "fit"):
        raise TypeError(f"{kind.__name__} is no estimator: it has no fit.")
    if issubclass(kind, LabelPropagation | LabelSpreading):
        return True
    answers = ("predict", "transform", "score_samples", "fit_resample")
    return not any(hasattr(estimator, verb) for verb in answers)
