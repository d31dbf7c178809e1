"""Pictures of topics: their likeliest words."""

from typing import Any

import numpy as np

from lanatus.canvas import plain, use_chinese
from lanatus.graphical.topics._counts import top_words


def plot_topics(components: Any, words: Any = None, *, n: int = 8, names: Any = None) -> Any:
    """The likeliest words of each topic as bars, a panel a topic.

    Parameters
    ----------
    components : ndarray of shape (n_topics, n_words)
        Weights of the words in each, as ``components_`` of `LatentDirichletAllocation`, `PLSA` and
        `HierarchicalDirichletProcess`.
    words : sequence, optional
        The words, Chinese ones too; their places by default.
    n : int, default=8
        How many words of each.
    names : sequence of str, optional
        What the topics are called; "topic 1" and so on by default.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from lanatus.graphical import plot_topics
    >>> figure = plot_topics([[3, 1, 0], [0, 1, 5]], ["海", "船", "山"], n=2)
    >>> [label.get_text() for label in figure.axes[1].get_yticklabels()]
    ['山', '船']
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt

    weights = np.asarray(components, dtype=np.float64)
    sums = weights.sum(axis=1, keepdims=True)
    shares = weights / np.where(sums > 0, sums, 1)
    best = top_words(weights, words, n)
    columns = min(len(weights), 4)
    rows = -(-len(weights) // columns)
    with use_chinese():
        figure, axes = plt.subplots(
            rows, columns, figsize=(2.6 * columns, 0.6 + 0.26 * n * rows), layout="constrained", squeeze=False
        )
        for k, panel in enumerate(axes.ravel()):
            if k >= len(weights):
                panel.set_axis_off()
                continue
            height = -np.sort(-shares[k], kind="stable")[: len(best[k])]
            panel.barh(range(len(height)), height, color="#2b6cb0")
            panel.set_yticks(range(len(height)), [plain(str(word)) for word in best[k]])
            panel.invert_yaxis()
            panel.set_title(plain(str(names[k] if names is not None else f"topic {k + 1}")), fontsize=10)
            panel.spines[["top", "right"]].set_visible(False)
        figure.draw_without_rendering()
    return figure
