"""Topics: how they change along a novel, and how many there are; the model in plates."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.graphical import (
    HierarchicalDirichletProcess,
    LatentDirichletAllocation,
    PlateModel,
    plot_graph,
    top_words,
)

# What the parts of a novel tell of: its own words, and how much of each there is in every part.
THEMES = {
    "江湖": ["剑", "掌", "帮", "武功", "高手"],
    "寺院": ["佛", "僧", "经", "禅", "方丈"],
    "情": ["心", "泪", "笑", "姑娘", "相思"],
    "家国": ["王", "兵", "边关", "皇帝", "契丹"],
}
TOLD = np.array([[6, 1, 2, 1], [4, 2, 3, 1], [2, 5, 2, 1], [1, 2, 4, 3], [1, 1, 2, 6]])


def novel(n_chapters: int = 10, n_words: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Counts of words in chapters, ten a part, and the part of each."""
    rng = np.random.RandomState(seed)
    words = np.kron(np.eye(len(THEMES)), np.full(5, 0.2)) * 0.95 + 0.05 / 20
    rows, parts = [], []
    for part, told in enumerate(TOLD):
        for _ in range(n_chapters):
            rows.append(rng.multinomial(n_words, rng.dirichlet(told / told.sum() * 8) @ words))
            parts.append(part)
    return np.array(rows), np.array(parts)


@method(
    "graphical.lda-novel-topics",
    section="ex 14.9",
    task="transform",
    kind="experiment",
    en="Topics in each ten chapters of a novel",
    zh="小说话题演变",
)
@example("ex 14.9", en="Exercise 14.9: topics in every ten chapters of a novel", zh="习题14.9: 小说每十回的话题")
def ex_14_9() -> Iterator[Figure]:
    """Latent Dirichlet allocation of a made-up novel of fifty chapters whose themes shift from part to part.

    Book: exercise 14.9. The novel it names is not ours to give; count the words of your own copy, a row a chapter.

    Yields
    ------
    Figure
        The words of each topic, and which tells most in each part.

    Examples
    --------
    >>> from lanatus.book import ex_14_9
    >>> all(figure.agrees for figure in ex_14_9())
    True
    """
    X, parts = novel()
    model = LatentDirichletAllocation(
        4, learning_method="gibbs", max_iter=300, doc_topic_prior=0.5, topic_word_prior=0.05, random_state=0
    ).fit(X)
    vocabulary = [word for words in THEMES.values() for word in words]
    found = [set(words) for words in top_words(model.components_, vocabulary, 5)]
    names = [next((name for name, words in THEMES.items() if set(words) == own), "?") for own in found]
    yield Figure("topics whose five words are those of a theme", None, len(set(names) - {"?"}), digits=0, right=4)
    shares = model.transform(X)
    told = np.array([shares[parts == part].mean(axis=0) for part in range(len(TOLD))])
    most = " ".join(names[k] for k in told.argmax(axis=1))
    yield Figure("what each ten chapters tell of most", None, most, right="江湖 江湖 寺院 情 家国")


@example("ex 14.10", en="Exercise 14.10: topics without a preset number", zh="习题14.10: 无须预设话题数的 LDA")
def ex_14_10() -> Iterator[Figure]:
    """The hierarchical Dirichlet process on corpora of four, eight and twelve topics.

    Book: exercise 14.10.

    Yields
    ------
    Figure
        How many topics are found, of thirty that there may be.

    Examples
    --------
    >>> from lanatus.book import ex_14_10
    >>> all(figure.agrees for figure in ex_14_10())
    True
    """
    for k in (4, 8, 12):
        rng = np.random.RandomState(k)
        topics, shares = rng.dirichlet(np.full(25 * k, 0.05), k), rng.dirichlet(np.full(k, 0.2), 50 * k)
        X = np.array([rng.multinomial(rng.poisson(80), own @ topics) for own in shares])
        found = HierarchicalDirichletProcess(30, random_state=0).fit(X).n_components_
        yield Figure(f"topics found where {k} made the words", None, found, digits=0, right=k)


@picture("ex 14.9")
def _exercise_14_9() -> Any:
    import matplotlib.pyplot as plt

    from lanatus.canvas import use_chinese

    X, parts = novel()
    model = LatentDirichletAllocation(
        4, learning_method="gibbs", max_iter=300, doc_topic_prior=0.5, topic_word_prior=0.05, random_state=0
    ).fit(X)
    vocabulary = [word for words in THEMES.values() for word in words]
    shares = model.transform(X)
    with use_chinese():
        figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
        below = np.zeros(len(TOLD))
        for k, words in enumerate(top_words(model.components_, vocabulary, 5)):
            height = np.array([shares[parts == part, k].mean() for part in range(len(TOLD))])
            axes.bar(np.arange(len(TOLD)), height, bottom=below, label=" ".join(words))
            below += height
        axes.set_xticks(range(len(TOLD)), [f"{10 * part + 1}-{10 * part + 10}" for part in range(len(TOLD))])
        axes.set(xlabel="chapters", ylabel="share of each topic")
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
        figure.draw_without_rendering()
    return figure


@picture("14.10")
def _figure_14_10() -> Any:
    return plot_graph(PlateModel([("z", "x")], plates={"N": ["x"]}, observed=["x"]))


@picture("14.12")
def _figure_14_12() -> Any:
    edges = [("α", "Θ"), ("Θ", "z"), ("z", "w"), ("β", "w"), ("η", "β")]
    return plot_graph(PlateModel(edges, plates={"T": ["Θ", "z", "w"], "N": ["z", "w"], "K": ["β"]}, observed=["w"]))
