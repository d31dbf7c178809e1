"""scikit-learn's displays, in which Chinese names and labels show, and the break-even point on the P-R curve."""

from typing import Any

import sklearn.calibration
import sklearn.metrics
import sklearn.model_selection

from lanatus.canvas import drawn
from lanatus.evaluation import break_even_point


class RocCurveDisplay(sklearn.metrics.RocCurveDisplay):
    """ROC curve with its area (section 2.3.3): scikit-learn's display, in which Chinese names show.

    Examples
    --------
    >>> from lanatus.plot import RocCurveDisplay
    >>> display = RocCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="朴素贝叶斯")
    >>> float(display.roc_auc)
    0.75
    """

    plot = drawn(sklearn.metrics.RocCurveDisplay.plot)


class PrecisionRecallDisplay(sklearn.metrics.PrecisionRecallDisplay):
    """P-R curve with its break-even point (section 2.3.2): scikit-learn's display, and the line P = R on it.

    ``plot_break_even=False`` in `from_estimator` and `from_predictions` leaves it out; `break_even` is its value.

    Examples
    --------
    >>> from lanatus.plot import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.break_even
    0.5
    """

    break_even: float | None = None

    plot = drawn(sklearn.metrics.PrecisionRecallDisplay.plot)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_score: Any = None, *, plot_break_even: bool = True, **options: Any
    ) -> "PrecisionRecallDisplay":
        """Draw from true labels and scores; all other options are scikit-learn's."""
        display = super().from_predictions(y_true, y_score, **options)
        if plot_break_even:
            point = break_even_point(
                y_true, y_score, pos_label=display.pos_label, sample_weight=options.get("sample_weight")
            )
            display._mark(float(point))
        return display

    @drawn
    def _mark(self, point: float) -> "PrecisionRecallDisplay":
        self.break_even = point
        self.ax_.plot([0, 1], [0, 1], ":", color="grey", linewidth=1)
        self.ax_.plot([point], [point], "o", color=self.line_.get_color(), label=f"break-even point = {point:.2f}")
        self.ax_.legend(loc="lower left")
        return self


class CalibrationDisplay(sklearn.calibration.CalibrationDisplay):
    """Reliability curve: scikit-learn's display, in which Chinese names show.

    Examples
    --------
    >>> from lanatus.plot import CalibrationDisplay
    >>> display = CalibrationDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.8], n_bins=2)
    >>> display.prob_true.tolist()
    [0.0, 1.0]
    """

    plot = drawn(sklearn.calibration.CalibrationDisplay.plot)


class ConfusionMatrixDisplay(sklearn.metrics.ConfusionMatrixDisplay):
    """Confusion matrix (section 2.3.2): scikit-learn's display, in which Chinese class names show.

    Examples
    --------
    >>> from lanatus.plot import ConfusionMatrixDisplay
    >>> display = ConfusionMatrixDisplay.from_predictions(["是", "否", "是"], ["是", "否", "否"])
    >>> display.confusion_matrix.tolist()
    [[1, 0], [1, 1]]
    """

    plot = drawn(sklearn.metrics.ConfusionMatrixDisplay.plot)


class LearningCurveDisplay(sklearn.model_selection.LearningCurveDisplay):
    """Score against the number of training rows (section 2.1): scikit-learn's display, in which Chinese names show.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.plot import LearningCurveDisplay
    >>> display = LearningCurveDisplay.from_estimator(GaussianNB(), *load_iris(return_X_y=True), shuffle=True,
    ...                                               random_state=0, train_sizes=[0.5, 1.0])
    >>> display.train_sizes.tolist()
    [60, 120]
    """

    plot = drawn(sklearn.model_selection.LearningCurveDisplay.plot)


class ValidationCurveDisplay(sklearn.model_selection.ValidationCurveDisplay):
    """Score against a parameter, from under- to overfitting (section 2.1): scikit-learn's display.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lanatus.plot import ValidationCurveDisplay
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> display = ValidationCurveDisplay.from_estimator(tree, *load_iris(return_X_y=True), param_name="max_depth",
    ...                                                 param_range=[1, 3])
    >>> display.test_scores.shape
    (2, 5)
    """

    plot = drawn(sklearn.model_selection.ValidationCurveDisplay.plot)


class PredictionErrorDisplay(sklearn.metrics.PredictionErrorDisplay):
    """Residuals, or true against predicted values, of a regressor: scikit-learn's display.

    Examples
    --------
    >>> from lanatus.plot import PredictionErrorDisplay
    >>> display = PredictionErrorDisplay.from_predictions([1.0, 2.0, 3.0], [1.1, 1.9, 3.2], kind="actual_vs_predicted")
    >>> display.ax_.get_xlabel()
    'Predicted values'
    """

    plot = drawn(sklearn.metrics.PredictionErrorDisplay.plot)
