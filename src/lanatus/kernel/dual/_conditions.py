"""The value of the dual, the gap to the primal, the KKT conditions, and what kind of support vector a row is."""

from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_array

from lanatus.base import as_targets, check_is_fitted, class_codes
from lanatus.catalog import method
from lanatus.kernel.dual._smo import kernel_and_signs
from lanatus.params import check_real


@method(
    "kernel.svm-dual-problem",
    section="6.2",
    task="evaluation",
    kind="function",
    en="SVM dual and strong duality check; also SVR's dual (6.51)",
    zh="对偶问题",
)
def dual_objective(alpha: Any, K: Any, y: Any, *, epsilon: float | None = None) -> float:
    r"""The value of the dual of a support vector machine, which training maximises.

    :math:`\sum_i \alpha_i - \frac12 \sum_{ij} \alpha_i \alpha_j y_i y_j \kappa(x_i, x_j)` (6.40), and with `epsilon`
    :math:`\sum_i y_i \beta_i - \epsilon |\beta_i| - \frac12 \sum_{ij} \beta_i \beta_j \kappa(x_i, x_j)` (6.51) of
    :math:`\beta_i = \hat\alpha_i - \alpha_i`.

    Book: sections 6.2 and 6.5. Cost: :math:`O(n^2)`.

    Parameters
    ----------
    alpha : array-like of shape (n,)
        The multipliers; of regression their differences, as in ``dual_coef_``.
    K : array-like of shape (n, n)
        The kernel matrix.
    y : array-like of shape (n,)
        The classes, -1 or +1; of regression the numbers.
    epsilon : float or None, default=None
        Half the width of the tube, for regression.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import dual_objective
    >>> X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]])
    >>> dual_objective([0.25, 0.0, 0.25], X @ X.T, [1, 1, -1])
    0.25
    """
    beta, K, y = _looked_at(alpha, K, y, epsilon)
    linear = np.abs(beta).sum() if epsilon is None else y @ beta - epsilon * np.abs(beta).sum()
    return float(linear - beta @ K @ beta / 2)


def duality_gap(alpha: Any, K: Any, y: Any, C: float, *, epsilon: float | None = None) -> float:
    r"""How far the primal (6.35), or (6.45), is above the dual: 0 at the solution, and never below.

    The primal is taken at :math:`w = \sum_i \alpha_i y_i \phi(x_i)` and the offset that is best for it. The multipliers
    must lie in the box and keep :math:`\sum_i \alpha_i y_i = 0`, otherwise the dual is no bound.

    Book: sections 6.2, 6.4 and 6.5. Cost: :math:`O(n^2)`.

    Parameters
    ----------
    alpha : array-like of shape (n,)
        The multipliers; of regression their differences, as in ``dual_coef_``.
    K : array-like of shape (n, n)
        The kernel matrix.
    y : array-like of shape (n,)
        The classes, -1 or +1; of regression the numbers.
    C : float
        Price of a row beyond its margin.
    epsilon : float or None, default=None
        Half the width of the tube, for regression.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import duality_gap
    >>> X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]])
    >>> duality_gap([0.25, 0.0, 0.25], X @ X.T, [1, 1, -1], C=1.0), duality_gap([0.0] * 3, X @ X.T, [1, 1, -1], C=1.0)
    (0.0, 2.0)
    """
    beta, K, y = _looked_at(alpha, K, y, epsilon)
    C = check_real("C", C, 0, above=True)
    sums = K @ beta
    # The loss is convex and piecewise linear in the offset: the best one is at a bend.
    bends = y - sums if epsilon is None else np.concatenate([y - sums - epsilon, y - sums + epsilon])

    def losses(b: float) -> float:
        z = sums + b - y
        return float(np.maximum(0, -y * z if epsilon is None else np.abs(z) - epsilon).sum())

    primal = beta @ sums / 2 + C * _least_on_convex(np.unique(bends), losses)
    return float(primal - dual_objective(alpha, K, y, epsilon=epsilon))


def _least_on_convex(points: np.ndarray, function: Any) -> float:
    """The least value of a convex function at sorted points."""
    first, last = 0, len(points) - 1
    while first < last:
        middle = (first + last) // 2
        if function(points[middle]) <= function(points[middle + 1]):
            last = middle
        else:
            first = middle + 1
    return float(function(points[first]))


