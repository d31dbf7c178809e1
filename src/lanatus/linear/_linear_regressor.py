"""What linear models of numbers share."""

from sklearn.base import RegressorMixin

from lanatus.linear._linear_model import LinearModel


class LinearRegressor(RegressorMixin, LinearModel):
    """A linear model that learns its weights from rows with numbers to predict."""

    predict = LinearModel.predict
