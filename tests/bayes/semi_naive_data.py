"""Small tables, and probabilities counted row by row in plain loops: the other route to semi-naive Bayes."""

import numpy as np
import pandas as pd

LABELS = np.array(["no", "或", "yes"])


def dependent_columns(n=120, *, holes=0.0, seed=0, weights=False):
    """Nominal columns of which some depend on others, codes with -1 for holes, labels and weights."""
    rng = np.random.RandomState(seed)
    y = rng.choice(3, n, p=[0.5, 0.2, 0.3])
    a = (y + (rng.rand(n) < 0.4)) % 3
    b = np.where(rng.rand(n) < 0.7, a, rng.randint(0, 3, n))
    c = (a + y + (rng.rand(n) < 0.3)) % 2
    e = rng.randint(0, 4, n)
    codes = np.column_stack([a, b, c, e])
    codes[rng.rand(n, 4) < holes] = -1
    weight = rng.randint(0, 4, n).astype(float) if weights else np.ones(n)
    return frame(codes), codes, y, weight


SIZES = (3, 3, 2, 4)


def frame(codes):
    """Codes as categories, holes as missing values."""
    columns = {}
    for j, name in enumerate("abce"):
        values = [f"{name}{v}" for v in range(SIZES[j])]
        columns[name] = pd.Categorical.from_codes(codes[:, j], values)
    return pd.DataFrame(columns)


def count(codes, y, weight, c=None, **values):
    """Weight of the rows of a class that have some values (column -> value, None for any that is known)."""
    total = 0.0
    for row, label, w in zip(codes, y, weight, strict=True):
        if c is not None and label != c:
            continue
        named = {int(name[1:]): value for name, value in values.items()}
        if all(row[j] == v if v is not None else row[j] >= 0 for j, v in named.items()):
            total += w
    return total


def prior(y, weight, c, alpha=1.0, k=3):
    """P(c), (7.19)."""
    return (weight[y == c].sum() + alpha) / (weight.sum() + alpha * k)


def share(codes, y, weight, c, j, v, given, alpha=1.0):
    """P(x_j = v | c, the values of some other columns that are known), (7.25)."""
    known = {f"x{p}": u for p, u in given.items()}
    above = count(codes, y, weight, c, **{**known, f"x{j}": v})
    below = count(codes, y, weight, c, **{f"x{j}": None, **known})
    return (above + alpha) / (below + alpha * SIZES[j])


def family_posterior(codes, y, weight, parents, row, alpha=1.0):
    """P(c | row) by (7.21), each column given its parents that are known."""
    joint = []
    for c in range(3):
        p = prior(y, weight, c, alpha)
        for j, v in enumerate(row):
            if v >= 0:
                given = {q: row[q] for q in parents[j] if row[q] >= 0}
                p *= share(codes, y, weight, c, j, v, given, alpha)
        joint.append(p)
    return np.array(joint) / sum(joint)
