"""Rules of the parameters that linear models share, by name."""

import numpy as np

from lanatus.params import COMMON, Array, Choice, Flag, Integer, ParameterRule, Real, Satisfies

STRENGTH = Real(low=0, below=np.inf)


def may_split(cv: object) -> bool:
    """Whether a value can say how to cut the rows into folds."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return bool(cv >= 2)
    return cv is None or hasattr(cv, "split") or (hasattr(cv, "__iter__") and not isinstance(cv, str))


RULES: dict[str, ParameterRule] = COMMON | {
    "alpha": STRENGTH,
    "alphas": Integer(low=1) | Array(ndim=1),
    "cv": Satisfies(may_split, "a number of folds, a splitter, an iterable of splits, or None"),
    "eps": Real(above=0),
    "l1_ratio": Real(0, 1),
    "loss_scale": Choice("mean", "sum"),
    "positive": Flag(),
    "precompute": Flag() | Array(ndim=2),
    "selection": Choice("cyclic", "random"),
}
