"""Tables, targets and weights that are odd, extreme or impossible, given to every estimator."""

import os
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.asking import Verdict, asked, judged
from fuzz.subjects import SUBJECTS, learned, rows_for

NAMES = tuple(SUBJECTS)
Odd = Callable[[np.ndarray, np.ndarray, np.random.Generator], tuple[Any, Any, Any]]  # X, y, weights


def _with(value: float, *, column: bool = False) -> Odd:
    def odd(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[Any, Any, Any]:
        X = X.copy()
        place = rng.integers(X.shape[1])
        if column:
            X[:, place] = np.where(np.arange(len(X)) % 2, value, -value)
        else:
            X[rng.integers(len(X), size=rng.integers(1, 4)), place] = value
        return X, y, None

    return odd


def _weights(make: Callable[[int], np.ndarray]) -> Odd:
    return lambda X, y, rng: (X, y, make(len(X)))


def _misaligned(X: np.ndarray) -> np.ndarray:
    return np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(X.dtype).reshape(X.shape)


def _read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.setflags(write=False)
    return X


def _object(X: np.ndarray, value: Any) -> np.ndarray:
    X = X.astype(object)
    X[0, 0] = value
    return X


def _one_heavy(n: int, weight: float, rest: float) -> np.ndarray:
    weights = np.full(n, rest)
    weights[0] = weight
    return weights


_SOME = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e154, 9e99, 5e-324, 1e-310, 1e20)
_COLUMNS = (1.79e308, 1e155, 9e99, 5e-324, 1e-310, 1e-160, 1e16, 0.0)
ODD: dict[str, Odd] = {
    **{f"some {value:g}": _with(value) for value in _SOME},
    **{f"column of +-{value:g}": _with(value, column=True) for value in _COLUMNS},
    "all tiny": lambda X, y, rng: (X * 1e-310, y, None),
    "all 1e-160": lambda X, y, rng: (X * 1e-160, y, None),
    "all 1e98": lambda X, y, rng: (X * 1e98, y, None),
    "all huge": lambda X, y, rng: (X * 1e300, y, None),
    "far from zero": lambda X, y, rng: (X + 1e15, y, None),
    "weights 1e308": _weights(lambda n: np.full(n, 1e308)),
    "weights sum to infinity": _weights(lambda n: _one_heavy(n, 1.7e308, 1e307)),
    "weights 1e-290": _weights(lambda n: np.full(n, 1e-290)),
    "weights 1e-280": _weights(lambda n: np.full(n, 1e-280)),
    "weights 9e276": _weights(lambda n: np.full(n, 9e276)),
    "weights denormal": _weights(lambda n: np.full(n, 5e-324)),
    "one heavy row": _weights(lambda n: _one_heavy(n, 1e300, 1.0)),
    "one row with weight": _weights(lambda n: _one_heavy(n, 1.0, 0.0)),
    "weights zero": _weights(np.zeros),
    "weights negative": _weights(lambda n: _one_heavy(n, -1.0, 1.0)),
    "weights nan": _weights(lambda n: _one_heavy(n, np.nan, 1.0)),
    "weights infinite": _weights(lambda n: _one_heavy(n, np.inf, 1.0)),
    "weights short": _weights(lambda n: np.ones(n - 1)),
    "weights 2-d": _weights(lambda n: np.ones((n, 1))),
    "weights words": _weights(lambda n: np.full(n, "heavy")),
    "no rows": lambda X, y, rng: (X[:0], y[:0], None),
    "no columns": lambda X, y, rng: (X[:, :0], y, None),
    "one row": lambda X, y, rng: (X[:1], y[:1], None),
    "two rows": lambda X, y, rng: (X[:2], y[:2], None),
    "one class": lambda X, y, rng: (X, np.repeat(y[:1], len(y)), None),
    "0-d": lambda X, y, rng: (np.float64(1.0), y, None),
    "1-d": lambda X, y, rng: (X[:, 0], y, None),
    "3-d": lambda X, y, rng: (X[None], y, None),
    "y short": lambda X, y, rng: (X, y[:-1], None),
    "y long": lambda X, y, rng: (X, np.concatenate([y, y[:1]]), None),
    "y 2-d": lambda X, y, rng: (X, np.stack([y, y], axis=1), None),
    "y nan": lambda X, y, rng: (X, np.where(np.arange(len(y)) == 0, np.nan, np.arange(len(y)) % 3.0), None),
    "y huge": lambda X, y, rng: (X, np.where(np.arange(len(y)) % 2, 1.7e308, -1.7e308), None),
    "y 9e99": lambda X, y, rng: (X, np.where(np.arange(len(y)) % 2, 9e99, -9e99), None),
    "y tiny": lambda X, y, rng: (X, np.where(np.arange(len(y)) % 2, 1e-310, 3e-310), None),
    "y huge integer": lambda X, y, rng: (X, np.array([10**400, *range(len(y) - 1)], dtype=object), None),
    "y None": lambda X, y, rng: (X, None, None),
    "misaligned": lambda X, y, rng: (_misaligned(X), y, None),
    "read-only": lambda X, y, rng: (_read_only(X), y, _read_only(np.ones(len(X)))),
    "strided": lambda X, y, rng: (np.repeat(X, 2, axis=0)[::2][:, ::-1], y, None),
    "fortran": lambda X, y, rng: (np.asfortranarray(X), y, None),
    "big-endian": lambda X, y, rng: (X.astype(">f8"), y, None),
    "float16": lambda X, y, rng: (X.astype(np.float16), y, None),
    "longdouble": lambda X, y, rng: (X.astype(np.longdouble) * np.longdouble(10) ** 400, y, None),
    "complex": lambda X, y, rng: (X.astype(complex), y, None),
    "dates": lambda X, y, rng: (X.astype("i8").astype("M8[s]"), y, None),
    "words": lambda X, y, rng: (X.astype(str), y, None),
    "huge integer": lambda X, y, rng: (_object(X, 10**400), y, None),
    "a list in a cell": lambda X, y, rng: (_object(X, [1, 2]), y, None),
    "None in a cell": lambda X, y, rng: (_object(X, None), y, None),
    "ragged": lambda X, y, rng: ([[1.0, 2.0], [3.0]], y[:2], None),
    "masked": lambda X, y, rng: (np.ma.masked_greater(X, X.mean()), y, None),
    "a string": lambda X, y, rng: ("table.csv", y, None),
}
# NaN may come out where NaN or an infinity went in knowingly; everything else is to be refused or answered in numbers.
_NAN_MAY = {"some nan", "y nan", "None in a cell", "masked"}
# A value that was not there in fit has no rank, and a query without neighbours no mean, of which there is a warning.
_NAN_FOR_UNSEEN = {"OrdinalEncoder", "RadiusNeighborsRegressor"}
WAYS = tuple(ODD)