def _looked_at(alpha: Any, K: Any, y: Any, epsilon: float | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """y_i alpha_i, or the differences of regression, with the matrix and the targets."""
    alpha = check_array(alpha, dtype=np.float64, ensure_2d=False, input_name="alpha").reshape(-1)
    if epsilon is None:
        K, y = kernel_and_signs(K, y)
    else:
        check_real("epsilon", epsilon, 0)
        K = check_array(K, dtype=np.float64, input_name="K")
        y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    if len(alpha) != len(y) or K.shape != (len(y), len(y)):
        raise ValueError(f"alpha, K and y must be of one length; got {len(alpha)}, {K.shape} and {len(y)}.")
    return (alpha if epsilon is not None else alpha * y), K, y


@method(
    "kernel.kkt-conditions",
    section="6.2",
    task="evaluation",
    kind="function",
    en="KKT violation of SVM and SVR",
    zh="KKT条件",
)
def kkt_violation(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    r"""By how much a fitted `SVC` or `SVR` violates the KKT conditions (6.41), or (6.52), on the rows of ``fit``.

    Rows with :math:`\alpha_i = 0` should have :math:`y_i f(x_i) \ge 1`, those inside the box equality, those at its end
    at most 1; of a tube, the same with the distance to its edge. The largest amount by which one of them does not, and
    by which :math:`\sum_i \alpha_i y_i` is not 0; of several classes the largest over all pairs.

    Book: sections 6.2, 6.4 and 6.5, exercise 6.7. Cost: that of a prediction.

    Parameters
    ----------
    model : SVC or SVR
        The fitted machine, of finite or infinite C.
    X : array, frame or sparse matrix
        The rows of ``fit``.
    y : array of shape (n_samples,)
        Their classes or numbers.
    sample_weight : array of shape (n_samples,), optional
        Their weights in ``fit``.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.kernel import SVC, kkt_violation
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> kkt_violation(SVC(tol=1e-6).fit(X, y), X, y) < 1e-6
    True
    """
    check_is_fitted(model)
    if is_regressor(model):
        return _violation_of_tube(model, X, y, sample_weight)
    _, codes = class_codes(y, X, model.classes_)
    caps = model.C * model.class_weight_[codes] * _weights(sample_weight, len(codes))
    values, worst = model._values(X), 0.0
    turned = -1.0 if len(model.classes_) == 2 else 1.0
    planes = np.zeros((values.shape[1], len(codes)))
    planes[:, model.support_] = model._planes()
    for machine, of in enumerate(model._tasks(codes, caps, None)):
        signs = turned * of.signs
        alpha, slack = signs * planes[machine, of.rows], 1 - signs * values[of.rows, machine]
        amount = np.where(alpha <= 0, slack, np.where(alpha < of.weights, np.abs(slack), -slack))
        worst = max(worst, float(amount.max()), abs(float(planes[machine].sum())))
    return worst


def _violation_of_tube(model: Any, X: Any, y: Any, sample_weight: Any) -> float:
    y = as_targets(y, X)
    weights = _weights(sample_weight, len(y))
    off, beta = y - model.predict(X), np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    below = model.C if model.C_below is None else model.C_below
    caps = np.where(beta > 0, model.C, below) * weights
    slack = np.where(beta > 0, off, np.where(beta < 0, -off, np.abs(off))) - model.epsilon
    amount = np.where(beta == 0, slack, np.where(np.abs(beta) < caps, np.abs(slack), -slack))
    return max(float(amount[weights > 0].max()), abs(float(beta.sum())), 0.0)


def _weights(sample_weight: Any, n: int) -> np.ndarray:
    return np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)


@method(
    "kernel.support-vector-taxonomy",
    section="6.4",
    task="evaluation",
    kind="function",
    en="Support-vector cases by alpha and slack",
    zh="支持向量分类",
)
def support_vector_cases(model: Any, X: Any, y: Any, sample_weight: Any = None) -> np.ndarray:
    r"""What kind of support vector each row of a fitted `SVC` of two classes is, by its multiplier and its slack.

    Book: section 6.4, slides 4.1. Cost: that of a prediction.

    Parameters
    ----------
    model : SVC
        The fitted machine, of two classes.
    X : array, frame or sparse matrix
        The rows of ``fit``.
    y : array of shape (n_samples,)
        Their classes.
    sample_weight : array of shape (n_samples,), optional
        Their weights in ``fit``.

    Returns
    -------
    ndarray of str, shape (n_samples,)
        "none" for :math:`\alpha = 0`, without influence; "margin" for :math:`0 < \alpha < C`, on the edge; and at
        :math:`\alpha = C` "inside" for a slack below 1, "plane" for 1 (to the model's `tol`), "wrong" above.

    Examples
    --------
    >>> from lanatus.kernel import SVC, support_vector_cases
    >>> X, y = [[0.0], [1.0], [2.2], [1.5], [3.0], [4.0]], [0, 0, 0, 1, 1, 1]
    >>> support_vector_cases(SVC(kernel="linear").fit(X, y), X, y).tolist()
    ['none', 'margin', 'wrong', 'wrong', 'margin', 'none']
    """
    check_is_fitted(model)
    if len(model.classes_) != 2:
        raise ValueError(f"the cases are of two classes; the model has {len(model.classes_)}: give it two at a time.")
    _, codes = class_codes(y, X, model.classes_)
    caps = model.C * model.class_weight_[codes] * _weights(sample_weight, len(codes))
    alpha = np.zeros(len(codes))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    slack = 1 - np.where(codes == 1, 1, -1) * model.decision_function(X)
    at_end = np.where(np.abs(slack - 1) <= model.tol, "plane", np.where(slack < 1, "inside", "wrong"))
    return np.where(alpha == 0, "none", np.where(alpha < caps, "margin", at_end))
