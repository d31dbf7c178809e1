"""Linear models with weights of one's own."""

import numpy as np
import pytest
from samples import weighted_regression
from sklearn.exceptions import NotFittedError

from lanatus.linear import (
    LinearModel,
    LinearRegression,
)


@pytest.mark.covers("linear.linear-model")
def test_importance_of_the_books_melon():
    """ch01-03 G30: root before sound before colour."""
    model = LinearModel.of({"色泽": 0.2, "根蒂": 0.5, "敲声": 0.3}, intercept=1)
    assert list(model.feature_importance()) == ["根蒂", "敲声", "色泽"]
    assert model.predict([[0, 0, 0], [1, 1, 1]]).tolist() == [1.0, 2.0]
    fitted = LinearRegression().fit(weighted_regression()[0], weighted_regression()[1])
    assert list(fitted.feature_importance().values()) == sorted(np.abs(fitted.coef_), reverse=True)


def test_a_linear_model_without_weights_says_so():
    with pytest.raises(NotFittedError, match=r"LinearModel\.of"):
        LinearModel().predict([[1.0]])
    with pytest.raises(ValueError, match="one number a column"):
        LinearModel.of([[1.0, 2.0], [3.0, 4.0]])
