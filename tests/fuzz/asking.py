"""Ask a model all that it can answer, and judge how it went."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

# What a user may be told. Anything else (IndexError, KeyError, ZeroDivisionError, ...) is a door left open.
CLEAR = (ValueError, TypeError, NotImplementedError)  # ModelFileError, NotFittedError and LinAlgError are ValueErrors

VERBS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "transform",
    "score_samples",
    "apply",
    "decision_path",
)


@dataclass(frozen=True)
class Verdict:
    """How a case ended: ``answered``, ``refused``, ``unclear`` (another kind of error), ``nan`` (in silence)."""

    how: str
    what: str = ""


def judged(error: Exception, where: str = "") -> Verdict:
    """The verdict on an error."""
    if isinstance(error, CLEAR) and str(error).strip():
        return Verdict("refused", f"{where}{type(error).__name__}: {error}")
    return Verdict("unclear", f"{where}{type(error).__name__}: {error}")


# A logarithm, a margin, or a prediction through an exponential may be infinite; these may not.
FINITE = ("predict_proba", "transform")


def not_numbers(answer: Any, verb: str) -> bool:
    """Whether an answer holds NaN, or an infinity where there is none."""
    if sp.issparse(answer):
        answer = answer.data
    answers = answer if isinstance(answer, list | tuple) else [answer]
    wrong = (lambda array: ~np.isfinite(array)) if verb in FINITE else np.isnan
    return any(array.dtype.kind == "f" and bool(wrong(array).any()) for array in (np.asarray(one) for one in answers))


def asked(model: Any, X: Any, *, nan_is_wrong: bool) -> Verdict:
    """Ask everything; the first thing that is not right decides."""
    refused = None
    for verb in VERBS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                call = getattr(model, verb, None)  # a property that reads the state may fail as well
                if call is None:
                    continue
                answer = call(X)
                wrong = nan_is_wrong and not_numbers(answer, verb)
            except Exception as error:
                verdict = judged(error, f"{verb}: ")
                if verdict.how == "unclear":
                    return verdict
                refused = verdict
                continue
        if wrong:
            return Verdict("nan", verb)
    return refused or Verdict("answered")
