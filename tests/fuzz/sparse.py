"""Sparse matrices whose parts contradict each other, given to every estimator that takes sparse X."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from conformance.cases import build

from fuzz.asking import Verdict, asked, judged
from fuzz.mutations import mutated
from fuzz.subjects import SUBJECTS, learned, rows_for

NAMES = tuple(name for name, entry in SUBJECTS.items() if build(entry)._takes.sparse)


def _malformed(X: np.ndarray, rng: np.random.Generator) -> Any:
    """A matrix of a random format with one of its parts spoiled behind SciPy's back."""
    kind = (sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.coo_matrix, sp.bsr_matrix)[rng.integers(6)]
    matrix = kind(np.where(rng.random(X.shape) < 0.5, X, 0.0).astype(rng.choice(["f4", "f8"])))
    parts = ["data", "row", "col"] if matrix.format == "coo" else ["data", "indices", "indptr", "indices", "indptr"]
    part = parts[rng.integers(len(parts))]
    spoiled, _ = mutated(np.asarray(getattr(matrix, part)), rng)
    if part in ("row", "col"):
        matrix.coords = tuple(spoiled if part == name else getattr(matrix, name) for name in ("row", "col"))
    else:
        setattr(matrix, part, spoiled)
    return matrix


def case(name: str, number: int) -> Verdict:
    """Run one case: the malformed matrix to learn from, or to be asked about."""
    rng = np.random.default_rng([number, *name.encode()])
    X, y = rows_for(name)
    try:
        bad = _malformed(X, rng)
    except (ValueError, TypeError) as error:  # SciPy looked at it itself
        return judged(error, "made: ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if number % 2:
                return asked(learned(name, bad, y), X, nan_is_wrong=False)
            return asked(learned(name, sp.csr_matrix(X), y), bad, nan_is_wrong=False)
        except Exception as error:
            return judged(error)
