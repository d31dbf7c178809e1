"""Blocks of rows on several threads, with the same sums on any number of them."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from threadpoolctl import threadpool_limits

from lanatus.base._arrays import n_threads

Spread = Callable[[Callable[[int], Any], range], Iterator[Any]]


@contextmanager
def spread() -> Iterator[Spread]:
    """A map over threads, while BLAS has one: blocks are the same however many threads there are, and so are sums.

    It spares the threads of BLAS and those of the kernels, too, from waiting for each other by turns.
    """
    team = n_threads()
    with threadpool_limits(1, user_api="blas"):
        if team == 1:
            yield map
            return
        with ThreadPoolExecutor(team) as pool:
            yield pool.map
