"""Section 6.4: surrogate losses, as numbers and as figure 6.5."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.kernel import exponential_loss, hinge_loss, logistic_loss


@method(
    "kernel.surrogate-loss-figure",
    section="6.4",
    task="evaluation",
    kind="experiment",
    en="0/1, hinge, exponential and logistic loss plotted",
    zh="替代损失函数图",
)
@example("6.4", en="Surrogate losses (Fig 6.5)", zh="图6.5: 替代损失函数")
def fig_6_5() -> Iterator[Figure]:
    """The losses of figure 6.5 at some margins, and which of them are nowhere below the zero-one loss.

    ``lanatus.book.draw_figure("6.5")`` draws them.

    Book: section 6.4, figure 6.5.

    Yields
    ------
    Figure
        Values, and where the logistic loss with base e is below the zero-one loss.

    Examples
    --------
    >>> from lanatus.book import fig_6_5
    >>> all(figure.agrees for figure in fig_6_5())
    True
    """
    z = np.array([-2, -1, 0, 0.5, 1, 2])
    yield Figure("hinge", None, hinge_loss(z), 6, right=(3, 2, 1, 0.5, 0, 0))
    exponential = (7.389056, 2.718282, 1, 0.606531, 0.367879, 0.135335)
    yield Figure("exponential", None, exponential_loss(z), 6, right=exponential)
    natural = (2.126928, 1.313262, 0.693147, 0.474077, 0.313262, 0.126928)
    yield Figure("logistic, base e", None, logistic_loss(z), 6, right=natural)
    fine = np.linspace(-3, 3, 60_001)
    zero_one = (fine < 0).astype(float)
    for name, values in (
        ("hinge", hinge_loss(fine)),
        ("exponential", exponential_loss(fine)),
        ("logistic, base 2", logistic_loss(fine, base="2")),
    ):
        yield Figure(f"{name}: bounds the zero-one loss", None, str(bool((values >= zero_one).all())), right="True")
    below = fine[logistic_loss(fine) < zero_one]
    ends = (float(below.min()), float(below.max()))
    yield Figure("logistic, base e: below the zero-one loss from, to", None, ends, 3, right=(-0.5413, 0.0))


@picture("6.5")
def _figure_6_5() -> Any:
    figure, (ax,) = row_of_axes(1)
    z = np.linspace(-2, 2, 401)
    ax.plot(z, (z < 0).astype(float), "k-", label="0/1")
    for losses, label in ((hinge_loss, "hinge"), (exponential_loss, "指数"), (logistic_loss, "对率")):
        ax.plot(z, losses(z), label=label)
    ax.set(xlabel="z", ylabel="损失", ylim=(-0.1, 3.1))
    ax.legend()
    return figure
