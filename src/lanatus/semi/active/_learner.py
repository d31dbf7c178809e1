"""The loop of active learning: learn, ask, learn again."""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Numbers, Takes, check_is_fitted, fitting, take_rows
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import COMMON, Choice, Function, Integer, Nothing, Satisfies, rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import UNLABELLED, SemiSupervised, partial_codes
from lanatus.semi.active._answers import listed, merged_labels, named
from lanatus.semi.active._committee import committee_query, disagreement_query
from lanatus.semi.active._oracles import CsvOracle, NoAnswerYet, TerminalOracle
from lanatus.semi.active._queries import (
    border_gaps,
    expected_change,
    likeness,
    most_useful,
    uncertainty,
)
from lanatus.wrapping import LEARNER, Wrapper

QUERIES = (
    "hyperplane",
    "least-confident",
    "margin",
    "entropy",
    "vote-entropy",
    "kl",
    "disagreement",
    "expected-change",
    "density",
    "random",
)
_COMMITTEE = ("vote-entropy", "kl", "disagreement")
_DRAWS = 20  # samples of the labelled rows that are drawn before one with every class is given up
_ORACLE = Satisfies(
    lambda value: value is None or callable(value) or isinstance(value, str | Path),
    "a callable, 'terminal', the path of a CSV file, or None",
)


class Asked(NamedTuple):
    """Rows asked about, the answers (None where nobody knew), and the round of each."""

    rows: list[int]
    answers: list[Any]
    rounds: list[int]


