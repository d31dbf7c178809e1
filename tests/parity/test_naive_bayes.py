"""Naive Bayes and quadratic discriminants: the same answers as scikit-learn, on real data."""

import numpy as np
import pandas as pd
import pytest
from sklearn import discriminant_analysis, naive_bayes
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from lanatus.bayes import (
    BayesianClassifier,
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
)


def words(folder, name, target):
    """A table of nominal attributes, its codes as scikit-learn wants them, and the labels."""
    table = pd.read_parquet(folder / f"{name}.parquet").dropna(axis=1)
    X = table.drop(columns=target)
    X = X[[name for name in X.columns if X[name].dtype == "category"]]
    codes = X.apply(lambda column: column.cat.codes).to_numpy(dtype=np.int64)
    return X, codes, table[target].astype(str).to_numpy()


@pytest.mark.covers("bayes.naive-bayes", "bayes.laplacian-correction")
@pytest.mark.parametrize(
    ("name", "target"),
    [("car", "class"), ("mushroom", "class"), ("nursery", "class"), ("kr_vs_kp", "class"), ("credit_g", "class")],
)
@pytest.mark.parametrize("alpha", [0.01, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_categorical_nb(shared_data, name, target, alpha, weighted):
    X, codes, y = words(shared_data, name, target)
    weight = np.random.RandomState(0).rand(len(y)) if weighted else None
    n_values = [len(X[column].cat.categories) for column in X]
    theirs = naive_bayes.CategoricalNB(alpha=alpha, min_categories=n_values).fit(codes, y, sample_weight=weight)
    for ours, rows in (
        (CategoricalNB(alpha=alpha).fit(X, y, sample_weight=weight), X),
        (CategoricalNB(alpha=alpha, min_categories=n_values).fit(codes, y, sample_weight=weight), codes),
    ):
        for mine, other in zip(ours.feature_log_prob_, theirs.feature_log_prob_, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(
            ours.predict_joint_log_proba(rows), theirs.predict_joint_log_proba(codes), rtol=1e-10
        )
        np.testing.assert_array_equal(ours.predict(rows), theirs.predict(codes))
    if not weighted:
        both = NaiveBayes(alpha=alpha, priors=np.exp(theirs.class_log_prior_)).fit(X, y)
        np.testing.assert_allclose(both.predict_proba(X), theirs.predict_proba(codes), rtol=1e-8, atol=1e-12)


@pytest.fixture(scope="module")
def messages(shared_data):
    table = pd.read_parquet(shared_data / "text_sms_spam.parquet")
    return table["text"].astype(str).tolist(), table["label"].astype(str).to_numpy()


@pytest.mark.covers("bayes.text-naive-bayes-multinomial", "bayes.text-naive-bayes-bernoulli")
@pytest.mark.parametrize("kind", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
@pytest.mark.parametrize("vectorizer", [CountVectorizer, TfidfVectorizer])
@pytest.mark.parametrize("weighted", [False, True])
def test_text(messages, kind, vectorizer, weighted):
    texts, y = messages
    X = vectorizer(min_df=2).fit_transform(texts)
    weight = np.random.RandomState(0).rand(len(y)) if weighted else None
    ours = {"MultinomialNB": MultinomialNB, "ComplementNB": ComplementNB, "BernoulliNB": BernoulliNB}[kind]()
    ours.fit(X, y, sample_weight=weight)
    theirs = getattr(naive_bayes, kind)().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.feature_count_, theirs.feature_count_, rtol=1e-10)
    np.testing.assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_complement_weights_normalised(messages):
    texts, y = messages
    X = CountVectorizer(min_df=5).fit_transform(texts)
    ours, theirs = ComplementNB(norm=True).fit(X, y), naive_bayes.ComplementNB(norm=True).fit(X, y)
    np.testing.assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-9)


@pytest.mark.covers("bayes.naive-bayes")
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
def test_numbers_alone_are_gaussian_naive_bayes(load):
    X, y = load(return_X_y=True)
    if load is load_digits:
        X = X[:, X.std(axis=0) > 1]
    theirs = naive_bayes.GaussianNB(var_smoothing=0)
    # A column without spread in one class has to be smoothed in both; leave such out.
    X = X[:, [all(X[y == c, j].std() > 0 for c in np.unique(y)) for j in range(X.shape[1])]]
    theirs.fit(X, y)
    ours = NaiveBayes(ddof=0, var_smoothing=0, priors=theirs.class_prior_).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-7, atol=1e-8)
    np.testing.assert_array_equal(GaussianNB(var_smoothing=0).fit(X, y).predict(X), ours.predict(X))


@pytest.mark.covers("bayes.gaussian-discriminant")
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("reg_param", [0.0, 0.1])
def test_quadratic_discriminants(load, reg_param):
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = QuadraticDiscriminantAnalysis(reg_param=reg_param).fit(X, y)
    theirs = discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=reg_param, tol=0).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.covers("bayes.naive-bayes")
@pytest.mark.parametrize(("name", "target"), [("adult", "income"), ("credit_g", "class"), ("heart_c", "num")])
def test_mixed_tables_with_holes_are_learned(shared_data, name, target):
    table = pd.read_parquet(shared_data / f"{name}.parquet")
    X, y = table.drop(columns=target), table[target].astype(str).to_numpy()
    odd = np.arange(len(y)) % 2 == 1
    majority = max((y[~odd] == label).mean() for label in np.unique(y))
    for model in (NaiveBayes(), BayesianClassifier()):
        assert (model.fit(X[odd], y[odd]).predict(X[~odd]) == y[~odd]).mean() > majority + 0.03


def test_kernel_densities_help_where_numbers_are_not_normal(shared_data):
    table = pd.read_parquet(shared_data / "vehicle.parquet")
    X, y = table.drop(columns="Class").astype(float), table["Class"].astype(str).to_numpy()
    odd = np.arange(len(y)) % 2 == 1
    found = [
        (NaiveBayes(density=density, bandwidth="silverman").fit(X[odd], y[odd]).predict(X[~odd]) == y[~odd]).mean()
        for density in ("gaussian", "kernel")
    ]
    assert found[1] > found[0] + 0.05
