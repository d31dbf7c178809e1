"""Labels that are most likely wrong."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from lanatus.base import n_rows, take_rows
from lanatus.bayes import GaussianNB
from lanatus.catalog import method
from lanatus.params import check_integer
from lanatus.semi._labels import partial_codes
from lanatus.semi.active._queries import probabilities


class CleanedLabels(NamedTuple):
    """Rows and labels that are kept, and which of all rows they are."""

    X: Any
    y: Any
    kept: np.ndarray


@method(
    "semi.weak-supervision",
    section="CH5 5.1",
    task="classification",
    kind="function",
    en="Removal of noisy labels",
    zh="噪声标记去除",
    peers=["cleanlab:CleanLearning"],
)
def remove_noisy_labels(
    X: Any, y: Any, *, estimator: Any = None, cv: int = 5, random_state: Any = None
) -> CleanedLabels:
    r"""Take out rows whose label is most likely wrong, by what a learner says of rows it has not seen.

    With :math:`t_c` the mean of :math:`P(c \mid x)` over the rows labelled c, a row labelled c counts as one of class d
    if d is the likeliest of the classes with :math:`P(d \mid x) \ge t_d`; such rows with :math:`d \ne c` are taken out.
    Probabilities are those of cross-validation.

    Book: slides 5.1. Cost: a fit of the learner for each part.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        The labels; rows with -1 or a missing value stay.
    estimator : classifier or None, default=None
        The learner; it must give probabilities. None is ``GaussianNB()``.
    cv : int, default=5
        Parts.
    random_state : int, RandomState or None, default=None
        Draws the parts.

    Returns
    -------
    CleanedLabels
        ``X`` and ``y`` of the rows that are kept, and ``kept``, True for these.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.semi import remove_noisy_labels
    >>> X = np.r_[np.linspace(0, 1, 20), np.linspace(5, 6, 20)][:, None]
    >>> y = np.repeat([0, 1], 20)
    >>> y[[3, 25]] = 1, 0
    >>> np.flatnonzero(~remove_noisy_labels(X, y, random_state=0).kept).tolist()
    [3, 25]

    References
    ----------
    Northcutt, Jiang and Chuang (2021), Confident learning: estimating uncertainty in dataset labels.
    """
    check_integer("cv", cv, 2)
    classes, codes = partial_codes(y, X)
    known = np.flatnonzero(codes >= 0)
    kept = np.ones(n_rows(X), dtype=bool)
    if len(classes) > 1:
        learner = GaussianNB() if estimator is None else estimator
        proba = _unseen(learner, X, codes, known, len(classes), cv, check_random_state(random_state))
        own = codes[known]
        level = np.array([proba[own == c, c].mean() for c in range(len(classes))])
        able = np.where(proba >= level, proba, -1.0)
        likeliest = able.argmax(axis=1)
        wrong = (able.max(axis=1) >= 0) & (likeliest != own)
        kept[known[wrong]] = False
    rows = np.flatnonzero(kept)
    return CleanedLabels(take_rows(X, rows), take_rows(y, rows), kept)


def _unseen(
    learner: Any, X: Any, codes: np.ndarray, known: np.ndarray, k: int, cv: int, rng: np.random.RandomState
) -> np.ndarray:
    """Probabilities of each labelled row by a learner of the other parts; every class goes round the parts."""
    part = np.empty(len(known), dtype=np.intp)
    turn = 0
    for code in range(k):
        mine = np.flatnonzero(codes[known] == code)
        part[rng.permutation(mine)] = (turn + np.arange(len(mine))) % cv
        turn += len(mine)
    proba = np.zeros((len(known), k))
    for fold in np.unique(part):
        seen, out = known[part != fold], np.flatnonzero(part == fold)
        if not len(seen):
            continue
        model = clone(learner).fit(take_rows(X, seen), codes[seen])
        columns = np.asarray(model.classes_).astype(np.intp)
        proba[np.ix_(out, columns)] = probabilities(model, take_rows(X, known[out]))
    return proba
