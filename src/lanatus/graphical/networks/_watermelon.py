"""The network of figure 7.2."""

from lanatus.catalog import method
from lanatus.graphical.networks._bayesian_network import BayesianNetwork

_STATES = {
    "好瓜": ["是", "否"],
    "甜度": ["高", "低"],
    "敲声": ["浊响", "沉闷", "清脆"],
    "色泽": ["青绿", "乌黑", "浅白"],
    "根蒂": ["硬挺", "稍蜷", "蜷缩"],
}
_TABLES = {
    "好瓜": [0.5, 0.5],
    "甜度": [0.4, 0.6],
    "敲声": [[0.7, 0.2, 0.1], [0.4, 0.3, 0.3]],
    "色泽": [[[0.5, 0.4, 0.1], [0.4, 0.3, 0.3]], [[0.3, 0.4, 0.3], [0.3, 0.2, 0.5]]],
    "根蒂": [[0.1, 0.3, 0.6], [0.4, 0.4, 0.2]],
}


@method(
    "graphical.watermelon-network",
    section="7.5.1",
    task="data",
    kind="dataset",
    en="Watermelon Bayesian network",
    zh="西瓜问题的贝叶斯网",
)
def load_watermelon_network() -> BayesianNetwork:
    """The Bayesian network of figure 7.2: a good melon and its sweetness tell the sound, the colour and the root.

    Of its probabilities the text gives one, P(根蒂=硬挺 | 甜度=高) = 0.1; the others are ours.

    Book: section 7.5.1, figures 7.2 and 7.4.

    Returns
    -------
    BayesianNetwork

    Examples
    --------
    >>> from lanatus.graphical import load_watermelon_network
    >>> net = load_watermelon_network()
    >>> net.edges
    [('好瓜', '敲声'), ('好瓜', '色泽'), ('甜度', '色泽'), ('甜度', '根蒂')]
    >>> known = {"色泽": "青绿", "敲声": "浊响", "根蒂": "蜷缩"}
    >>> round(net.infer(["好瓜", "甜度"], known).to_dict()["是", "高"], 4)
    0.5224
    """
    parents = {"好瓜": (), "甜度": (), "敲声": ("好瓜",), "色泽": ("好瓜", "甜度"), "根蒂": ("甜度",)}
    return BayesianNetwork(parents, _TABLES, states=_STATES)
