from lanatus.canvas import as_svg as as_svg
from lanatus.canvas import use_chinese as use_chinese
from lanatus.evaluation.comparison import CriticalDifferenceDisplay as CriticalDifferenceDisplay
from lanatus.evaluation.comparison import ScoresDisplay as ScoresDisplay

from ._bias_variance import BiasVarianceDisplay as BiasVarianceDisplay
from ._clusters import plot_clusters as plot_clusters
from ._cost import CostCurveDisplay as CostCurveDisplay
from ._curves import CalibrationDisplay as CalibrationDisplay
from ._curves import ConfusionMatrixDisplay as ConfusionMatrixDisplay
from ._curves import LearningCurveDisplay as LearningCurveDisplay
from ._curves import PrecisionRecallDisplay as PrecisionRecallDisplay
from ._curves import PredictionErrorDisplay as PredictionErrorDisplay
from ._curves import RocCurveDisplay as RocCurveDisplay
from ._curves import ValidationCurveDisplay as ValidationCurveDisplay
