"""Transformers with one of scikit-learn's inside.

Arrays, lists and sparse matrices go through it whole, so that every parameter does there what it does in scikit-learn;
of a frame, whose columns have kinds of their own, only the columns that the transformer is for. `_inner` is the inner
one, of the class `_inner_class`; `_whole` tells that all of X goes through it.
"""

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import in_floats, is_plain_numbers, refuse_collection
from lanatus.preprocess._column_transformer import ColumnTransformer
from lanatus.table import Column, Schema, Table, as_frame, is_list_of_dicts, sound_sparse


def has_kinds(X: Any) -> bool:
    """Whether the columns of X have kinds: a frame, rows as dicts, a Table."""
    return isinstance(X, Table) or is_list_of_dicts(X) or as_frame(X) is not None


def is_mixed(X: Any) -> bool:
    """Whether X has columns with kinds, or holds words: an array of objects may be a table."""
    return has_kinds(X) or not is_plain_numbers(X)


def in_memory(estimator: Any, X: Any) -> Any:
    """X, as SciPy and scikit-learn can take it: in memory and, if sparse, with a structure that is sound."""
    refuse_collection(estimator, X)
    return sound_sparse(X) if sp.issparse(X) else X


def fresh(model: Any, **other: Any) -> Any:
    """scikit-learn's transformer, of the class `_inner_class`, with the parameters of the model, or others."""
    known = model._inner_class().get_params()
    return model._inner_class(**{name: value for name, value in model.get_params().items() if name in known} | other)


def fit_whole(model: Any, X: Any, *, verb: str = "fit", **rows: Any) -> None:
    """Learn from all of X, or, with the verb "partial_fit", from more of it."""
    with in_floats("X"):
        getattr(model._inner, verb)(in_memory(model, X), **rows)
    model._whole = True
    model._remember(_schema_of(model._inner))
    adopt(model)


def _schema_of(inner: Any) -> Schema:
    names = getattr(inner, "feature_names_in_", None)
    listed = [f"x{j}" for j in range(inner.n_features_in_)] if names is None else list(map(str, names))
    return Schema([Column(name, "numeric") for name in listed], named=names is not None)


def adopt(model: Any) -> None:
    """Show what the inner one has learned; names and number of columns are those of the whole table."""
    for name, value in vars(model._inner).items():
        if name.endswith("_") and name[0] != "_" and name not in ("n_features_in_", "feature_names_in_"):
            setattr(model, name, value)


def own_inner(model: Any) -> None:
    """A copy, so that a `partial_fit` that fails leaves the fitted one as it was."""
    model._inner = copy.deepcopy(model._inner)


def forget(model: Any) -> None:
    """Nothing of an earlier fit, as scikit-learn's ``fit`` begins."""
    for name in [name for name in vars(model) if name.endswith("_") and not name.startswith("__")]:
        delattr(model, name)


def get_feature_names_out(self: Any, input_features: Any = None) -> np.ndarray:
    """Names of the columns that ``transform`` gives."""
    if getattr(self, "_whole", False):
        return np.asarray(self._inner.get_feature_names_out(input_features))
    return ColumnTransformer.get_feature_names_out(self, input_features)
