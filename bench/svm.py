"""Support vector machines with the Gaussian kernel: learning, and asking 100 000 rows."""

from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case
from bench.tables import real_table


def classes(n: int, d: int, flip: float) -> dict[str, Any]:
    """Two classes of n rows to learn and as many as a quarter to be asked, some labels wrong."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n + n // 4, d, n_informative=d // 2, flip_y=flip, random_state=0)
    return {"X": X[:n], "y": y[:n], "Q": X[n:], "truth": y[n:]}


def numbers(n: int, d: int) -> dict[str, Any]:
    """A smooth function of five columns, with noise."""
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(n + n // 4, d, noise=1.0, random_state=0)
    return {"X": X[:n], "y": (y[:n] - y.mean()) / y.std(), "Q": X[n:], "truth": (y[n:] - y.mean()) / y.std()}


def _fit(package: str, name: str, case: dict[str, Any]) -> Any:
    import importlib

    return getattr(importlib.import_module(package), name)().fit(case["X"], case["y"])


def minus_dual(case: dict[str, Any], model: Any) -> float:
    """The value of the dual, which all maximise."""
    from sklearn.metrics.pairwise import rbf_kernel

    X, y, beta = case["X"], case["y"], np.ravel(model.dual_coef_)
    gamma, kept = 1 / (X.shape[1] * X.var()), X[model.support_]
    if hasattr(model, "classes_"):
        linear = np.abs(beta).sum()
    else:
        linear = beta @ y[model.support_] - model.epsilon * np.abs(beta).sum()
    blocks = np.array_split(np.arange(len(kept)), max(len(kept) // 1000, 1))
    return float(linear - 0.5 * sum(beta[b] @ (rbf_kernel(kept[b], kept, gamma=gamma) @ beta) for b in blocks))


def _learning(name: str, made: Any, model: str, floor: float) -> Case:
    return Case(
        suite="svm",
        name=name,
        make=made,
        ours=partial(_fit, "lanatus.kernel", model),
        peers={
            "scikit-learn-intelex": partial(_fit, "sklearnex.svm", model),
            "scikit-learn": partial(_fit, "sklearn.svm", model),
        },
        quality=minus_dual,
        quality_name="dual",
        floor=floor,
        tolerance=1e-5,
        rounds=3,
    )


def letters() -> dict[str, Any]:
    """Letters of 26 kinds, 15 000 to learn, in units of their spread."""
    X, y = real_table("letter", "lettr")
    return {"X": X[:15_000], "y": y[:15_000], "Q": X[15_000:], "truth": y[15_000:]}


def accuracy(case: dict[str, Any], model: Any) -> float:
    """Share of unseen rows whose class is found."""
    return float(np.mean(model.predict(case["Q"]) == case["truth"]))


PRICES = np.logspace(-1, 2, 10)


def _path(case: dict[str, Any]) -> list[Any]:
    from lanatus.kernel import SVCPath

    return list(SVCPath(Cs=PRICES, cv=None).fit(case["X"], case["y"]).machines_)


def _one_by_one(package: str, case: dict[str, Any]) -> list[Any]:
    import importlib

    machine = importlib.import_module(package).SVC
    return [machine(C=C).fit(case["X"], case["y"]) for C in PRICES]


def minus_duals(case: dict[str, Any], models: list[Any]) -> float:
    """Values of the duals, summed."""
    return sum(minus_dual(case, model) for model in models)


def asked(n: int, rows: int) -> dict[str, Any]:
    """Machines that were learned beforehand, and rows to ask them."""
    case = classes(n, 20, 0.2)
    models = {package: _fit(package, "SVC", case) for package in ("lanatus.kernel", "sklearn.svm")}
    with suppress(ImportError):
        models["sklearnex.svm"] = _fit("sklearnex.svm", "SVC", case)
    rng = np.random.default_rng(0)
    Q = case["Q"][rng.integers(len(case["Q"]), size=rows)] + 0.1 * rng.normal(size=(rows, 20))
    return {"models": models, "Q": Q, "answer": models["sklearn.svm"].predict(Q)}


def _ask(package: str, case: dict[str, Any]) -> Any:
    if package not in case["models"]:
        raise ImportError(package)
    return case["models"][package].predict(case["Q"])


def agreement(case: dict[str, Any], labels: Any) -> float:
    """Share of the rows with LIBSVM's answer."""
    return float(np.mean(labels == case["answer"]))


