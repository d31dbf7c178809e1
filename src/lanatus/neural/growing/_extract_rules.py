"""Rules that say what a network does, and how faithfully."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.params import check_integer, check_real
from lanatus.table import Table


@dataclass(frozen=True)
class ExtractedRule:
    """Conditions on columns, and the class that the network names where all hold.

    Attributes
    ----------
    conditions : tuple of (column, low, high) or (column, value), what must hold: low < x <= high, or x == value
    label : the class
    precision : float, share of the rows in reach for which the network says so
    support : int, rows in reach when the rule was found
    """

    conditions: tuple[Any, ...]
    label: Any
    precision: float
    support: int

    def __str__(self) -> str:
        return f"{' and '.join(map(_words, self.conditions)) or 'always'} -> {self.label}"


@dataclass(frozen=True)
class ExtractedRules:
    """Rules in order, the first that holds says the class; and a class for the rest.

    Attributes
    ----------
    rules : list of ExtractedRule
    default : the class where none holds
    fidelity : float, share of the rows of X told as the network tells them
    majority : float, that of naming one class always
    """

    rules: list[ExtractedRule]
    default: Any
    fidelity: float
    majority: float
    _kinds: Any = field(default=None, repr=False)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row of X by the first rule that holds."""
        table = Table.of(X, like=self._kinds)
        said = np.full(len(table), self.default, dtype=np.asarray([self.default]).dtype)
        said = said.astype(object)
        free = np.ones(len(table), dtype=bool)
        for rule in self.rules:
            holds = free.copy()
            for condition in rule.conditions:
                holds &= _holds(table, condition)
            said[holds], free = rule.label, free & ~holds
        return np.array(said.tolist())

    def __str__(self) -> str:
        return "\n".join([*map(str, self.rules), f"otherwise -> {self.default}"])


@method(
    "neural.rule-extraction",
    section="5.7",
    task="classification",
    kind="function",
    en="Rule extraction from neural networks with fidelity",
    zh="神经网络规则抽取",
)
def extract_rules(
    net: Any,
    X: Any,
    *,
    max_rules: int = 20,
    max_conditions: int = 4,
    n_generated: int = 500,
    min_support: int = 5,
    min_precision: float = 0.9,
    random_state: Any = None,
) -> ExtractedRules:
    """A short list of rules that tells classes as a network does, found by asking it.

    The rows of X and rows made up near them are labelled by the network; then rules are grown one by
    one: conditions that make the network's answers purest are added until they are pure enough, and what a rule covers
    is set aside. Nothing of the network but its answers is looked at, so that any classifier will do.

    Book: sections 5.7 and 8.6. Cost: O(rules conditions n columns) and one answer a row.

    Parameters
    ----------
    net : fitted classifier
        The network.
    X : array or frame of shape (n_samples, n_features)
        Rows as it learned from.
    max_rules : int, default=20
        Most rules.
    max_conditions : int, default=4
        Most conditions of a rule.
    n_generated : int, default=500
        Rows made up.
    min_support : int, default=5
        Fewest rows that a rule covers.
    min_precision : float, default=0.9
        Share of its rows that a rule must tell as the network does.
    random_state : int, RandomState or None, default=None
        Draws the rows made up.

    Returns
    -------
    ExtractedRules

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import MLPClassifier, extract_rules
    >>> X = np.random.RandomState(0).rand(300, 2)
    >>> y = np.where(X[:, 0] > 0.5, "right", "left")
    >>> rules = extract_rules(MLPClassifier(solver="lbfgs", random_state=0).fit(X, y), X, random_state=0)
    >>> rules.fidelity > 0.95
    True

    References
    ----------
    Zhou, Jiang and Chen (2003), Extracting symbolic rules from trained neural network ensembles. Craven and Shavlik
    (1996), Extracting tree-structured representations of trained networks.
    """
    max_rules, max_conditions = (
        check_integer("max_rules", max_rules, 1),
        check_integer("max_conditions", max_conditions, 1),
    )
    n_generated, min_support = (
        check_integer("n_generated", n_generated, 0),
        check_integer("min_support", min_support, 1),
    )
    min_precision = check_real("min_precision", min_precision, 0.0, 1.0)
    own = Table.of(X, like=getattr(net, "schema_", None))
    table = _with_made_up(own, n_generated, check_random_state(random_state))
    labels, codes = np.unique(_answers(net, table), return_inverse=True)
    tests = _tests(table)
    free = np.ones(len(table), dtype=bool)
    rules: list[ExtractedRule] = []
    while len(rules) < max_rules and free.sum() >= min_support and len(np.unique(codes[free])) > 1:
        found = _grown(tests, codes, free, len(labels), max_conditions, min_support)
        if found is None or found[2] < min_precision:
            break
        conditions, label, precision, covered = found
        rules.append(ExtractedRule(conditions, labels[label].item(), precision, int(covered.sum())))
        free &= ~covered
    rest = codes[free] if free.any() else codes
    default = labels[np.bincount(rest, minlength=len(labels)).argmax()].item()
    asked = _answers(net, own)
    found_rules = ExtractedRules(rules, default, 0.0, 0.0, own.schema)
    told = np.asarray(found_rules.predict(own))
    most = float(np.unique(asked, return_counts=True)[1].max() / len(asked))
    return ExtractedRules(rules, default, float(np.mean(told == asked)), most, own.schema)


