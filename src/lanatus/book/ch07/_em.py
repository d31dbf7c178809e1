"""Chapter 7.6 and cookbook 4.2, 4.4: EM with E and M steps of one's own."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.data import load_watermelon
from lanatus.density import EM, em_lower_bound

STATES = ("凹陷", "稍凹", "平坦")  # of 脐部, which is hidden
CHILDREN = ("色泽", "根蒂", "敲声", "纹理", "触感")

Tables = dict[str, np.ndarray]  # P(hidden | 好瓜) under "hidden", P(child | hidden) under each child's name


class HiddenNavel:
    """好瓜 -> 脐部 -> the other attributes, with 脐部 never seen (exercise 7.10)."""

    def __init__(self) -> None:
        bunch = load_watermelon("2.0")
        self.truth = np.array([STATES.index(value) for value in bunch.data["脐部"]])
        self.good = (np.asarray(bunch.target) == "否").astype(int)  # 0: 是, 1: 否
        self.codes = {name: np.unique(np.asarray(bunch.data[name]), return_inverse=True)[1] for name in CHILDREN}
        self.prior = np.bincount(self.good) / len(self.good)

    def start(self) -> Tables:
        """Tables of the complete data, with one added to every count."""
        return self._tables(np.eye(len(STATES))[self.truth], 1.0)

    def joint(self, theta: Tables) -> np.ndarray:
        """P(x_i, state) of each melon and state."""
        out = self.prior[self.good][:, None] * theta["hidden"][self.good]
        for name in CHILDREN:
            out = out * theta[name][:, self.codes[name]].T
        return out

    def e_step(self, _: Any, theta: Tables) -> np.ndarray:
        """Probability of each state given the melon."""
        joint = self.joint(theta)
        return joint / joint.sum(axis=1, keepdims=True)

    def m_step(self, _: Any, shares: np.ndarray, theta: Tables) -> Tables:
        """Relative frequencies of the expected counts."""
        return self._tables(shares, 0.0)

    def log_likelihood(self, _: Any, theta: Tables) -> float:
        """That of what is seen."""
        return float(np.log(self.joint(theta).sum(axis=1)).sum())

    def _tables(self, shares: np.ndarray, added: float) -> Tables:
        hidden = np.stack([shares[self.good == label].sum(axis=0) for label in (0, 1)]) + added
        tables = {"hidden": hidden / hidden.sum(axis=1, keepdims=True)}
        for name, codes in self.codes.items():
            counts = shares.T @ np.eye(codes.max() + 1)[codes] + added
            tables[name] = counts / counts.sum(axis=1, keepdims=True)
        return tables


@example("7.6", en="Exercise 7.10: EM with 脐部 hidden", zh="习题7.10: 脐部为隐变量时的EM")
def hidden_navel() -> Iterator[Figure]:
    """Likelihoods of the observed attributes round by round, and what EM makes of the hidden one."""
    model = HiddenNavel()
    run = EM(model.e_step, model.m_step, model.log_likelihood, tol=1e-12).run(None, model.start())
    yield Figure(
        "log-likelihood at the start and after 1 to 5 rounds",
        None,
        run.trace[:6],
        digits=6,
        right=(-82.724316, -75.113964, -73.113257, -72.429703, -72.135474, -72.031153),
    )
    yield Figure("log-likelihood after 10 rounds", None, run.trace[10], digits=6, right=-71.920279)
    yield Figure("log-likelihood in the limit", None, run.log_likelihood, digits=9, right=-71.916868604)
    yield Figure("P(凹陷, 稍凹, 平坦 | 是)", None, run.theta["hidden"][0], digits=6, right=(0.625, 0.375, 0.0))
    yield Figure("P(凹陷, 稍凹, 平坦 | 否)", None, run.theta["hidden"][1], digits=6, right=(1 / 9, 4 / 9, 4 / 9))
    found = model.e_step(None, run.theta).argmax(axis=1)
    other = [f"{i + 1}:{STATES[found[i]]}" for i in np.flatnonzero(found != model.truth)]
    yield Figure("melons given another state than the true one", None, " ".join(other), right="13:稍凹 14:稍凹 17:凹陷")


@example("CB 4.2", en="The bound that EM raises", zh="EM下界函数的单调上升")
def rising_bound() -> Iterator[Figure]:
    """F(q, theta) touches the log-likelihood after every E step, and no step lowers it."""
    model = HiddenNavel()
    theta, bounds, gaps = model.start(), [], []

    def log_joint(at: Tables) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(model.joint(at))

    q = np.full((len(model.good), len(STATES)), 1 / len(STATES))
    bounds.append(em_lower_bound(q, theta, log_joint).bound)
    for _ in range(6):
        q = model.e_step(None, theta)
        touching = em_lower_bound(q, theta, log_joint)
        theta = model.m_step(None, q, theta)
        bounds += [touching.bound, em_lower_bound(q, theta, log_joint).bound]
        gaps.append(touching.gap)
    yield Figure("largest gap to the log-likelihood after an E step", None, max(map(abs, gaps)), digits=10, right=0.0)
    yield Figure("steps that lowered the bound", None, int((np.diff(bounds) < -1e-10).sum()), digits=0, right=0)
    yield Figure(
        "bound after E steps 1 to 6 = log-likelihood of exercise 7.10",
        None,
        bounds[1::2],
        digits=6,
        right=(-82.724316, -75.113964, -73.113257, -72.429703, -72.135474, -72.031153),
    )


@example("CB 4.4", en="Generalised EM: a step that only goes up", zh="广义EM: 只需上升的M步")
def generalised_em() -> Iterator[Figure]:
    """An M step that goes half the way to the maximum still ends where EM does, in more rounds."""
    model = HiddenNavel()

    def half_way(X: Any, q: np.ndarray, theta: Tables) -> Tables:
        best = model.m_step(X, q, theta)
        return {name: 0.5 * (table + best[name]) for name, table in theta.items()}

    whole = EM(model.e_step, model.m_step, model.log_likelihood, tol=1e-11).run(None, model.start())
    part = EM(model.e_step, half_way, model.log_likelihood, tol=1e-11).run(None, model.start())
    yield Figure("log-likelihood in the limit", None, part.log_likelihood, digits=6, right=-71.916868604)
    yield Figure("rounds that lowered it", None, int((np.diff(part.trace) < -1e-10).sum()), digits=0, right=0)
    yield Figure("takes more rounds than EM", None, str(part.n_iter > whole.n_iter), right="True")
