"""Save and load models as ``.skops`` files: data, never code.

Classes of the catalogue, those marked ``@savable``, and the NumPy, SciPy and scikit-learn types that they hold, are
trusted; a file that names anything else is refused before anything in it runs.
"""

import copy
import io
import json
import platform
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
import skops.io
from sklearn.base import BaseEstimator

import lanatus
from lanatus._files import atomic_write
from lanatus.base import Estimator, came_from, check_state
from lanatus.catalog import savable_types

__all__ = ["ModelFileError", "load", "save", "trusted_types", "versions"]

_NOTE = "lanatus.json"
_UNPACKED = 1 << 30  # bytes that any model file may unpack to
_SPLITTERS = ("KFold", "StratifiedKFold", "GroupKFold", "ShuffleSplit", "StratifiedShuffleSplit", "RepeatedKFold")


class ModelFileError(ValueError):
    """A model file is damaged, hostile, or not a model file."""


def save(model: Any, path: str | Path) -> Path:
    """Write a fitted model, or a pipeline of such, to a ``.skops`` file.

    The file appears whole or not at all: a crash leaves the old one as it was.

    Parameters
    ----------
    model : estimator
        From lanatus or scikit-learn, or a pipeline that mixes them.
    path : str or Path
        Where to; ``.skops`` is the usual ending.

    Returns
    -------
    Path

    Examples
    --------
    >>> import lanatus, tempfile, os
    >>> from lanatus.cluster import KMeans
    >>> model = KMeans(2, init=[[0.0], [9.0]]).fit([[0], [1], [8], [9]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = lanatus.save(model, os.path.join(folder, "model.skops"))
    ...     lanatus.load(path).predict([[7]]).tolist()
    [1]
    """
    path = Path(path)
    try:
        content = io.BytesIO(skops.io.dumps(_portable(model)))
    except Exception as error:
        raise ModelFileError(f"{type(model).__name__} cannot be written ({type(error).__name__}: {error}).") from None
    if foreign := _foreign(content.getvalue()):
        raise ModelFileError(
            f"{type(model).__name__} holds {', '.join(foreign)}, which a model file may not name: only classes "
            "of lanatus, NumPy, SciPy and scikit-learn load again."
        )
    note = {
        "lanatus": lanatus.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "model": type(model).__name__,
    }
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(_NOTE, json.dumps(note))
    with atomic_write(path) as file:
        file.write(content.getvalue())
    return path


def _portable(model: Any) -> Any:
    """The model without callbacks, which watch a fit and are no part of it; frames given as parameters as arrays."""
    parts = list(_estimators_in(model, set()))
    watchers: dict[int, list[Any]] = {id(part._skl_callbacks): [] for part in parts if "_skl_callbacks" in vars(part)}
    if not watchers and not any(_is_frame(value) for part in parts for value in vars(part).values()):
        return model
    bare = copy.deepcopy(model, dict(watchers))
    for part in _estimators_in(bare, set()):
        vars(part).pop("_skl_callbacks", None)
        vars(part).update({name: np.asarray(value) for name, value in vars(part).items() if _is_frame(value)})
    return bare


def _is_frame(value: Any) -> bool:
    return hasattr(value, "__array__") and hasattr(value, "columns") and hasattr(value, "shape")


def _estimators_in(thing: Any, seen: set[int]) -> Iterator[Any]:
    """The estimators that a model is made of."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, BaseEstimator):
        yield thing
        inside: Iterable[Any] = [value for name, value in vars(thing).items() if name != "_skl_callbacks"]
    elif isinstance(thing, dict):
        inside = thing.values()
    elif isinstance(thing, list | tuple):
        inside = thing
    else:
        return
    for value in inside:
        yield from _estimators_in(value, seen)


def load(path: str | Path, *, max_bytes: int | None = None) -> Any:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : str or Path
        The file.
    max_bytes : int or None, default=None
        How much the file may unpack to. None is 1 GiB, or twice the size of the file if that is more: what `save`
        writes is not compressed, so that a small file which unpacks to gigabytes was made to fill the memory.

    Returns
    -------
    estimator

    Raises
    ------
    ModelFileError
        If the file is damaged, is no model file, unpacks to more than `max_bytes`, names types that are not
        trusted (nothing of it has run then), or holds a state that contradicts itself.
    """
    path = Path(path)
    content = path.read_bytes()
    _check_archive(path, content, max(_UNPACKED, 2 * len(content)) if max_bytes is None else max_bytes)
    try:
        foreign = _foreign(content)
    except Exception as error:
        raise ModelFileError(f"{path} is not a readable model file ({type(error).__name__}: {error}).") from None
    if foreign:
        raise ModelFileError(
            f"{path} names {', '.join(foreign)}, which is not part of lanatus, NumPy, SciPy or scikit-learn; "
            "nothing was loaded. Load it only with the program that made it."
        )
    try:
        model = skops.io.loads(content, trusted=trusted_types())
        if not isinstance(model, BaseEstimator):
            raise TypeError(f"it holds a {type(model).__name__}, not a model")
        model.get_params()  # fails where the description left some out
        for part in _estimators_in(model, set()):
            if isinstance(part, Estimator):
                check_state(part)
                came_from(part, str(path))
        return model
    except Exception as error:
        wrote = versions(path).get("lanatus", "an unknown version")
        raise ModelFileError(
            f"{path} could not be loaded ({type(error).__name__}: {error}); it was written by lanatus {wrote}, "
            f"this is {lanatus.__version__}."
        ) from None


def versions(path: str | Path) -> dict[str, str]:
    """Which versions wrote a model file, and what class of model it holds."""
    try:
        with zipfile.ZipFile(path) as archive:
            note = json.loads(archive.read(_NOTE))
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ModelFileError(f"{path} does not say which version wrote it ({error}).") from None
    return {str(key): str(value) for key, value in note.items()}


def trusted_types() -> list[str]:
    """Names of the types that a model file may hold beyond those that skops trusts by itself."""
    sklearn_types = [f"sklearn.model_selection._split.{name}" for name in _SPLITTERS]
    return [*savable_types(), *sklearn_types, "sklearn.metrics._scorer._PassthroughScorer", "numpy.dtype"]


def _foreign(content: bytes) -> list[str]:
    return sorted(set(skops.io.get_untrusted_types(data=content)) - set(trusted_types()))


def _check_archive(path: Path, content: bytes, max_bytes: int) -> None:
    if not content:
        raise ModelFileError(f"{path} is empty; wanted a .skops model file.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            unpacked = sum(part.file_size for part in archive.infolist())
            if unpacked > max_bytes:  # before anything is unpacked
                raise ModelFileError(
                    f"{path} has {len(content):,} bytes and would unpack to {unpacked:,}, more than {max_bytes:,}; "
                    f"if you trust it, lanatus.load(path, max_bytes={unpacked}) takes it."
                )
            broken = archive.testzip()
    except ModelFileError:
        raise
    except Exception as error:
        raise ModelFileError(
            f"{path} is truncated or not a .skops model file ({error}); make or copy it again."
        ) from None
    if broken is not None:
        raise ModelFileError(f"{path} is damaged: its part {broken!r} does not match its checksum.")
    if "schema.json" not in names or _NOTE not in names:
        raise ModelFileError(f"{path} is an archive, but not a model that lanatus.save wrote.")
