"""Multi-class and multi-label learning over any two-class learner (section 3.5)."""

from lanatus._lazy import lazy

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

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