def _answers(net: Any, table: Table) -> np.ndarray:
    """The classes that a classifier names: one of another library is asked by numbers alone, where all are."""
    return np.asarray(net.predict(table if hasattr(net, "schema_") or table.schema.coded else table.numeric))


def _with_made_up(table: Table, count: int, rng: np.random.RandomState) -> Table:
    """The rows, and others like them: numbers are those of rows a little up or down the column, one code in ten is
    drawn from its column."""
    n = len(table)
    like = rng.randint(n, size=count)
    numeric = np.empty((count, table.numeric.shape[1]))
    for j, column in enumerate(table.numeric.T):
        numeric[:, j] = _nearby(column, like, rng)
    codes = table.codes[like]
    other = np.empty_like(codes)
    for j, column in enumerate(table.codes.T):
        other[:, j] = column[rng.randint(n, size=count)]
    codes = np.where(rng.random_sample(codes.shape) < 0.1, other, codes)
    return Table(
        table.schema,
        np.ascontiguousarray(np.vstack([table.numeric, numeric])),
        np.ascontiguousarray(np.vstack([table.codes, codes]).astype(np.int32)),
    )


def _nearby(column: np.ndarray, rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Values at most a tenth of the column above or below those of some rows; holes stay."""
    known = np.sort(column[~np.isnan(column)])
    m = len(known)
    reach = max(1, m // 10)
    rank = np.searchsorted(known, column[rows]) + rng.randint(-reach, reach + 1, size=len(rows))
    moved = known[np.clip(rank, 0, m - 1)] if m else column[rows]
    return np.where(np.isnan(column[rows]), np.nan, moved)


def _tests(table: Table) -> list[tuple[Any, np.ndarray]]:
    """Conditions and where they hold: above and below nine quantiles of a number, each value of the others."""
    found: list[tuple[Any, np.ndarray]] = []
    for place, j in enumerate(table.schema.numeric):
        column, name = table.numeric[:, place], table.schema.columns[j].name
        known = column[~np.isnan(column)]
        for cut in np.unique(np.quantile(known, np.linspace(0.05, 0.95, 19))) if len(known) else ():
            for condition in ((name, -np.inf, float(cut)), (name, float(cut), np.inf)):
                found.append((condition, _holds(table, condition)))
    for j in table.schema.coded:
        column = table.schema.columns[j]
        found += [((column.name, value), _holds(table, (column.name, value))) for value in column.categories]
    return found


def _holds(table: Table, condition: Any) -> np.ndarray:
    j = table.schema.names.index(condition[0])
    if len(condition) == 3:
        x = table.numeric[:, table.schema.numeric.index(j)]
        return np.asarray((x > condition[1]) & (x <= condition[2]))
    return np.asarray(
        table.codes[:, table.schema.coded.index(j)] == table.schema.columns[j].categories.index(condition[1])
    )


def _grown(
    tests: list[tuple[Any, np.ndarray]], codes: np.ndarray, free: np.ndarray, k: int, most: int, least: int
) -> tuple[tuple[Any, ...], int, float, np.ndarray] | None:
    """The rule whose answers are purest, by the m-estimate, grown for each class and compared."""
    best = None
    shares = np.bincount(codes[free], minlength=k) / free.sum()
    for label in np.flatnonzero(shares).tolist():
        right, covered = codes == label, free.copy()
        conditions: tuple[Any, ...] = ()
        worth = _m_estimate(right, covered, shares[label])
        while len(conditions) < most and (right & covered).sum() < covered.sum():
            options = [(_m_estimate(right, covered & holds, shares[label]), at) for at, (_, holds) in enumerate(tests)
                       if least <= (covered & holds).sum() < covered.sum()]  # fmt: skip
            if not options or max(options)[0] <= worth:
                break
            worth, at = max(options, key=lambda option: (option[0], -option[1]))
            covered, conditions = covered & tests[at][1], (*conditions, tests[at][0])
        if conditions and (best is None or worth > best[0]):
            best = (worth, conditions, label, float((right & covered).sum() / covered.sum()), covered)
    return None if best is None else best[1:]


def _m_estimate(right: np.ndarray, covered: np.ndarray, prior: float) -> float:
    """Share of the class among what is covered, drawn a little towards that among all."""
    return float(((right & covered).sum() + 2 * prior) / (covered.sum() + 2))


def _words(condition: Any) -> str:
    if len(condition) == 2:
        return f"{condition[0]} = {condition[1]}"
    name, low, high = condition
    return f"{name} <= {high:.4g}" if low == -np.inf else f"{name} > {low:.4g}"
