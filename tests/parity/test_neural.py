"""Networks beside scikit-learn's: the same steps from the same weights, the same minimum, quality no worse."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import BernoulliRBM as TheirRBM
from sklearn.neural_network import MLPClassifier as TheirClassifier
from sklearn.neural_network import MLPRegressor as TheirRegressor
from sklearn.preprocessing import scale

from lanatus.neural import BernoulliRBM, MLPClassifier, MLPRegressor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
WINE = (lambda X, y: (scale(X), y))(*load_wine(return_X_y=True))


def goes_on(ours, theirs):
    """Ours with their weights."""
    ours.coefs_, ours.intercepts_ = [c.copy() for c in theirs.coefs_], [b.copy() for b in theirs.intercepts_]
    ours.norms_, ours.tables_, ours.running_ = [], [], np.empty(0)
    return ours.set_params(warm_start=True)


@pytest.mark.covers("neural.multilayer-feedforward")
@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize(
    "solver",
    [
        {"solver": "adam", "learning_rate_init": 0.01},
        {"solver": "sgd", "learning_rate_init": 0.05},
        {"solver": "sgd", "learning_rate_init": 0.05, "nesterovs_momentum": False, "momentum": 0.5},
    ],
    ids=["adam", "nesterov", "momentum"],
)
def test_rounds_from_the_same_weights(activation, solver):
    """Rows in their order, so that every step is the same; ours computes in float32."""
    X, y = WINE
    X, y = X[::3], y[::3]
    settings = {"activation": activation, "batch_size": 16, "shuffle": False, "alpha": 0.1, "random_state": 0, **solver}
    theirs = TheirClassifier((6, 5), max_iter=1, warm_start=True, **settings).fit(X, y)
    ours = goes_on(MLPClassifier((6, 5), max_iter=4, scaling=None, **settings), theirs)
    theirs.set_params(max_iter=4).fit(X, y)
    ours.fit(X, y)
    for one, other in zip([*ours.coefs_, *ours.intercepts_], [*theirs.coefs_, *theirs.intercepts_], strict=True):
        np.testing.assert_allclose(one, other, atol=2e-5)
    # The penalty that is told is that of the weights after the round, theirs that after each step.
    np.testing.assert_allclose(ours.loss_curve_, theirs.loss_curve_[-4:], rtol=0.01)


@pytest.mark.covers("neural.multilayer-feedforward")
def test_rounds_of_a_regression_from_the_same_weights():
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:150], scale(y)[:150]
    settings = {"batch_size": 30, "shuffle": False, "alpha": 0.5, "random_state": 0, "learning_rate_init": 0.01}
    ours = MLPRegressor(hidden_layer_sizes=(8,), max_iter=5, scaling=None, **settings)
    # Ours learns targets in units of their spread, which is taken out here: they are scaled already.
    y = (y - y.mean()) / y.std()
    theirs = TheirRegressor(hidden_layer_sizes=(8,), max_iter=1, warm_start=True, **settings).fit(X, y)
    goes_on(ours, theirs)
    theirs.set_params(max_iter=5).fit(X, y)
    ours.fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)


@pytest.mark.covers("neural.multilayer-feedforward")
def test_without_hidden_layers_it_is_logistic_regression():
    X, y = WINE
    for labels in (y, y == 1):
        ours = MLPClassifier((), solver="lbfgs", alpha=2.0, scaling=None, tol=1e-7, max_iter=2000).fit(X, labels)
        theirs = LogisticRegression(C=0.5, tol=1e-9, max_iter=2000).fit(X, labels)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


@pytest.mark.covers("neural.multilayer-feedforward")
def test_lbfgs_ends_no_higher():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    for seed in range(2):
        settings = {"hidden_layer_sizes": (5,), "solver": "lbfgs", "alpha": 1.0, "random_state": seed, "max_iter": 400}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            ours = MLPClassifier(scaling=None, activation="tanh", **settings).fit(X, y)
            theirs = TheirClassifier(activation="tanh", **settings).fit(X, y)
        assert ours.loss_ < 1.05 * theirs.loss_


@pytest.mark.covers("neural.rbm")
def test_machines_give_rows_as_much_free_energy_less_than_noise():
    """What a machine is for: rows are likelier than rows of the same means without their pattern."""
    X = load_digits().data[:500] / 16
    rng = np.random.RandomState(0)
    noise = np.column_stack([rng.permutation(column) for column in X.T])
    gaps = []
    for made in (BernoulliRBM, TheirRBM):
        machine = made(40, learning_rate=0.05, n_iter=10, random_state=0).fit(X)
        energy = BernoulliRBM.free_energy if made is BernoulliRBM else TheirRBM._free_energy
        gaps.append(float(energy(machine, noise).mean() - energy(machine, X).mean()))
    assert gaps[0] > 0.9 * gaps[1] > 0
