"""Metadata that goes on to the members, as scikit-learn routes it."""

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from lanatus.base import n_rows

__all__ = ["of_rows", "routed", "router"]


def router(owner: Any, learners: dict[str, Any], **methods: str) -> MetadataRouter:
    """Who gets what: each learner what it asks for, when a method of the owner (caller=callee) is called."""
    found = MetadataRouter(owner=owner)
    for name, learner in learners.items():
        mapping = MethodMapping()
        for caller, callee in methods.items():
            mapping.add(caller=caller, callee=callee)
        found.add(**{name: learner}, method_mapping=mapping)
    return found


def routed(owner: Any, params: dict[str, Any], names: list[str]) -> dict[str, dict[str, Any]]:
    """What of the extra arguments of ``fit`` goes to the ``fit`` of each learner."""
    if not params:
        return {name: {} for name in names}
    if not get_config()["enable_metadata_routing"]:
        raise ValueError(
            f"fit() got {', '.join(sorted(params))}, which only goes on to the learners with "
            "sklearn.set_config(enable_metadata_routing=True)."
        )
    given = process_routing(owner, "fit", **params)
    return {name: dict(given[name].fit) for name in names}


def of_rows(params: dict[str, Any], rows: np.ndarray | None, n: int) -> dict[str, Any]:
    """The parts of those arguments that have an entry for each row which belong to some rows."""
    if rows is None:
        return params
    return {name: _safe_indexing(value, rows) if _fits(value, n) else value for name, value in params.items()}


def _fits(value: Any, n: int) -> bool:
    return not isinstance(value, str | dict) and hasattr(value, "__len__") and n_rows(value) == n
