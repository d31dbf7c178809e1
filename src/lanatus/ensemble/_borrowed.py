"""What scikit-learn has to make scores into probabilities, offered from here as it is."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.isotonic import IsotonicRegression

from lanatus.catalog import borrow

__all__ = ["CalibratedClassifierCV", "IsotonicRegression"]

borrow(
    IsotonicRegression,
    "ensemble.isotonic-calibration",
    home="lanatus.ensemble",
    section="8.4.2",
    task="regression",
    kind="estimator",
    en="Isotonic regression",
    zh="保序回归",
)
borrow(
    CalibratedClassifierCV,
    home="lanatus.ensemble",
    section="8.4.2",
    task="classification",
    kind="estimator",
    en="Calibrated probabilities by Platt scaling or isotonic regression",
    zh="概率校准: Platt缩放与保序回归",
)
