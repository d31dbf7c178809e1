"""How a benchmark is judged."""

import math
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def runner(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from bench import runner

    return runner


def outcome(runner, floor=1.0, **peers):
    case = runner.Case("s", "c", dict, dict, {}, lambda data, result: 0.0, "accuracy", floor)
    timings = {"lanatus": runner.Timing(1.0, [1.0], 0.9)}
    timings |= {name: runner.Timing(seconds, [seconds], quality) for name, (seconds, quality) in peers.items()}
    return runner.Outcome(case, timings, {})


def test_the_rival_is_the_fastest_peer_of_equal_quality(runner):
    found = outcome(runner, fast=(0.5, 0.5), fair=(2.0, 0.9), slow=(9.0, 0.95))
    assert found.rival == "fair"
    assert found.ratio == 2.0
    assert not found.passed  # a peer is better
    assert outcome(runner, fair=(2.0, 0.9)).passed
    assert not outcome(runner, floor=3.0, fair=(2.0, 0.9)).passed


def test_without_a_rival_there_is_no_race(runner, monkeypatch):
    from bench import __main__ as page

    for peers in ({}, {"poor": (0.5, 0.5)}):
        found = outcome(runner, **peers)
        assert found.rival is None
        assert math.isnan(found.ratio)
        assert found.passed
        assert "none of equal quality" in page.section([found], [])
    assert "poor 0.50x *at lower quality 0.5*" in page.section([found], [])