@method(
    "semi.active-learning",
    section="13.1",
    task="classification",
    en="Active learning",
    zh="主动学习",
    peers=["modAL:ActiveLearner"],
)
class ActiveLearner(SemiSupervised, CallbackSupportMixin, ClassifierMixin, Wrapper):
    r"""A learner that asks for the labels that would help it most.

    Learns from the labelled rows, picks among the others those that a query strategy finds most useful, asks for their
    labels, and learns again, until its budget of questions is spent. A semi-supervised learner gets all rows in each
    round, any other the labelled ones.

    Book: section 13.1, figure 13.2. Cost: a fit of the learner and a prediction of the pool a round; five fits for a
    committee.

    Parameters
    ----------
    estimator : classifier
        The learner.
    query : str or callable, default="hyperplane"
        Which rows to ask about: "hyperplane" (`margin_query`), "least-confident", "margin" or "entropy"
        (`uncertainty_query`), "vote-entropy" or "kl" (`committee_query`), "disagreement" (`disagreement_query`),
        "expected-change" (`expected_change_query`), "density" (`density_query`), "random"; or a function of the fitted
        learner, the rows of the pool and a number of rows that gives their places in the pool.
    oracle : callable, "terminal", path or None, default=None
        Who answers: a function of the numbers of the rows asked about, all rows X, and the labels known so far, that
        gives a label for each, None for one that it does not know; a person at the terminal, `TerminalOracle`; or a
        CSV file, `CsvOracle`. None answers nothing: rows are only proposed, as `waiting_`.
    budget : int or None, default=20
        Most questions; None asks about all rows.
    batch : int, default=1
        Questions a round.
    n_committee : int, default=5
        Members of a committee, each from a sample of the labelled rows; a learner that is a committee is its own.
    random_state : int, RandomState or None, default=None
        Draws samples and random rows.

    Attributes
    ----------
    estimator_ : fitted learner
        The learner, fitted to all labels there are in the end.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    queried_ : ndarray of int
        Rows asked about, in the order of the questions.
    answers_ : list
        The answers; None where nobody knew.
    rounds_ : ndarray of int
        Round of each question, from 1.
    labels_ : ndarray of shape (n_samples,)
        y with the answers; -1, or None among words, where there is none.
    waiting_ : ndarray of int
        Rows whose labels would be asked for next, or whose answers are still to come.
    n_iter_ : int
        Rounds.
    schema_ : Schema
        The columns seen in ``fit``, where they were not plain numbers.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, where they had any.

    Notes
    -----
    Where no two classes are known yet, random rows are asked about until they are. Callbacks see every round: its
    number of questions is the length of ``queried_``.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import SVC
    >>> from lanatus.semi import ActiveLearner
    >>> X = np.arange(21.0)[:, None]
    >>> truth = (X.ravel() > 12.5).astype(int)
    >>> y = np.where(np.isin(np.arange(21), [0, 20]), truth, -1)
    >>> learner = ActiveLearner(SVC(kernel="linear", C=100.0), oracle=lambda rows, X, classes: truth[rows], budget=2)
    >>> learner.fit(X, y).queried_.tolist(), learner.score(X, truth)
    ([10, 15], 1.0)

    References
    ----------
    Settles (2009), Active learning literature survey.
    """

    estimator_: Any
    queried_: np.ndarray
    answers_: list[Any]
    rounds_: np.ndarray
    labels_: np.ndarray
    waiting_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        estimator: Any,
        *,
        query: Any = "hyperplane",
        oracle: Any = None,
        budget: int | None = 20,
        batch: int = 1,
        n_committee: int = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.query = query
        self.oracle = oracle
        self.budget = budget
        self.batch = batch
        self.n_committee = n_committee
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON,
        estimator=LEARNER,
        query=Choice(*QUERIES) | Function(),
        oracle=_ORACLE,
        budget=Integer(low=0) | Nothing(),
        batch=Integer(low=1),
        n_committee=Integer(low=2),
    )

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn, ask and learn again until the budget is spent, no row is left, or answers have to be waited for.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The labels; -1 or a missing value where there is none.
        """
        rows = self._take(X, reset=True)
        rng = check_random_state(self.random_state)
        values = _Numbers()._take(X, reset=True) if self.query in ("density", "expected-change") else None
        asked = Asked([], [], [])
        codes = self._codes(y, X, asked)
        oracle = self._oracle()
        n = len(codes)
        budget = n if self.budget is None else self.budget
        progress = Progress(self, X, max_iter=n + 1)
        model: Any = None
        waiting, n_iter = np.empty(0, dtype=np.intp), 0
        for iteration in progress.iterations():
            model = self._learnt(rows, codes) if len(self.classes_) > 1 or len(asked.rows) >= budget else None
            iteration.done(state=dict, attributes=partial(self._learned, model, rows, codes, y, asked, waiting, n_iter))
            pool = np.setdiff1d(np.flatnonzero(codes < 0), asked.rows)
            count = min(self.batch, budget - len(asked.rows), len(pool))
            if iteration.stop or count <= 0:
                break
            chosen = pool[self._chosen(model, rows, values, codes, pool, count, rng)]
            told, stopped = self._told(oracle, chosen, X)
            n_iter = iteration.number + 1
            for row, answer in zip(chosen, told, strict=False):
                asked.rows.append(int(row))
                asked.answers.append(answer)
                asked.rounds.append(n_iter)
            codes = self._codes(y, X, asked)
            if stopped:
                waiting = chosen[len(told) :]
                break
        if model is None or len(asked.rows):
            model = self._learnt(rows, codes)
        learned = self._learned(model, rows, codes, y, asked, waiting, n_iter)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _oracle(self) -> Any:
        if self.oracle is None or callable(self.oracle):
            return self.oracle
        return TerminalOracle() if self.oracle == "terminal" else CsvOracle(self.oracle)

    def _told(self, oracle: Any, chosen: np.ndarray, X: Any) -> tuple[list[Any], bool]:
        """Answers to questions, and whether the rest has to be waited for."""
        if oracle is None:
            return [], True
        try:
            answers = list(oracle(chosen, X, self.classes_))
        except NoAnswerYet as stop:
            return (list(stop.args[1]) if len(stop.args) > 1 else []), True
        if len(answers) != len(chosen):
            raise ValueError(f"the oracle gave {len(answers)} answers to {len(chosen)} questions; wanted one for each.")
        return answers, False

    def _codes(self, y: Any, X: Any, asked: Asked) -> np.ndarray:
        """Places of the labels with the answers so far; before any is known, all unknown."""
        labels = listed(y, X)
        for row, answer in zip(asked.rows, asked.answers, strict=True):
            labels[row] = answer
        merged = merged_labels(labels)
        if merged is None:
            if self.oracle is None:
                partial_codes(y, X)  # says that there is no label
            self.classes_ = np.empty(0, dtype=object)
            return np.full(len(labels), UNLABELLED, dtype=np.int32)
        return self._learn_labels(merged, X)

    def _learnt(self, rows: Any, codes: np.ndarray) -> Any:
        """The learner, fitted to what is known; a semi-supervised one to all rows."""
        known = np.flatnonzero(codes >= 0)
        if not len(known):
            raise ValueError("no row has a label after all questions; wanted one at least.")
        model: Any = clone(self.estimator)
        if isinstance(self.estimator, SemiSupervised) and len(known) < len(codes):
            return model.fit(rows, named(self.classes_, codes))
        return model.fit(take_rows(rows, known), self.classes_[codes[known]])

    def _chosen(
        self,
        model: Any,
        rows: Any,
        values: Any,
        codes: np.ndarray,
        pool: np.ndarray,
        count: int,
        rng: np.random.RandomState,
    ) -> np.ndarray:
        """Places in the pool to ask about."""
        query = self.query
        if model is None or query == "random":
            return rng.permutation(len(pool))[:count]
        part = take_rows(rows, pool)
        if callable(query):
            places = np.asarray(query(model, part, count))
            good = places.ndim == 1 and places.dtype.kind in "iu" and len(places) == len(set(places.tolist()))
            if not (good and len(places) and places.min() >= 0 and places.max() < len(pool)):
                raise ValueError(f"query must give different places in a pool of {len(pool)} rows; got {places!r}.")
            return places[:count]
        if query in _COMMITTEE:
            committee = model if len(getattr(model, "estimators_", ())) > 1 else self._committee(rows, codes, rng)
            if query == "disagreement":
                return disagreement_query(committee, part, count)
            return committee_query(committee, part, count, measure=query)
        if query == "hyperplane":
            return most_useful(-border_gaps(model, part), count)
        if query == "expected-change":
            return most_useful(expected_change(model, part, values[pool]), count)
        if query == "density":
            return most_useful(uncertainty(model, part, "entropy") * likeness(values[pool]), count)
        return most_useful(uncertainty(model, part, query), count)

    def _committee(self, rows: Any, codes: np.ndarray, rng: np.random.RandomState) -> list[Any]:
        """Learners from samples of the labelled rows, each with every class where there is room for it."""
        known = np.flatnonzero(codes >= 0)
        members = []
        for _ in range(self.n_committee):
            chosen = known
            for _ in range(_DRAWS):
                drawn = known[rng.randint(len(known), size=len(known))]
                if len(np.unique(codes[drawn])) == len(self.classes_):
                    chosen = drawn
                    break
            members.append(clone(self.estimator).fit(take_rows(rows, chosen), self.classes_[codes[chosen]]))
        return members

    def _learned(
        self, model: Any, rows: Any, codes: np.ndarray, y: Any, asked: Asked, waiting: np.ndarray, n_iter: int
    ) -> dict[str, Any]:
        return {
            "estimator_": model,
            "queried_": np.array(asked.rows, dtype=np.intp),
            "answers_": list(asked.answers),
            "rounds_": np.array(asked.rounds, dtype=np.intp),
            "labels_": named(self.classes_, codes),
            "waiting_": np.array(waiting, dtype=np.intp),
            "n_iter_": n_iter,
        }

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(self._take(X, reset=False)))


class _Numbers(Estimator):
    """Takes a table as numbers."""

    _takes = Takes(sparse=True)
    _wants = Numbers()
