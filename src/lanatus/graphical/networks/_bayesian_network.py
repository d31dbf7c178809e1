"""Bayesian networks."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.graphical.factors._factor import Factor, require_affordable
from lanatus.graphical.graphs._directed import parents_of, topological_order
from lanatus.graphical.inference._answers import Answering
from lanatus.graphical.inference._junction_tree import code_frame
from lanatus.graphical.networks._coded import CodedFrame, coded_frame
from lanatus.graphical.networks._parameters import TablesByEM, counted_tables, expected_tables


@method(
    "graphical.bayesian-network",
    "graphical.bn-parameter-learning",
    "graphical.bn-em",
    section="7.5",
    task="inference",
    kind="model",
    en="Bayesian network",
    zh="贝叶斯网",
    peers=["pgmpy:DiscreteBayesianNetwork", "pyagrum:BayesNet"],
)
class BayesianNetwork(Answering):
    r"""A directed acyclic graph of discrete variables, each with a table of its probabilities given its parents.

    :math:`P(x_1, \dots, x_d) = \prod_i P(x_i \mid \pi_i)` (7.26). It is written by hand, read from a file, or learned:
    tables by counting (7.32), with a prior, or by EM where values or whole variables are hidden; the graph by
    `HillClimbSearch`, `ExactSearch`, `PCSearch` or `chow_liu_tree`.

    Book: section 7.5, figure 7.2; exercise 7.10. Cost: a table has an entry for each combination of the states of a
    variable and its parents.

    Parameters
    ----------
    edges : iterable of (str, str), or mapping of str to sequence of str
        Pairs (parent, child), or the parents of each variable.
    cpts : mapping of str to array or Factor, optional
        Probabilities of each variable: an array with an axis for each parent, in the order of ``parents``, and one for
        its own states, along which it sums to 1.
    states : mapping of str to sequence, optional
        The names of the states; 0, 1, ... by default, as many as the tables have.
    nodes : sequence of str, optional
        Variables in their order, those without an edge too.

    Attributes
    ----------
    variables : tuple of str, the variables
    parents : dict of str to tuple of str, those of each
    states : dict of str to tuple, those of each
    cpts : dict of str to ndarray, the tables
    edges : list of (str, str)

    Examples
    --------
    >>> from lanatus.graphical import BayesianNetwork
    >>> net = BayesianNetwork(
    ...     [("rain", "wet"), ("sprinkler", "wet")],
    ...     {
    ...         "rain": [0.8, 0.2],
    ...         "sprinkler": [0.6, 0.4],
    ...         "wet": [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]],
    ...     },
    ...     states=dict.fromkeys(["rain", "sprinkler", "wet"], ["no", "yes"]),
    ... )
    >>> round(net.infer("rain", {"wet": "yes"}).to_dict()["yes"], 4)
    0.3782

    References
    ----------
    Pearl (1988), Probabilistic reasoning in intelligent systems.
    """

    def __init__(
        self,
        edges: Iterable[tuple[str, str]] | Mapping[str, Sequence[str]] = (),
        cpts: Mapping[str, Any] | None = None,
        *,
        states: Mapping[str, Sequence[Hashable]] | None = None,
        nodes: Sequence[str] | None = None,
    ) -> None:
        found = parents_of(edges)
        names = list(nodes) if nodes is not None else [*dict.fromkeys([*(cpts or {}), *found])]
        if len(set(names)) != len(names) or not set(found) <= set(names):
            raise ValueError(f"nodes must name each variable once; got {names[:12]}, edges have {list(found)[:12]}.")
        self.variables: tuple[str, ...] = tuple(names)
        self.parents: dict[str, tuple[str, ...]] = {name: found.get(name, ()) for name in names}
        self.states: dict[str, tuple[Hashable, ...]] = {name: tuple(own) for name, own in (states or {}).items()}
        self.cpts: dict[str, np.ndarray] = {}
        if unknown := [name for name in self.states if name not in self.parents]:
            raise ValueError(f"states are given of {unknown[0]!r}, which is no variable.")
        if cpts is not None:
            self.set_tables(cpts)

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Pairs (parent, child)."""
        return [(parent, child) for child in self.variables for parent in self.parents[child]]

    # ---------------------------------------------------------------- tables

    def set_tables(self, cpts: Mapping[str, Any]) -> Self:
        """Give the probabilities of some variables, or of all.

        Parameters
        ----------
        cpts : mapping of str to array or Factor
            As in the constructor.
        """
        arrays: dict[str, np.ndarray] = {}
        for name, table in cpts.items():
            if name not in self.parents:
                raise ValueError(
                    f"there is a table of {name!r}, which is no variable; there are {list(self.variables)[:12]}."
                )
            if isinstance(table, Factor):
                self.states.update({one: own for one, own in table.states.items() if one not in self.states})
                table = table.ordered((*self.parents[name], name)).values
            arrays[name] = np.array(table, dtype=np.float64)
        for name, table in arrays.items():
            if table.ndim != len(self.parents[name]) + 1:
                raise ValueError(
                    f"the table of {name!r} needs an axis for each of its parents {list(self.parents[name])} and one "
                    f"for itself, got {table.ndim} axes."
                )
            self.states.setdefault(name, tuple(range(table.shape[-1])))
        for name, table in arrays.items():
            self._require_table(name, table)
        self.cpts.update({name: table / table.sum(axis=-1, keepdims=True) for name, table in arrays.items()})
        return self

    def _require_table(self, name: str, table: np.ndarray) -> None:
        family = (*self.parents[name], name)
        if unknown := [one for one in family if one not in self.states]:
            raise ValueError(f"the states of {unknown[0]!r} are not known; give its table too, or `states`.")
        shape = tuple(len(self.states[one]) for one in family)
        if table.shape != shape:
            raise ValueError(f"the table of {name!r} must have shape {shape}, for {list(family)}; got {table.shape}.")
        if not (np.isfinite(table).all() and (table >= 0).all()):
            raise ValueError(f"the table of {name!r} holds a number that is negative, NaN or infinite.")
        gap = np.abs(table.sum(axis=-1) - 1)
        if (gap > 1e-4).any():
            at = np.unravel_index(int(gap.argmax()), gap.shape)
            given = {one: self.states[one][int(i)] for one, i in zip(self.parents[name], at, strict=True)}
            raise ValueError(
                f"the probabilities of {name!r} sum to {table.sum(axis=-1)[at]:g} given {given}; wanted 1."
            )

    def cpt(self, name: str) -> Factor:
        """P(name | parents) as a factor."""
        if name not in self.cpts:
            if name not in self.parents:
                raise ValueError(f"there is no variable {name!r}; there are {list(self.variables)[:12]}.")
            raise ValueError(f"{name!r} has no table yet; give one by set_tables, or learn all with fit_parameters.")
        return Factor._of((*self.parents[name], name), self.cpts[name], self.states)

    def factors(self) -> list[Factor]:
        """The tables of all variables, whose product is the joint distribution."""
        return [self.cpt(name) for name in self.variables]

    @property
    def n_parameters(self) -> int:
        """Free probabilities of all tables, :math:`\\sum_i (r_i - 1) q_i`."""
        total = 0
        for name in self.variables:
            require = [name, *self.parents[name]]
            if unknown := [one for one in require if one not in self.states]:
                raise ValueError(f"the states of {unknown[0]!r} are not known yet.")
            cells = 1
            for parent in self.parents[name]:
                cells *= len(self.states[parent])
            total += (len(self.states[name]) - 1) * cells
        return total

    # ---------------------------------------------------------------- learning

    def fit_parameters(
        self,
        D: Any,
        *,
        alpha: float = 0.0,
        equivalent_sample_size: float | None = None,
        sample_weight: Any = None,
    ) -> Self:
        r"""Learn all tables by counting, :math:`\theta_{x_i \mid \pi_i} = \hat P_D(x_i \mid \pi_i)` (7.32).

        Parameters
        ----------
        D : frame, mapping of columns, or array
            A column for each variable; rows in which a value of a family is missing do not count for it.
        alpha : float, default=0.0
            Added to every count: 1 is Laplace's correction, 0 the likeliest table.
        equivalent_sample_size : float or None, default=None
            Instead, as many rows in all, shared out evenly over each table (BDeu).
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.

        Notes
        -----
        Where a combination of the parents' states never occurs and nothing is added, its row is uniform.
        """
        frame = self._coded(D, whole=True)
        self.cpts = counted_tables(self.parents, frame, alpha, equivalent_sample_size, _weights(sample_weight, frame))
        return self

    def fit_em(
        self,
        D: Any,
        *,
        alpha: float = 0.0,
        start: str = "random",
        n_init: int = 1,
        max_iter: int = 200,
        tol: float = 1e-6,
        sample_weight: Any = None,
        random_state: Any = None,
    ) -> TablesByEM:
        """Learn all tables from rows of which some values, or some whole variables, are hidden (7.36)-(7.37).

        Parameters
        ----------
        D : frame, mapping of columns, or array
            A column for each variable that is ever seen; `states` must name those of the others.
        alpha : float, default=0.0
            Added to every expected count.
        start : {"random", "tables"}, default="random"
            Whether to begin at tables drawn at random, or at those that there are.
        n_init : int, default=1
            Number of random starts, of which the likeliest is kept.
        max_iter : int, default=200
            Most rounds.
        tol : float, default=1e-6
            Stop once the log-likelihood rises by no more, a row.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.
        random_state : int, RandomState or None, default=None
            Draws the starts.

        Returns
        -------
        TablesByEM
            The log-likelihood before each round and at the end; the network has the tables.
        """
        frame = self._coded(D, whole=False)
        if start not in ("random", "tables"):
            raise ValueError(f"start must be 'random' or 'tables', got {start!r}.")
        if n_init < 1 or max_iter < 1 or not tol >= 0:
            raise ValueError("n_init and max_iter must be 1 or more and tol 0 or more.")
        rng, weights = check_random_state(random_state), _weights(sample_weight, frame)
        best: TablesByEM | None = None
        for _ in range(n_init if start == "random" else 1):
            first = self._drawn_tables(rng) if start == "random" else dict(self.cpts)
            found = expected_tables(self, frame, first, alpha=alpha, max_iter=max_iter, tol=tol, weights=weights)
            if best is None or found.log_likelihoods[-1] > best.log_likelihoods[-1]:
                best = found
        assert best is not None
        self.cpts = best.tables
        return best

    def _coded(self, D: Any, *, whole: bool) -> CodedFrame:
        known = {name: self.states[name] for name in self.variables if name in self.states}
        frame = coded_frame(D, known)
        if unknown := [name for name in frame.names if name not in self.parents]:
            raise ValueError(f"the data have a column {unknown[0]!r}, which is no variable of the network.")
        self.states |= {name: frame.states[name] for name in frame.names}
        hidden = [name for name in self.variables if name not in frame.names]
        if hidden and whole:
            raise ValueError(f"the data have no column {hidden[0]!r}; fit_em learns with variables that nobody sees.")
        if unknown := [name for name in hidden if name not in self.states]:
            raise ValueError(f"{unknown[0]!r} has no column and no states; name them in `states`.")
        for name in self.variables:
            family = (*self.parents[name], name)
            require_affordable(family, (len(self.states[one]) for one in family))
        n = frame.codes.shape[1]
        rows = [
            frame.codes[frame.place(name)] if name in frame.names else np.full(n, -1, np.int32)
            for name in self.variables
        ]
        return CodedFrame(self.variables, {name: self.states[name] for name in self.variables}, np.stack(rows))

    def _drawn_tables(self, rng: np.random.RandomState) -> dict[str, np.ndarray]:
        tables = {}
        for name in self.variables:
            shape = [len(self.states[one]) for one in (*self.parents[name], name)]
            tables[name] = rng.dirichlet(np.ones(shape[-1]), size=int(np.prod(shape[:-1]))).reshape(shape)
        return tables

    # ---------------------------------------------------------------- the joint distribution

    def probability(self, states: Mapping[str, Hashable]) -> float:
        """P of a state for each variable (7.26)."""
        if set(states) != set(self.variables):
            raise ValueError(f"wanted a state for each of {list(self.variables)}; for some of them ask `infer`.")
        result = 1.0
        for name in self.variables:
            family = (*self.parents[name], name)
            result *= self.cpt(name).value(**{one: states[one] for one in family})
        return result

    def log_likelihood(self, D: Any, *, sample_weight: Any = None) -> float:
        """ln P of all rows of a frame; missing values are summed over."""
        codes = code_frame(D, self.variables, self.states)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        if (codes >= 0).all():
            logs = np.zeros(len(codes))
            with np.errstate(divide="ignore"):
                for name in self.variables:
                    at = tuple(codes[:, self.variables.index(one)] for one in (*self.parents[name], name))
                    logs += np.log(self.cpts[name])[at]
        else:
            logs = self.junction_tree().log_evidence(codes)
        return float(logs.sum() if weights is None else weights @ np.where(weights > 0, logs, 0.0))

    def sample(self, n_samples: int = 1, *, random_state: Any = None) -> Any:
        """Rows drawn from the joint distribution, parents before their children.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState or None, default=None
            Draws them.

        Returns
        -------
        DataFrame of shape (n_samples, n_variables)
        """
        import pandas as pd

        codes = self.sample_codes(n_samples, check_random_state(random_state))
        columns = {name: np.array(self.states[name], dtype=object)[codes[name]] for name in self.variables}
        return pd.DataFrame(columns).infer_objects()

    def sample_codes(
        self, n: int, rng: np.random.RandomState, fixed: Mapping[str, int] | None = None
    ) -> dict[str, np.ndarray]:
        """Codes of rows drawn from the joint distribution; those of `fixed` are set and not drawn."""
        codes: dict[str, np.ndarray] = {}
        for name in topological_order(self.parents):
            if fixed is not None and name in fixed:
                codes[name] = np.full(n, fixed[name], dtype=np.int32)
                continue
            below = np.cumsum(self.cpt(name).values, axis=-1)[..., :-1]
            own = below[tuple(codes[parent] for parent in self.parents[name])]
            codes[name] = (rng.random_sample(n)[:, None] >= own).sum(axis=1).astype(np.int32)
        return codes

    def __repr__(self) -> str:
        return f"BayesianNetwork({len(self.variables)} variables, {len(self.edges)} edges)"


def _weights(sample_weight: Any, frame: CodedFrame) -> np.ndarray | None:
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    n = frame.codes.shape[1]
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError(f"sample_weight must be {n} finite numbers of 0 or more, some above 0.")
    return weights
