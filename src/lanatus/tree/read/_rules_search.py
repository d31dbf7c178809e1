"""Rules of a tree and their simplification, as C4.5rules does it."""

import numpy as np
from scipy.special import gammaln

from lanatus.tree.grow._tree import SUBSET, THRESHOLD, Tree
from lanatus.tree.prune._pruning import upper_limit

# A condition: column, sign, and a number, a code or several codes.
Condition = tuple[int, str, float | tuple[int, ...]]
# A rule: its conditions, all of which must hold, and a class code.
Rule = tuple[tuple[Condition, ...], int]


def holds(condition: Condition, X: np.ndarray) -> np.ndarray:
    """Which rows meet a condition; a missing value meets none."""
    column, sign, value = condition
    x = X[:, column]
    if sign == "<=":
        return np.asarray(x <= value)
    if sign == ">":
        return np.asarray(x > value)
    if sign == "==":
        return np.asarray(x == value)
    inside = np.isin(x, value)
    return inside if sign == "in" else ~inside & ~np.isnan(x)


def leaf_rules(tree: Tree, classes: np.ndarray) -> list[Rule]:
    """One rule for each leaf, from the first to the last; `classes` are those that the nodes name."""
    rules = []
    for leaf in tree.leaves_in_order():
        conditions: list[Condition] = []
        node = leaf
        while (above := int(tree.parent[node])) >= 0:
            conditions.append(_condition(tree, above, node - int(tree.first_child[above])))
            node = above
        rules.append((tightest(conditions[::-1]), int(classes[leaf])))
    return rules


def _condition(tree: Tree, node: int, child: int) -> Condition:
    column = int(tree.feature[node])
    if tree.kind[node] == THRESHOLD:
        return column, "<=" if child == 0 else ">", float(tree.threshold[node])
    if tree.kind[node] == SUBSET:
        return column, "in" if child == 0 else "not in", tuple(tree.categories(node).tolist())
    return column, "==", float(child)


def tightest(conditions: list[Condition]) -> tuple[Condition, ...]:
    """The conditions without those that another threshold on the same side makes idle."""
    kept: dict[tuple[int, str, object], Condition] = {}
    for condition in conditions:
        column, sign, value = condition
        is_cut = sign in ("<=", ">")
        key = (column, sign, None if is_cut else value)
        if is_cut and key in kept:
            pick = min if sign == "<=" else max
            condition = (column, sign, pick(value, kept[key][2]))
        kept[key] = condition
    return tuple(kept.values())


