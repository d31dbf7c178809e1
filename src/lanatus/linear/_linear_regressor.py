"""What linear models of numbers share."""

from lanatus.base import WeightedRegressor
from lanatus.linear._linear_model import LinearModel


class LinearRegressor(WeightedRegressor, LinearModel):
    """A linear model that learns its weights from rows with numbers to predict."""

    predict = LinearModel.predict
