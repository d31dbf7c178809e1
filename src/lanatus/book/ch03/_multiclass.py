"""Section 3.5: multi-class learning."""

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold

from lanatus.bayes import GaussianNB
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_ecoc_codes
from lanatus.multiclass import (
    OneVsRestClassifier,
    OutputCodeClassifier,
    code_bit_diagnostics,
    code_distances,
    code_quality,
    decode,
    optimal_code,
)


@example("3.5", en="Numbers of learners (figure 3.4)", zh="拆解出的学习器数目 (图3.4)")
def numbers_of_learners() -> Iterator[Figure]:
    """Four classes: six learners one-vs-one, four one-vs-rest."""
    from lanatus.multiclass import one_vs_one_code, one_vs_rest_code

    yield Figure("one-vs-one, 4 classes", 6, one_vs_one_code(4).shape[1], digits=0)
    yield Figure("one-vs-rest, 4 classes", 4, one_vs_rest_code(4).shape[1], digits=0)


@example("3.5", en="Output codes (figure 3.5)", zh="纠错输出码 (图3.5)")
def output_codes() -> Iterator[Figure]:
    """Distances of the test codes to the rows of the two coding matrices, and the classes found."""
    distances = {
        "binary": ((3, 4, 1, 2), (np.sqrt(12), 4, 2, np.sqrt(8)), 3),
        "ternary": ((4, 2, 5, 3), (4, 2, np.sqrt(20), np.sqrt(10)), 2),
    }
    for kind, (hamming, euclidean, answer) in distances.items():
        bunch = load_ecoc_codes(kind)
        book, test = np.asarray(bunch.data, dtype=int), np.asarray(bunch.test_code, dtype=int)[None]
        yield Figure(f"{kind}: Hamming distances", None, code_distances(test, book)[0], digits=9, right=hamming)
        found = code_distances(test, book, distance="euclidean")[0]
        yield Figure(f"{kind}: Euclidean distances", None, found, digits=9, right=euclidean)
        yield Figure(f"{kind}: class", answer, int(decode(test, book)[0]) + 1, digits=0)


@example("3.5", en="Optimal code of length 9 (exercise 3.7)", zh="码长为9的最优编码 (习题3.7)")
def optimal_code_of_length_nine() -> Iterator[Figure]:
    """Four classes: the two nearest rows are six apart; three splits in two halves, three times each."""
    code = optimal_code(4, 9)
    yield Figure("least distance of rows", None, code_quality(code).row_distance, digits=0, right=6)
    best = [code_quality(optimal_code(4, length)).row_distance for length in range(2, 10)]
    yield Figure("least distances for lengths 2 to 9", None, best, digits=0, right=(1, 2, 2, 3, 4, 4, 5, 6))


@example("3.5", en="Ideal conditions of output codes (exercise 3.8)", zh="ECOC理想纠错的条件 (习题3.8)")
def ideal_conditions() -> Iterator[Figure]:
    """Codes correct as theory says if all learners err alike and independently; on the digits neither holds.

    An exhaustive code of the first five digits with naive Bayes: errors of the 15 learners on rows that they have not
    seen.
    """
    X, y = load_digits(n_class=5, return_X_y=True)
    model = OutputCodeClassifier(GaussianNB(var_smoothing=1e-3), code="exhaustive").fit(X[::2], y[::2])
    found = code_bit_diagnostics(model, X[1::2], y[1::2])
    yield Figure("learners", None, len(found.error), digits=0, right=15)
    yield Figure("do all err alike?", None, "yes" if found.spread < 0.02 else "no", right="no")
    yield Figure("independently?", None, "yes" if abs(found.mean_correlation) < 0.02 else "no", right="no")


@method(
    "multiclass.ovr-imbalance-cancels",
    section="ex 3.9",
    task="classification",
    kind="experiment",
    en="Why one-vs-rest needs no treatment of imbalance",
    zh="OvR/MvM无需处理类别不平衡",
)
@example("3.5", en="One-vs-rest and imbalance (exercise 3.9)", zh="一对其余与类别不平衡 (习题3.9)")
def ex_3_9(random_state: int = 0) -> Iterator[Figure]:
    """One-vs-rest of ten classes is one against nine in every problem, so all confidences are shifted alike.

    Rescaling each two-class problem by its imbalance changes accuracy by little (digits, naive Bayes, 5 folds).

    Book: exercise 3.9.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the folds.

    Yields
    ------
    Figure
        Accuracy without and with rescaling.

    Examples
    --------
    >>> from lanatus.book import ex_3_9
    >>> all(figure.agrees for figure in ex_3_9())
    True
    """
    X, y = load_digits(return_X_y=True)
    hits = np.zeros((2, len(y)), dtype=bool)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=random_state).split(X, y):
        model = OneVsRestClassifier(GaussianNB(var_smoothing=1e-3)).fit(X[train], y[train])
        logs = [learner.predict_log_proba(X[test]) for learner in model.estimators_]
        log_odds = np.column_stack([log[:, 1] - log[:, 0] for log in logs])
        share = np.bincount(y[train]) / len(train)
        rescaled = log_odds + np.log((1 - share) / share)  # (3.48)
        for way, sure in enumerate((log_odds, rescaled)):
            hits[way, test] = sure.argmax(axis=1) == y[test]
    plain, moved = hits.mean(axis=1)
    yield Figure("accuracy with rescaling, less without", None, moved - plain, digits=2, right=0.0)
    changed = float((hits[0] != hits[1]).mean())
    yield Figure("share of rows whose answer turned right or wrong", None, changed, digits=2, right=0.0)