class RuleSearch:
    """Training rows, as far as rules look at them: which conditions they meet, their classes and weights."""

    def __init__(self, rules: list[Rule], X: np.ndarray, codes: np.ndarray, weight: np.ndarray, n_classes: int) -> None:
        self.conditions = list(dict.fromkeys(condition for conditions, _ in rules for condition in conditions))
        self.number = {condition: i for i, condition in enumerate(self.conditions)}
        self.met = np.array([holds(condition, X) for condition in self.conditions]).reshape(-1, len(X))
        self.mass = np.zeros((len(X), n_classes))
        self.mass[np.arange(len(X)), codes] = weight
        self.weight = weight

    def covered(self, conditions: tuple[Condition, ...]) -> np.ndarray:
        """Rows that meet all conditions."""
        return np.asarray(self.met[[self.number[condition] for condition in conditions]].all(axis=0))

    # ------------------------------------------------------------ one rule

    def simplified(self, rule: Rule, confidence: float) -> Rule:
        """The rule without conditions, dropped one at a time, that its pessimistic error is no worse without."""
        conditions, label = rule
        kept = list(conditions)
        now = self._pessimistic(self.covered(conditions)[None], label, confidence)[0]
        while kept:
            met = self.met[[self.number[condition] for condition in kept]]
            lacking = len(kept) - met.sum(axis=0)
            without = (lacking == 0) | ((lacking == 1) & ~met)
            limits = self._pessimistic(without, label, confidence)
            at = int(limits.argmin())
            if limits[at] > now + 1e-12:
                break
            now = limits[at]
            del kept[at]
        return tuple(kept), label

    def _pessimistic(self, covers: np.ndarray, label: int, confidence: float) -> np.ndarray:
        weight = covers @ self.weight
        return upper_limit(weight - covers @ self.mass[:, label], weight, confidence)

    def names_the_heaviest(self, rule: Rule) -> bool:
        """Whether most of the weight that a rule covers is of its class."""
        total = self.mass[self.covered(rule[0])].sum(axis=0)
        return bool(total.sum() > 0 and total.argmax() == rule[1])

    # ------------------------------------------------------------ the rules of a class

    def best_subset(self, rules: list[Rule], label: int, theory_weight: float) -> list[Rule]:
        """Rules of a class of least description length, by single changes from none and from all of them."""
        if not rules:
            return []
        covers = np.stack([self.covered(conditions) for conditions, _ in rules]).astype(np.float64)
        each = max(np.log2(max(len(self.conditions), 2)), 1.0)
        lengths = np.array([len(conditions) for conditions, _ in rules])
        bits = theory_weight * np.maximum(lengths * each - gammaln(lengths + 1) / np.log(2), 1.0)
        positive = self.mass[:, label]
        starts = [np.zeros(len(rules), dtype=bool), np.ones(len(rules), dtype=bool)]
        found = [_descended(start, covers, bits, positive, self.weight - positive) for start in starts]
        chosen = min(found, key=lambda pair: pair[1])[0]
        return [rule for rule, is_in in zip(rules, chosen, strict=True) if is_in]

    def by_accuracy(self, rules: list[Rule], confidence: float) -> list[Rule]:
        """Rules of one class, the surest first."""
        limits = [
            self._pessimistic(self.covered(conditions)[None], label, confidence)[0] for conditions, label in rules
        ]
        return [rules[i] for i in np.argsort(limits, kind="stable")]

    # ------------------------------------------------------------ the whole list

    def in_order(self, groups: list[list[Rule]]) -> list[Rule]:
        """Classes one after another: next always the one whose rules are wrong on the least weight that is left."""
        left = np.ones(len(self.weight), dtype=bool)
        waiting = [label for label, rules in enumerate(groups) if rules]
        reach = {label: np.any([self.covered(c) for c, _ in groups[label]], axis=0) for label in waiting}
        ordered: list[Rule] = []
        while waiting:
            wrong = [self.weight[left & reach[k]].sum() - self.mass[left & reach[k], k].sum() for k in waiting]
            label = waiting.pop(int(np.argmin(np.round(wrong, 9))))
            ordered += groups[label]
            left &= ~reach[label]
        return ordered

    def uncovered(self, rules: list[Rule]) -> np.ndarray:
        """Class weights of the rows that no rule covers; those of all rows where that is none."""
        left = np.ones(len(self.weight), dtype=bool)
        for conditions, _ in rules:
            left &= ~self.covered(conditions)
        rest = self.mass[left].sum(axis=0)
        return rest if rest.sum() > 0 else self.mass.sum(axis=0)


def _descended(
    chosen: np.ndarray, covers: np.ndarray, bits: np.ndarray, positive: np.ndarray, negative: np.ndarray
) -> tuple[np.ndarray, float]:
    """Take in or leave out the rule that shortens the description most, until none does."""
    chosen = chosen.copy()
    now = np.inf
    while True:
        times = covers[chosen].sum(axis=0)
        sole = np.where(chosen[:, None], times == 1, times == 0) * covers  # rows that hang on each rule alone
        sign = np.where(chosen, -1.0, 1.0)
        true = positive[times > 0].sum() + sign * (sole @ positive)
        false = negative[times > 0].sum() + sign * (sole @ negative)
        theory = bits[chosen].sum() + sign * bits
        here = _length(positive[times > 0].sum(), negative[times > 0].sum(), positive.sum(), negative.sum())
        now = float(bits[chosen].sum() + here)
        after = theory + _length(true, false, positive.sum(), negative.sum())
        at = int(after.argmin())
        if after[at] >= now - 1e-9:
            return chosen, now
        chosen[at] = not chosen[at]


def _length(true: np.ndarray, false: np.ndarray, positive: float, negative: float) -> np.ndarray:
    """Bits that name the wrong rows among the covered ones and the missed ones among the others."""
    covered, others = true + false, positive + negative - true - false
    return np.asarray(_log2_choose(covered, false) + _log2_choose(others, positive - true))


def _log2_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    n, k = np.maximum(n, 0.0), np.clip(k, 0.0, np.maximum(n, 0.0))
    return np.asarray((gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / np.log(2))
