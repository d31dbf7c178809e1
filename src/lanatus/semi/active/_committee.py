"""Which rows of a pool to ask about, by what several learners say of them."""

from typing import Any

import numpy as np

from lanatus.base import n_rows, take_columns
from lanatus.catalog import method
from lanatus.params import check_choice
from lanatus.semi.active._queries import entropy, most_useful, probabilities

COMMITTEE_MEASURES = ("vote-entropy", "kl")


@method(
    section="13.1",
    task="classification",
    kind="function",
    en="Query by committee",
    zh="委员会查询策略",
    peers=["modAL:vote_entropy_sampling"],
)
def committee_query(committee: Any, X_pool: Any, n: int = 1, *, measure: str = "vote-entropy") -> np.ndarray:
    r"""Rows that the members of a committee disagree on most.

    "vote-entropy" is :math:`-\sum_c \frac{V_c}{T} \ln \frac{V_c}{T}` of the votes :math:`V_c` of T members; "kl" the
    mean divergence :math:`\frac1T \sum_t \mathrm{KL}(P_t \,\Vert\, \bar P)` of their probabilities from the mean.

    Book: section 13.1. Cost: T predictions of the pool.

    Parameters
    ----------
    committee : list of fitted classifiers, or a fitted ensemble of some
        The members; of an ensemble its ``estimators_``, each on the columns that it knows.
    X_pool : array, frame or sparse matrix of shape (n_pool, n_features)
        Rows that may be asked about.
    n : int, default=1
        How many.
    measure : {"vote-entropy", "kl"}, default="vote-entropy"
        What counts as disagreement.

    Returns
    -------
    ndarray of int
        Their places in the pool, the most disputed first.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.semi import committee_query
    >>> X = [[0.0], [1.0], [4.0], [5.0]]
    >>> committee = [GaussianNB().fit(X, y) for y in ([0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 1, 1])]
    >>> committee_query(committee, [[0.0], [4.0], [5.0]]).tolist()
    [1]

    References
    ----------
    Seung, Opper and Sompolinsky (1992), Query by committee. McCallum and Nigam (1998), Employing EM and pool-based
    active learning for text classification.
    """
    check_choice("measure", measure, COMMITTEE_MEASURES)
    members = members_of(committee)
    if not n_rows(X_pool):
        return np.empty(0, dtype=np.intp)
    if measure == "vote-entropy":
        return most_useful(entropy(votes(members, X_pool).mean(axis=0)), n)
    each = _common_probabilities(members, X_pool)
    return most_useful(entropy(each.mean(axis=0)) - entropy(each).mean(axis=0), n)


@method(
    "semi.disagreement-query",
    section="13.7",
    task="classification",
    kind="function",
    en="Query of contended rows",
    zh="分歧法主动查询",
)
def disagreement_query(committee: Any, X_pool: Any, n: int = 1) -> np.ndarray:
    """Rows on which learners of different views, or of co-training, contradict each other although each is sure.

    On such a row one of them is wrong for certain, so that whatever the answer is, one learns from it. More pairs that
    contradict each other come first; of equally many, the rows on which the least sure member is surest. Where all
    agree no row is contended, and the least sure rows follow.

    Book: section 13.7. Cost: a prediction of the pool by each member.

    Parameters
    ----------
    committee : fitted CoTraining, TriTraining or other ensemble, or list of fitted classifiers
        The members.
    X_pool : array, frame or sparse matrix of shape (n_pool, n_features)
        Rows that may be asked about.
    n : int, default=1
        How many.

    Returns
    -------
    ndarray of int
        Their places in the pool, the most contended first.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.semi import CoTraining, disagreement_query
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [7.0, 7.0], [8.0, 9.0], [9.0, 8.0]]
    >>> model = CoTraining(GaussianNB(), views=([0], [1]), random_state=0).fit(X, [0, 0, -1, -1, 1, 1])
    >>> disagreement_query(model, [[0.5, 1.5], [1.0, 8.0], [4.0, 5.0]]).tolist()
    [1]

    References
    ----------
    Muslea, Minton and Knoblock (2006), Active learning with multiple views.
    """
    members = members_of(committee)
    if not n_rows(X_pool):
        return np.empty(0, dtype=np.intp)
    cast = votes(members, X_pool)
    agreeing = np.einsum("tic,sic->i", cast, cast) - len(members)
    contended = len(members) * (len(members) - 1) - agreeing
    sure = np.min([_sureness(model, rows) for model, rows in members_with_rows(members, X_pool)], axis=0)
    # Contended rows by how sure both sides are; the others, below all of them, by how unsure.
    use = np.where(contended > 0, contended + sure, -sure)
    return most_useful(use, n)


def members_of(committee: Any) -> list[tuple[Any, np.ndarray | None]]:
    """The members of a committee, and the columns that each knows, None for all."""
    models = list(getattr(committee, "estimators_", committee))
    if len(models) < 2:
        raise ValueError(f"a committee needs two members at least; got {len(models)}.")
    views = getattr(committee, "views_", None) or [None] * len(models)
    return list(zip(models, views, strict=True))


def members_with_rows(members: list[tuple[Any, np.ndarray | None]], X: Any) -> list[tuple[Any, Any]]:
    """Each member with the rows as it knows them."""
    rows = X if all(view is None for _, view in members) or hasattr(X, "shape") else np.asarray(X)
    return [(model, rows if view is None else take_columns(rows, view)) for model, view in members]


def votes(members: list[tuple[Any, np.ndarray | None]], X: Any) -> np.ndarray:
    """A 1 at the class that each member says of each row: members, rows, classes."""
    said = [np.asarray(model.predict(rows)) for model, rows in members_with_rows(members, X)]
    classes, codes = np.unique(np.concatenate(said), return_inverse=True)
    cast = np.zeros((len(said), len(said[0]), len(classes)))
    for vote, code in zip(cast, codes.reshape(len(said), -1), strict=True):
        vote[np.arange(len(vote)), code] = 1
    return cast


def _common_probabilities(members: list[tuple[Any, np.ndarray | None]], X: Any) -> np.ndarray:
    """Probabilities of all classes that any member knows: members, rows, classes."""
    classes = np.unique(np.concatenate([np.asarray(model.classes_) for model, _ in members]))
    wide = []
    for model, rows in members_with_rows(members, X):
        proba = probabilities(model, rows)
        full = np.zeros((len(proba), len(classes)))
        full[:, np.searchsorted(classes, model.classes_)] = proba
        wide.append(full)
    return np.stack(wide)


def _sureness(model: Any, rows: Any) -> np.ndarray:
    """How sure a member is of what it says, from 0 to 1; 1 where it gives no probabilities."""
    if not hasattr(model, "predict_proba"):
        return np.ones(n_rows(rows))
    return np.asarray(model.predict_proba(rows)).max(axis=1)