def _fitted_and_asked(name: str, way: str, rng: np.random.Generator) -> Verdict:
    X, y = rows_for(name)
    odd_X, odd_y, weights = ODD[way](X, y, rng)
    nan_is_wrong = way not in _NAN_MAY and name not in _NAN_FOR_UNSEEN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if rng.random() < 0.3 and odd_X is not X:
                verdict = asked(learned(name, X, y), odd_X, nan_is_wrong=nan_is_wrong)
                return Verdict(verdict.how, f"{way}, asked: {verdict.what}")
            model = learned(name, odd_X, odd_y, **({} if weights is None else {"sample_weight": weights}))
            for rows in (odd_X, X) if odd_X is not X else (X,):
                verdict = asked(model, rows, nan_is_wrong=nan_is_wrong)
                if verdict.how in ("nan", "unclear"):
                    break
            return Verdict(verdict.how, f"{way}, learned: {verdict.what}")
        except Exception as error:
            return judged(error, f"{way}: ")


def _in_threads(name: str, number: int) -> Verdict:
    verdicts: list[Verdict] = []
    threads = [
        threading.Thread(
            target=lambda: verdicts.append(_fitted_and_asked(name, "strided", np.random.default_rng(number)))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return next((verdict for verdict in verdicts if verdict.how in ("unclear", "nan")), verdicts[0])


def _after_fork(name: str, number: int) -> Verdict:
    """Fit here so that the pool of threads is awake, then again in a forked child."""
    first = _fitted_and_asked(name, "fortran", np.random.default_rng(number))
    child = os.fork()
    if child == 0:
        ok = False
        try:
            ok = _fitted_and_asked(name, "fortran", np.random.default_rng(number)).how == first.how
        finally:
            os._exit(0 if ok else 1)
    _, status = os.waitpid(child, 0)
    return first if status == 0 else Verdict("unclear", f"after fork: the child ended with {status}")


def case(name: str, number: int) -> Verdict:
    """Run one case: the ways in turn, then threads and a fork; estimators begin at different ones, so that few do."""
    rng = np.random.default_rng([number, *name.encode()])
    turn = (number + sum(name.encode())) % (len(WAYS) + 2)
    if turn < len(WAYS):
        return _fitted_and_asked(name, WAYS[turn], rng)
    return _in_threads(name, number) if turn == len(WAYS) else _after_fork(name, number)