def linear_classes(n: int, d: int) -> dict[str, Any]:
    """Two classes of n rows; X has a column of ones more for those that do not penalise a constant."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n, d, n_informative=d // 2, flip_y=0.1, random_state=0)
    return _with_ones({"X": X, "y": y})


def documents() -> dict[str, Any]:
    """Documents as in the cases of logistic regression."""
    from bench.logistic import text

    return _with_ones(text(50_000, 50_000, 60))


def table_of_two(name: str, target: str | None, first: int) -> dict[str, Any]:
    """A real table in units of its spread, its labels in two halves: those of the first classes, and the others."""
    X, y = real_table(name, target)
    return _with_ones({"X": np.ascontiguousarray(X), "y": (np.unique(y, return_inverse=True)[1] < first).astype(int)})


def _with_ones(case: dict[str, Any]) -> dict[str, Any]:
    import scipy.sparse as sp

    ones = np.ones((case["X"].shape[0], 1))
    wide = sp.hstack([case["X"], ones], format="csr") if sp.issparse(case["X"]) else np.hstack([case["X"], ones])
    return {**case, "wide": wide}


def _linear(package: str, how: dict[str, Any], case: dict[str, Any]) -> Any:
    import importlib

    model = importlib.import_module(package).LinearSVC(**how).fit(case["X"], case["y"])
    return np.append(model.coef_[0], model.intercept_)


def _cyanure(tol: float, case: dict[str, Any]) -> Any:
    from cyanure.estimators import Classifier

    model = Classifier(
        loss="sqhinge", penalty="l2", lambda_1=1 / len(case["y"]), fit_intercept=False, tol=tol, max_iter=500,
        verbose=False,
    )  # fmt: skip
    return np.ravel(model.fit(case["wide"], case["y"]).coef_)


def _snapml(loss: str, case: dict[str, Any]) -> Any:
    from snapml import SupportVectorMachine

    model = SupportVectorMachine(loss=loss, fit_intercept=False, n_jobs=2, tol=1e-5, max_iter=1000)
    return np.ravel(model.fit(case["wide"], case["y"]).coef_)


def _liblinear(kind: int, case: dict[str, Any]) -> Any:
    from liblinear.liblinearutil import train

    model = train(case["y"], case["wide"], f"-s {kind} -e 0.001 -q")
    sign = 1.0 if model.get_labels()[0] == 1 else -1.0
    return sign * np.array(model.get_decfun()[0])


def minus_hinges(power: int, case: dict[str, Any], w: Any) -> float:
    """Minus the objective: squares, a constant's too, and the hinges or their squares."""
    gap = np.maximum(0, 1 - np.where(case["y"] == 1, 1, -1) * (case["wide"] @ w))
    return -float(0.5 * (w @ w) + (gap**power).sum())


def _linear_case(name: str, made: Any, loss: str, floor: float) -> Case:
    squared = loss == "squared_hinge"
    primal: dict[str, Any] = {"dual": False} if squared else {}
    peers = {
        "scikit-learn": partial(_linear, "sklearn.svm", {"loss": loss, **primal}),
    }
    if made is documents:  # on 100k dense rows snapml was not done after 25 s, and scikit-learn's dual took 77 s
        peers["LIBLINEAR, dual"] = partial(_liblinear, 1 if squared else 3)
        peers["snapml"] = partial(_snapml, loss)
    if squared:
        peers |= {"cyanure": partial(_cyanure, 1e-3), "LIBLINEAR, primal": partial(_liblinear, 2)}
    return Case(
        suite="svm",
        name=name,
        make=made,
        ours=partial(_linear, "lanatus.kernel", {"loss": loss}),
        peers=peers,
        quality=partial(minus_hinges, 2 if squared else 1),
        quality_name="minus objective",
        floor=floor,
        tolerance=1e-4,
        rounds=3,
    )


CASES = [
    _learning("SVC, 10k x 30", partial(classes, 10_000, 30, 0.2), "SVC", 1.2),
    _learning("SVC, 20k x 20, noisy", partial(classes, 20_000, 20, 0.4), "SVC", 1.2),
    _learning("SVR, 10k x 20", partial(numbers, 10_000, 20), "SVR", 1.2),
    Case(
        suite="svm",
        name="SVC, 26 letters, 15k x 16",
        make=letters,
        ours=partial(_fit, "lanatus.kernel", "SVC"),
        peers={
            "scikit-learn-intelex": partial(_fit, "sklearnex.svm", "SVC"),
            "scikit-learn": partial(_fit, "sklearn.svm", "SVC"),
        },
        quality=accuracy,
        quality_name="accuracy",
        floor=2.5,
        tolerance=1e-3,
        rounds=3,
    ),
    Case(
        suite="svm",
        name="SVCPath, ten prices, 4k x 20",
        make=partial(classes, 4_000, 20, 0.2),
        ours=_path,
        peers={
            "scikit-learn-intelex": partial(_one_by_one, "sklearnex.svm"),
            "scikit-learn": partial(_one_by_one, "sklearn.svm"),
        },
        quality=minus_duals,
        quality_name="duals",
        floor=3.0,
        tolerance=1e-4,
        rounds=3,
    ),
    Case(
        suite="svm",
        name="SVC, predict of 100k x 20",
        make=partial(asked, 6_000, 100_000),
        ours=partial(_ask, "lanatus.kernel"),
        peers={
            "scikit-learn-intelex": partial(_ask, "sklearnex.svm"),
            "scikit-learn": partial(_ask, "sklearn.svm"),
        },
        quality=agreement,
        quality_name="agreement with LIBSVM",
        floor=1.2,
        rounds=3,
    ),
    _linear_case("LinearSVC, 100k x 50", partial(linear_classes, 100_000, 50), "squared_hinge", 2.0),
    _linear_case("LinearSVC, 50k x 50k sparse", documents, "squared_hinge", 1.0),
    _linear_case("LinearSVC, 50k x 50k sparse, hinge", documents, "hinge", 1.0),
    _linear_case("LinearSVC, letters by halves", partial(table_of_two, "letter", "lettr", 13), "squared_hinge", 1.0),
    _linear_case("LinearSVC, digits by halves", partial(table_of_two, "digits", None, 5), "squared_hinge", 1.0),
    _linear_case("LinearSVC, credit_g", partial(table_of_two, "credit_g", None, 1), "squared_hinge", 1.0),
]
