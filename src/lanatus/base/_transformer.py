"""The base of estimators that make new columns."""

from typing import Any

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from lanatus.base._estimator import Estimator


class Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Base of what turns rows into others: new columns are named after the class, ``pca0`` and so on."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
