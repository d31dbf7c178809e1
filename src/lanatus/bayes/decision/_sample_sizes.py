"""How many samples the estimates of Bayes classifiers need (exercise 7.7)."""

from typing import NamedTuple

from lanatus.catalog import method


class SamplesNeeded(NamedTuple):
    """Fewest samples with which all estimates can be good, and the number that is always enough where rows help least.

    Parameters
    ----------
    best : int
        If every sample counts for all attributes at once.
    worst : int
        If, within a class, every further sample helps one estimate only.
    """

    best: int
    worst: int


@method(
    "bayes.aode-sample-need",
    section="ex 7.7",
    task="classification",
    kind="theory",
    en="Samples needed by naive Bayes and AODE priors",
    zh="AODE所需样本数",
)
def samples_needed(
    d: int, n_classes: int = 2, per_cell: int = 30, model: str = "aode", n_values: int = 2
) -> SamplesNeeded:
    r"""Samples needed for `per_cell` of them behind every prior estimate of a Bayes classifier.

    Naive Bayes estimates :math:`P(c)`, with one cell for each class. AODE estimates :math:`P(c, x_i)`, with one cell
    for each class and value of each attribute; a sample falls into one cell of every attribute. At best all attributes
    are balanced in every class: :math:`N N_i m` samples. At worst all samples of a class agree until :math:`m` of them
    have one value of each attribute, and each other value then takes :math:`m` samples of its own:
    :math:`N m (1 + d (N_i - 1))`.

    Book: exercise 7.7. Cost: constant.

    Parameters
    ----------
    d : int
        Number of attributes.
    n_classes : int, default=2
        Number of classes, N.
    per_cell : int, default=30
        Samples wanted for each estimate, m.
    model : {"aode", "naive"}, default="aode"
        Whose priors.
    n_values : int, default=2
        Number of values of each attribute.

    Returns
    -------
    SamplesNeeded
        With ``best`` and ``worst``.

    Examples
    --------
    >>> from lanatus.bayes import samples_needed
    >>> samples_needed(10, model="naive")
    SamplesNeeded(best=60, worst=60)
    >>> samples_needed(10)
    SamplesNeeded(best=120, worst=660)
    """
    for name, value in (("d", d), ("n_classes", n_classes), ("per_cell", per_cell), ("n_values", n_values)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}.")
    if model not in ("aode", "naive"):
        raise ValueError(f"model must be 'aode' or 'naive', got {model!r}.")
    if model == "naive":
        return SamplesNeeded(n_classes * per_cell, n_classes * per_cell)
    best = n_classes * n_values * per_cell
    return SamplesNeeded(best, n_classes * per_cell * (1 + d * (n_values - 1)))
