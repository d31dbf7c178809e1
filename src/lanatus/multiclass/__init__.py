"""Multi-class and multi-label learning over any two-class learner (section 3.5)."""

import importlib
from typing import Any

_HOME = {
    "_borrowed": ["ClassifierChain", "MultiOutputClassifier"],
    "_codes": ["CodeQuality", "code_quality", "exhaustive_code", "optimal_code", "random_code"],
    "_decoding": ["code_distances", "decode"],
    "_dag": ["DAGClassifier"],
    "_diagnostics": ["BitDiagnostics", "code_bit_diagnostics"],
    "_hierarchical": ["HierarchicalClassifier"],
    "_ml_knn": ["MLkNN"],
    "_output_code": ["OutputCodeClassifier"],
    "_one_vs": ["OneVsOneClassifier", "OneVsRestClassifier"],
}
_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_OF)


def __getattr__(name: str) -> Any:
    if name not in _OF:
        raise AttributeError(f"module 'lanatus.multiclass' has no attribute {name!r}")
    return getattr(importlib.import_module(f"lanatus.multiclass.{_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
