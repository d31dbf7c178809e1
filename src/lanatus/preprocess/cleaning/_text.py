"""Free text as a few numbers: tf-idf of its words or letters, then the directions in which these vary most."""

from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline
from sklearn.utils.sparsefuncs import mean_variance_axis

_MOST_TEXTS = 20_000  # to learn from; all are used
_MOST_TERMS = 20_000
_ROWS_A_COMPONENT = 5
_MANY_TEXTS = 50


def learn_text(column: Any, *, chinese: bool, components: int, random_state: Any) -> Pipeline | None:
    """A fitted pipeline from texts to numbers; None where the texts have no two terms to tell them apart."""
    codes, words = column.coded
    rows = codes[codes >= 0]
    if len(rows) > _MOST_TEXTS:
        rows = rows[np.linspace(0, len(rows) - 1, _MOST_TEXTS).astype(np.int64)]
    texts = words.take(pa.array(rows)).to_pylist()
    for least in (2, 1) if len(texts) >= _MANY_TEXTS else (1,):  # a term of one text alone is seldom of use
        common: dict[str, Any] = {"min_df": least, "max_features": _MOST_TERMS, "sublinear_tf": True}
        if chinese:  # which has no blanks between words
            terms = TfidfVectorizer(analyzer="char", ngram_range=(1, 2), **common)
        else:
            terms = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", **common)
        try:
            weights = terms.fit_transform(texts)
        except ValueError:  # no term at all
            continue
        most = min(components, weights.shape[1] - 1, len(texts) // _ROWS_A_COMPONENT)
        if most >= 1 and mean_variance_axis(weights, axis=0)[1].any():
            directions = TruncatedSVD(most, random_state=random_state).fit(weights)
            return Pipeline([("terms", terms), ("directions", directions)])
    return None


def apply_text(column: Any, pipeline: Pipeline) -> np.ndarray:
    """The numbers of each row's text, NaN where there is none."""
    codes, words = column.coded
    width = pipeline.named_steps["directions"].n_components
    made = pipeline.transform(words.to_pylist()) if len(words) else np.empty((0, width))
    return np.vstack([made, np.full((1, width), np.nan)])[codes]
