"""Whether the learners of an output code err rarely, and each by itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.base import check_is_fitted, class_codes
from lanatus.catalog import method
from lanatus.multiclass._output_code import OutputCodeClassifier


@dataclass(frozen=True, eq=False)
class BitDiagnostics:
    """Errors of the columns of an output code on some rows.

    Attributes
    ----------
    error : ndarray of shape (length,)
        Error rate of each column, on the rows of the classes that it uses.
    correlation : ndarray of shape (length, length)
        Correlation of the errors of two columns, on the rows that both use; NaN where one never or always errs.
    spread : float
        Largest less smallest error rate: 0 in the ideal code.
    mean_correlation : float
        Mean over pairs of columns: 0 in the ideal code.
    """

    error: np.ndarray
    correlation: np.ndarray

    @property
    def spread(self) -> float:
        """Largest less smallest error rate; NaN if none is known."""
        known = self.error[~np.isnan(self.error)]
        return float(np.ptp(known)) if len(known) else float("nan")

    @property
    def mean_correlation(self) -> float:
        """Mean over pairs of columns whose correlation is known; NaN if none is."""
        pairs = self.correlation[np.triu_indices(len(self.error), 1)]
        known = pairs[~np.isnan(pairs)]
        return float(known.mean()) if len(known) else float("nan")


@method(
    "multiclass.ecoc-ideal-conditions",
    section="ex 3.8",
    task="classification",
    en="Per-bit error and correlation of ECOC columns",
    zh="ECOC理想条件检验",
)
def code_bit_diagnostics(model: Any, X: Any, y: Any) -> BitDiagnostics:
    """Error of each column of an output code, and how the errors of two columns go together.

    Codes correct errors as theory says where all columns err alike and independently.

    Book: exercise 3.8.

    Parameters
    ----------
    model : fitted OutputCodeClassifier
        The code.
    X : array, sparse matrix or frame
        Rows, best those it has not seen.
    y : array
        Their labels, all known to the model.

    Returns
    -------
    BitDiagnostics

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.multiclass import OutputCodeClassifier, code_bit_diagnostics
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OutputCodeClassifier(GaussianNB(), code="exhaustive").fit(X, y)
    >>> code_bit_diagnostics(model, X, y).error.round(3).tolist()
    [0.0, 0.073, 0.08]
    """
    if not isinstance(model, OutputCodeClassifier):
        raise TypeError(f"code_bit_diagnostics wants an OutputCodeClassifier; got {type(model).__name__}.")
    check_is_fitted(model)
    rows = model._take(X, reset=False)
    _, codes = class_codes(y, rows, model.classes_)
    truth = model.problems_[codes]
    used = truth != 0
    wrong = (np.where(model._answers(rows) > 0, 1, -1) != truth) & used
    counts = used.sum(axis=0)
    error = np.divide(wrong.sum(axis=0), counts, out=np.full(len(counts), np.nan), where=counts > 0)
    length = truth.shape[1]
    correlation = np.eye(length)
    for a in range(length):
        for b in range(a):
            both = used[:, a] & used[:, b]
            correlation[a, b] = correlation[b, a] = _correlation(wrong[both, a], wrong[both, b])
    return BitDiagnostics(error, correlation)


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    if len(a) == 0 or a.all() or b.all() or not a.any() or not b.any():
        return float("nan")
    return float(np.corrcoef(a.astype(float), b.astype(float))[0, 1])
