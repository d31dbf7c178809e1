"""Plates: what they stand for."""

import matplotlib.pyplot as plt
import pytest

from lanatus.graphical import BayesianNetwork, PlateModel, plot_graph

TOPICS = PlateModel(
    [("α", "Θ"), ("Θ", "z"), ("z", "w"), ("β", "w"), ("η", "β")],
    plates={"T": ["Θ", "z", "w"], "N": ["z", "w"], "K": ["β"]},
    observed=["w"],
)


@pytest.mark.covers("graphical.plate-notation")
def test_copies_are_joined_where_their_numbers_agree():
    graph = TOPICS.expand(T=3, N=2, K=4)
    assert len(graph) == 2 + 3 + 2 * 6 + 4
    for t in (1, 2, 3):
        assert graph[f"Θ[{t}]"] == ("α",)
        for n in (1, 2):
            assert graph[f"z[{t},{n}]"] == (f"Θ[{t}]",)
            assert graph[f"w[{t},{n}]"] == (f"z[{t},{n}]", *(f"β[{k}]" for k in (1, 2, 3, 4)))
    assert all(graph[f"β[{k}]"] == ("η",) for k in (1, 2, 3, 4))
    assert TOPICS.plates_of("w") == ("T", "N")
    assert TOPICS.plates_of("α") == ()


@pytest.mark.covers("graphical.plate-notation")
def test_naive_bayes_and_a_chain_are_networks_once_expanded():
    naive = PlateModel([("y", "x")], plates={"d": ["x"]})
    net = BayesianNetwork(naive.expand(d=3), states=dict.fromkeys(["y", "x[1]", "x[2]", "x[3]"], ("0", "1")))
    assert net.parents["x[2]"] == ("y",)
    assert naive.expand(d=0) == {"y": ()}
    alone = PlateModel([], plates={"N": ["a"]}, nodes=["a"])
    assert alone.expand(N=2) == {"a[1]": (), "a[2]": ()}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"plates": {"N": ["u"]}}, r"N names \['u'\], which are no nodes"),
        ({"plates": {"N": []}}, "no node lies on the plate N"),
        ({"plates": {}, "observed": ["u"]}, "observed names"),
    ],
)
def test_plates_that_say_nothing_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        PlateModel([("z", "x")], **wrong)


def test_sizes_are_asked_for():
    with pytest.raises(ValueError, match="wanted one for each plate"):
        TOPICS.expand(T=2)
    with pytest.raises(ValueError, match="smaller plates"):
        TOPICS.expand(T=10**5, N=10**5, K=2)
    with pytest.raises(ValueError, match="N"):
        TOPICS.expand(T=2, N=-1, K=2)


@pytest.mark.covers("graphical.plate-notation")
def test_no_node_stands_in_a_box_that_is_not_its_own():
    figure = plot_graph(TOPICS)
    axes = figure.axes[0]
    assert len(axes.lines) == 3
    boxes = {
        name: (line.get_xdata().min(), line.get_xdata().max(), line.get_ydata().min(), line.get_ydata().max())
        for name, line in zip(TOPICS.plates, axes.lines, strict=True)
    }
    nodes = {text.get_text(): text.xy for text in axes.texts if text.get_text() in TOPICS.parents}
    assert set(nodes) == set(TOPICS.parents)
    for plate, (left, right, below, above) in boxes.items():
        inside = {name for name, (x, y) in nodes.items() if left < x < right and below < y < above}
        assert inside == set(TOPICS.plates[plate])
    plt.close(figure)
