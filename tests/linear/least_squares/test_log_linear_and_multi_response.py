"""Log-linear regression, and a plane for each class."""

import numpy as np
import pytest
from samples import weighted_regression
from sklearn import linear_model as theirs
from sklearn.datasets import load_iris

from lanatus.linear import (
    LinearRegression,
    LogLinearRegression,
    MultiResponseLinearRegression,
)


@pytest.mark.covers("linear.log-linear-regression")
def test_log_linear_is_least_squares_of_the_logarithm():
    X, y, weight = weighted_regression()
    y = np.exp(y)
    model = LogLinearRegression().fit(X, y, weight)
    expected = LinearRegression().fit(X, np.log(y), weight)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-12)
    np.testing.assert_allclose(model.predict(X), np.exp(expected.predict(X)), rtol=1e-12)
    with pytest.raises(ValueError, match="above zero, for its logarithm is fitted; got 2 values"):
        LogLinearRegression().fit(X, np.where(np.arange(60) < 2, 0.0, y))


@pytest.mark.covers("linear.multi-response-linear-regression")
def test_multi_response_is_one_plane_for_each_class():
    X, y = load_iris(return_X_y=True)
    model = MultiResponseLinearRegression().fit(X, y)
    np.testing.assert_allclose(model._linear(X).sum(axis=1), 1, rtol=1e-12)
    for c in range(3):
        plane = LinearRegression().fit(X, (y == c).astype(float))
        np.testing.assert_allclose(model.coef_[c], plane.coef_, rtol=1e-9, atol=1e-12)
    ridge = MultiResponseLinearRegression(3.0).fit(X, y)
    np.testing.assert_array_equal(ridge.predict(X), theirs.RidgeClassifier(3.0).fit(X, y).predict(X))
    two = MultiResponseLinearRegression().fit(X[:100], y[:100])
    np.testing.assert_array_equal(two.decision_function(X[:100]) > 0, two.predict(X[:100]) == 1)
    with pytest.raises(ValueError, match="1 class"):
        MultiResponseLinearRegression().fit(X[:50], y[:50])
