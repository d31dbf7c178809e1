"""What scikit-learn's decompositions of the same names take and learn."""

import numpy as np
import pytest
import sklearn.multiclass as peers
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from lanatus.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier


@pytest.mark.covers("multiclass.one-vs-rest")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_vs_rest_gives_the_probabilities_of_scikit_learn(n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    model = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    peer = peers.OneVsRestClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), rtol=1e-12)
    assert model.n_classes_ == peer.n_classes_ == n_classes
    assert not hasattr(OneVsRestClassifier(LinearSVC()).fit(X, y), "predict_proba")


@pytest.mark.covers("multiclass.one-vs-one")
def test_the_number_of_classes_is_learned():
    X, y = load_iris(return_X_y=True)
    assert OneVsOneClassifier(LogisticRegression()).fit(X, y).n_classes_ == 3


@pytest.mark.covers("multiclass.many-vs-many")
def test_the_length_of_a_code_is_had_as_a_share_of_the_classes():
    X, y = load_iris(return_X_y=True)
    learner = LogisticRegression(max_iter=500)
    model = OutputCodeClassifier(learner, code_size=1.5, code="sparse", random_state=0).fit(X, y)
    assert model.code_book_.shape == (3, 4)
    with pytest.raises(ValueError, match="give one of them"):
        OutputCodeClassifier(learner, code_size=1.5, length=4).fit(X, y)
    with pytest.raises(ValueError, match="code_size is for codes"):
        OutputCodeClassifier(learner, code_size=1.5, code="exhaustive").fit(X, y)


@pytest.mark.covers("multiclass.one-vs-rest")
def test_verbose_is_told_to_joblib(capfd):
    X, y = load_iris(return_X_y=True)
    OneVsRestClassifier(LogisticRegression(), verbose=50).fit(X, y)
    out = capfd.readouterr()
    assert "Done" in out.out + out.err
