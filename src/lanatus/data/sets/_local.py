"""Well-known data sets which the user has fetched: where their files are; nothing here goes to the network.

A reader looks where `path` says or, without it, in the folder named by the environment variable
``LANATUS_DATA``. A `path` that does not have the file is an error. Only where nothing was asked for does
the fallback come in, and ``source`` in the result tells which it was.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from sklearn.utils import Bunch

AnyPath = str | os.PathLike[str]


def data_folder() -> Path | None:
    folder = os.environ.get("LANATUS_DATA")
    return Path(folder).expanduser() if folder else None


def find_file(names: Sequence[str], folder: Path, inner: str) -> Path | None:
    """The first of `names` in the folder or in the folder of that name inside it."""
    for place in (folder, folder / inner):
        for name in names:
            if (place / name).is_file():
                return place / name
    return None


def absent(what: str, names: Sequence[str], looked: Path | None, url: str, *, rescue: str = "") -> NoReturn:
    where = f"not in {looked}" if looked is not None else "no path was given and LANATUS_DATA is not set"
    raise FileNotFoundError(
        f"{what}: wanted the file {' or '.join(names)}; {where}. Get it from {url}, put it in a folder and "
        f"give "
        f"that folder as path or in the environment variable LANATUS_DATA.{rescue}"
    )


def image_bunch(
    images: np.ndarray,
    target: np.ndarray,
    names: Sequence[Any],
    source: str,
    descr: str,
    return_X_y: bool,
    **extra: Any,
) -> Any:
    data = images.reshape(len(images), -1)
    if return_X_y:
        return data, target
    height, width = images.shape[1:]
    pixels = [f"pixel_{i}_{j}" for i in range(height) for j in range(width)]
    return Bunch(
        data=data,
        target=target,
        images=images,
        frame=None,
        feature_names=pixels,
        target_names=tuple(names),
        schema_kinds=dict.fromkeys(pixels, "numeric"),
        categories={},
        source=source,
        DESCR=descr,
        **extra,
    )
