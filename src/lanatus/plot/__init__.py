"""Pictures. The displays follow scikit-learn's convention: ``from_estimator`` and ``from_predictions``."""

from lanatus.plot._bias_variance import BiasVarianceDisplay
from lanatus.plot._clusters import plot_clusters
from lanatus.plot._cost import CostCurveDisplay
from lanatus.plot._curves import (
    CalibrationDisplay,
    ConfusionMatrixDisplay,
    LearningCurveDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
    ValidationCurveDisplay,
)
from lanatus.plot._display import as_svg
from lanatus.plot._fonts import use_chinese
from lanatus.plot._ranks import CriticalDifferenceDisplay
from lanatus.plot._scores import ScoresDisplay

__all__ = [
    "BiasVarianceDisplay",
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "CostCurveDisplay",
    "CriticalDifferenceDisplay",
    "LearningCurveDisplay",
    "PrecisionRecallDisplay",
    "PredictionErrorDisplay",
    "RocCurveDisplay",
    "ScoresDisplay",
    "ValidationCurveDisplay",
    "as_svg",
    "plot_clusters",
    "use_chinese",
]
