"""Generative or discriminative: which way a classifier comes to its posterior."""

from typing import Any

from sklearn.base import is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.pipeline import Pipeline

from lanatus import linear
from lanatus.bayes._posterior import BayesClassifier
from lanatus.catalog import method

# Whose rows have a density in each class, though they do not all offer it.
_GENERATIVE = (
    BayesClassifier,
    linear.LinearDiscriminantAnalysis,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)


@method(
    "bayes.generative-tag",
    section="7.1",
    task="classification",
    en="Whether a learner is generative or discriminative",
    zh="判别式/生成式",
)
def is_generative(estimator: Any) -> bool:
    r"""Whether a classifier models :math:`P(x, c)`, and not :math:`P(c \mid x)` or the border alone.

    A generative model knows what rows of each class look like, and gets to :math:`P(c \mid x) = P(c) P(x \mid c) /
    P(x)` by Bayes' rule (7.7); a discriminative one goes there straight.

    Book: section 7.1. Cost: none.

    Parameters
    ----------
    estimator : classifier
        Ours, scikit-learn's or another's: those that offer ``predict_joint_log_proba`` are generative. Of a pipeline,
        or of an estimator that works with another one, that other one decides.

    Returns
    -------
    bool

    Examples
    --------
    >>> from lanatus.bayes import TAN, is_generative
    >>> from lanatus.linear import LogisticRegression
    >>> is_generative(TAN()), is_generative(LogisticRegression())
    (True, False)
    """
    if isinstance(estimator, Pipeline):
        return is_generative(estimator.steps[-1][1])
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(f"got {estimator!r}, wanted a classifier object such as GaussianNB().")
    if isinstance(estimator, _GENERATIVE) or hasattr(estimator, "predict_joint_log_proba"):
        return True
    inner = getattr(estimator, "estimator", None)
    if inner is not None:
        return is_generative(inner)
    if not is_classifier(estimator):
        raise TypeError(f"got {estimator!r}, wanted a classifier: only those have classes to tell apart.")
    return False
