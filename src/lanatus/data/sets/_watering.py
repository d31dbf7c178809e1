"""Watering melons, the book's Markov decision process."""

from typing import Any, get_args

import numpy as np
from sklearn.utils import Bunch

from lanatus.data.sets._printed import BOOK, describe, rows_of
from lanatus.params import check_choice
from lanatus.table import Column, Frame, Language, resolve_frame, whole_frame

_STATES = {"健康": "healthy", "缺水": "dry", "溢水": "flooded", "凋亡": "dead"}
_ACTIONS = {"浇水": "water", "不浇水": "no_water"}


def load_watering_mdp(*, frame: Frame | None = None, language: Language = "zh") -> Bunch:
    """Watering melons as a Markov decision process (Fig. 16.2).

    States, actions, rewards and the best policy are in the text; the transition probabilities were only in
    the figure, which is missing from our source, and are recalled. They agree with all that the text says.

    Parameters
    ----------
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `frame`; None is pandas.
    language : {"zh", "en"}, default="zh"
        Words for states and actions: as printed, or in English.

    Returns
    -------
    Bunch
        ``transition`` and ``reward`` (arrays of shape (4, 2, 4): state, action, next state; the reward is
        that of the state arrived in), ``states``, ``actions``, ``terminal`` (the absorbing state),
        ``frame`` (one transition a row), ``errata`` and ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_watering_mdp
    >>> mdp = load_watering_mdp(language="en")
    >>> mdp.states, mdp.transition[0, 0].tolist()
    (('healthy', 'dry', 'flooded', 'dead'), [0.6, 0.0, 0.4, 0.0])
    """
    check_choice("language", language, get_args(Language))
    _, rows = rows_of("watering_mdp.csv")
    states, actions = list(_STATES), list(_ACTIONS)
    transition = np.zeros((len(states), len(actions), len(states)))
    arrival = np.zeros(len(states))
    for state, action, after, p, r in rows:
        transition[states.index(state), actions.index(action), states.index(after)] = float(p)
        arrival[states.index(after)] = float(r)
    word = {**_STATES, **_ACTIONS} if language == "en" else {name: name for name in (*_STATES, *_ACTIONS)}
    shown, doing = tuple(word[s] for s in states), tuple(word[a] for a in actions)
    columns = [
        Column("state", "nominal", shown),
        Column("action", "nominal", doing),
        Column("next", "nominal", shown),
        Column("p", "numeric"),
        Column("r", "numeric"),
    ]
    values: list[list[Any]] = [[word[row[j]] for row in rows] for j in range(3)]
    values += [[float(row[j]) for row in rows] for j in (3, 4)]
    return Bunch(
        transition=transition,
        reward=np.broadcast_to(arrival, transition.shape).copy(),
        states=shown,
        actions=doing,
        terminal=word["凋亡"],
        frame=whole_frame(columns, values, resolve_frame(frame)),
        errata=(),
        DESCR=describe(
            "Watering melons, a Markov decision process",
            "给西瓜浇水的马尔可夫决策过程",
            f"{BOOK}, section 16.1, Figure 16.2",
            "The probabilities are recalled, not printed in our source; the rest is the text's.",
        ),
    )
