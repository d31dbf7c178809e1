"""Support vector machines beside LIBSVM, by way of scikit-learn, at the same tolerance."""

import numpy as np
import pandas as pd
import pytest
import sklearn.svm as peer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import lanatus.kernel as ours

BUILT_IN = {"breast cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine, "digits": load_digits}
REAL = ["ionosphere", "sonar", "pima", "segment", "phoneme", "spambase", "satellite", "pendigits", "optdigits", "glass"]


def table(name):
    X, y = BUILT_IN[name](return_X_y=True)
    return StandardScaler().fit_transform(X), y


def real_table(folder, name, n=2500):
    frame = pd.read_parquet(folder / f"{name}.parquet").dropna()
    frame = frame.sample(min(n, len(frame)), random_state=0)
    target = "class" if "class" in frame else frame.columns[-1]
    X = frame.drop(columns=target).select_dtypes("number").to_numpy(dtype=float)
    return StandardScaler().fit_transform(X), frame[target].astype(str).to_numpy()


def minimum(model, kernel, X, epsilon=None, y=None):
    """The value of the dual of two classes, or of a tube."""
    beta, K = model.dual_coef_[0], kernel(X[model.support_])
    linear = -np.abs(beta).sum() if epsilon is None else epsilon * np.abs(beta).sum() - beta @ y[model.support_]
    return 0.5 * beta @ K @ beta + linear


@pytest.mark.covers("kernel.soft-margin-svm")
@pytest.mark.parametrize("name", BUILT_IN)
def test_classes(name):
    compare(*table(name))


@pytest.mark.parametrize("name", REAL)
def test_classes_of_real_tables(shared_data, name):
    compare(*real_table(shared_data, name))


@pytest.mark.parametrize("name", BUILT_IN)
def test_at_one_tolerance_ours_is_nearer_to_the_minimum(name):
    X, y = table(name)
    how = {"decision_function_shape": "ovo"}
    exact, one, other = (
        model.fit(X, y).decision_function(X) for model in (ours.SVC(tol=1e-7, **how), ours.SVC(**how), peer.SVC(**how))
    )
    assert np.abs(one - exact).max() <= np.abs(other - exact).max()
    assert np.abs(one - exact).max() < 1e-3


def compare(X, y):
    for how in ({}, {"C": 10.0}):
        a, b = ours.SVC(decision_function_shape="ovo", **how), peer.SVC(decision_function_shape="ovo", **how)
        a.fit(X, y), b.fit(X, y)
        values = [model.decision_function(X) for model in (a, b)]
        if values[0].ndim == 2 and values[0].shape[1] == 1:
            values = [one.ravel() for one in values]
        scale = max(1.0, float(np.abs(values[1]).max()))
        np.testing.assert_allclose(*values, rtol=0, atol=1e-3 * scale)
        assert np.mean(a.predict(X) == b.predict(X)) > 0.998
        if len(a.classes_) == 2:
            kernel = a.kernel_
            assert minimum(a, kernel, X) <= minimum(b, kernel, X) + 1e-5 * abs(minimum(b, kernel, X))


@pytest.mark.parametrize("name", ["breast cancer", "iris", "digits"])
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_other_kernels_to_a_fine_tolerance(name, kernel):
    X, y = table(name)
    X, y = X[:600], y[:600]
    how = {"kernel": kernel, "gamma": 0.02, "coef0": 0.5, "tol": 1e-6, "decision_function_shape": "ovo"}
    a, b = ours.SVC(**how).fit(X, y), peer.SVC(**how).fit(X, y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-4)
    assert a.dual_coef_.shape == (len(a.classes_) - 1, len(a.support_))
    np.testing.assert_allclose(a.intercept_, b.intercept_, atol=1e-4)
    if kernel == "linear":
        np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-4)


@pytest.mark.parametrize("nu", [0.1, 0.3])
def test_nu(nu):
    X, y = table("breast cancer")
    a, b = ours.NuSVC(nu=nu, tol=1e-6).fit(X, y), peer.NuSVC(nu=nu, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=2e-4)
    one, two = ours.OneClassSVM(nu=nu, tol=1e-6).fit(X), peer.OneClassSVM(nu=nu, tol=1e-6).fit(X)
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-4)
    np.testing.assert_allclose(one.offset_, two.offset_, atol=1e-4)


@pytest.mark.covers("kernel.svr")
def test_numbers():
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    for how in ({"C": 10.0, "epsilon": 5.0}, {"kernel": "linear", "C": 1.0}):
        a, b = ours.SVR(tol=1e-5, **how).fit(X, y), peer.SVR(tol=1e-5, **how).fit(X, y)
        np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-3)
        epsilon = how.get("epsilon", 0.1)
        assert minimum(a, a.kernel_, X, epsilon, y) <= minimum(b, a.kernel_, X, epsilon, y) * (1 - 1e-7)
    c, d = ours.NuSVR(C=10.0, tol=1e-6).fit(X, y), peer.NuSVR(C=10.0, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(c.predict(X), d.predict(X), atol=1e-3)
    weights = np.random.default_rng(0).uniform(0, 3, len(y))
    e, f = (model.fit(X, y, sample_weight=weights) for model in (ours.SVR(tol=1e-6), peer.SVR(tol=1e-6)))
    np.testing.assert_allclose(e.predict(X), f.predict(X), atol=1e-3)
