"""What scikit-learn's decompositions of the same names take and learn."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.multiclass as peers
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import SVC, LinearSVC

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


@pytest.mark.covers("multiclass.one-vs-rest")
@pytest.mark.parametrize("learner", [LogisticRegression(), MultinomialNB(), LinearSVC(), LinearRegression()])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix])
def test_several_labels_a_row(learner, container):
    X, Y = make_multilabel_classification(80, 12, n_classes=4, random_state=0)
    model, peer = (cls(learner).fit(X, container(Y)) for cls in (OneVsRestClassifier, peers.OneVsRestClassifier))
    assert model.multilabel_
    assert model.classes_.tolist() == [0, 1, 2, 3]
    said, wanted = model.predict(X), peer.predict(X)
    assert sp.issparse(said) == sp.issparse(wanted) == (container is sp.csr_matrix)
    np.testing.assert_array_equal(sp.csr_matrix(said).toarray(), sp.csr_matrix(wanted).toarray())
    assert model.score(X, Y) == peer.score(X, Y)
    if hasattr(peer, "predict_proba"):
        np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), rtol=1e-12)


@pytest.mark.covers("multiclass.one-vs-rest")
def test_a_label_of_all_or_of_no_rows():
    X, Y = make_multilabel_classification(40, 12, n_classes=3, random_state=0)
    Y[:, 0], Y[:, 2] = 1, 0
    with pytest.warns(UserWarning, match="in (all|no) training examples"):
        model = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X)[:, [0, 2]], Y[:, [0, 2]])
    assert model.predict_proba(X)[:, 0].tolist() == [1.0] * 40
    with pytest.raises(ValueError, match="40 rows and y 39"):
        OneVsRestClassifier(LogisticRegression()).fit(X, Y[1:])


@pytest.mark.covers("multiclass.one-vs-rest", "multiclass.one-vs-one")
@pytest.mark.parametrize("scheme", ["OneVsRestClassifier", "OneVsOneClassifier"])
def test_rows_in_parts(scheme):
    ours = {"OneVsRestClassifier": OneVsRestClassifier, "OneVsOneClassifier": OneVsOneClassifier}[scheme]
    X, y = load_iris(return_X_y=True)
    model, peer = (cls(MultinomialNB()) for cls in (ours, getattr(peers, scheme)))
    with pytest.raises(ValueError, match="first call"):
        model.partial_fit(X[:50], y[:50])
    for part in (slice(0, 150, 3), slice(1, 150, 3), slice(2, 150, 3)):
        for one in (model, peer):
            one.partial_fit(X[part], y[part], classes=[0, 1, 2])
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    before = [one.feature_count_.copy() for one in model.estimators_]
    with pytest.raises(ValueError, match="must be subset"):
        model.partial_fit(X, np.full(150, 7))
    for one, counts in zip(model.estimators_, before, strict=True):
        np.testing.assert_array_equal(one.feature_count_, counts)
    assert hasattr(ours(SGDClassifier()), "partial_fit")
    assert not hasattr(ours(LogisticRegression()), "partial_fit")


@pytest.mark.covers("multiclass.one-vs-one")
@pytest.mark.parametrize("scheme", [OneVsRestClassifier, OneVsOneClassifier])
def test_a_precomputed_kernel(scheme):
    X, y = load_iris(return_X_y=True)
    K = X @ X.T
    plain, precomputed = scheme(SVC(kernel="linear")), scheme(SVC(kernel="precomputed"))
    np.testing.assert_array_equal(precomputed.fit(K, y).predict(K), plain.fit(X, y).predict(X))
    np.testing.assert_allclose(cross_val_score(precomputed, K, y), cross_val_score(plain, X, y))
    if scheme is OneVsOneClassifier:
        assert [len(rows) for rows in precomputed.pairwise_indices_] == [100] * 3
        assert plain.pairwise_indices_ is None


@pytest.mark.covers("multiclass.one-vs-rest", "multiclass.one-vs-one")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_regressors_as_learners(n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    model, peer = (cls(LinearRegression()).fit(X, y) for cls in (OneVsRestClassifier, peers.OneVsRestClassifier))
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    assert OneVsOneClassifier(LinearRegression()).fit(X, y).score(X, y) > 0.95
