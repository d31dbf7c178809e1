"""Reading ahead: the next few items of an iterator are made in a thread while the last one is used."""

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
_TICK = 0.1  # seconds between looks at the stop sign


class _End(NamedTuple):
    error: BaseException | None


def ahead(make: Callable[[], Iterator[T]], n: int) -> Generator[T, None, None]:
    """Yield the items of ``make()``, of which a thread keeps at most `n` ready.

    The thread starts with the first item asked for. An error in it is raised here, in its turn. Closing
    the generator, or dropping it in mid-course, stops the thread and waits for its end.

    Parameters
    ----------
    make : callable
        Gives the iterator; called in the thread.
    n : int
        Items to keep ready; 0 means no thread.

    Yields
    ------
    The items, in order.
    """
    if n == 0:
        yield from make()
        return
    box: queue.Queue[Any] = queue.Queue(maxsize=n)
    stop = threading.Event()
    thread = threading.Thread(target=_fill, args=(make, box, stop), name="lanatus-read-ahead", daemon=True)
    thread.start()
    try:
        while True:
            item = _take(box)
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item
            del item
    finally:
        stop.set()
        while not box.empty():
            box.get_nowait()
        thread.join()


def _take(box: "queue.Queue[Any]") -> Any:
    while True:  # a wait with a limit, for one without cannot be interrupted on every system
        try:
            return box.get(timeout=_TICK)
        except queue.Empty:
            continue


def _put(box: "queue.Queue[Any]", item: Any, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            box.put(item, timeout=_TICK)
            return
        except queue.Full:
            continue


def _fill(make: Callable[[], Iterator[T]], box: "queue.Queue[Any]", stop: threading.Event) -> None:
    error: BaseException | None = None
    items = None
    try:
        items = make()
        for item in items:
            _put(box, item, stop)
            del item  # the reader of the next block need not hold this one
            if stop.is_set():
                break
    except BaseException as caught:
        error = caught
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()
        _put(box, _End(error), stop)
