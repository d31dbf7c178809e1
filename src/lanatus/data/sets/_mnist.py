"""MNIST, handwritten digits in the IDX format."""

import gzip
import math
import zlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn import datasets as bundled

from lanatus.catalog import method
from lanatus.data.sets._local import AnyPath, absent, data_folder, find_file, image_bunch
from lanatus.params import check_choice

_IDX_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def _read_idx(file: Path) -> np.ndarray:
    """An array in the IDX format: 0, 0, type, number of dimensions, their sizes, the values (big-endian)."""
    raw = file.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        try:
            raw = gzip.decompress(raw)
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"{file} is a damaged gzip file ({error}); fetch it again.") from error
    if len(raw) < 4 or raw[:2] != b"\0\0" or raw[2] not in _IDX_TYPES or not raw[3]:
        raise ValueError(
            f"{file} is not an IDX file: it should begin with 0, 0, a type from 0x08 to 0x0e and the "
            f"number of "
            f"dimensions; got {raw[:4].hex(' ') or 'nothing'}."
        )
    dtype, start = np.dtype(_IDX_TYPES[raw[2]]), 4 + 4 * raw[3]
    if len(raw) < start:
        raise ValueError(f"{file} is cut short: its header takes {start} bytes; got {len(raw)}.")
    shape = tuple(int(n) for n in np.frombuffer(raw, ">u4", raw[3], 4))
    wanted = start + dtype.itemsize * math.prod(shape)
    if len(raw) != wanted:
        state = "is cut short" if len(raw) < wanted else "has more than its header says"
        raise ValueError(f"{file} {state}: an array of shape {shape} takes {wanted} bytes; got {len(raw)}.")
    values = np.frombuffer(raw, dtype, offset=start).reshape(shape)
    return values.astype(dtype.newbyteorder("="))


def _mnist_names(part: str, what: str) -> list[str]:
    stem = ("train" if part == "train" else "t10k") + ("-images" if what == "images" else "-labels")
    kind = "idx3" if what == "images" else "idx1"
    return [f"{stem}{sep}{kind}-ubyte{end}" for end in ("", ".gz") for sep in ("-", ".")]


@method(
    "data.mnist-idx",
    section="ex 5.10",
    task="data",
    kind="dataset",
    en="MNIST handwritten digits",
    zh="MNIST手写数字",
    peers=["torchvision:MNIST"],
)
def load_mnist(
    path: AnyPath | tuple[AnyPath, AnyPath] | None = None,
    *,
    part: Literal["train", "test"] = "train",
    fallback: Literal["digits"] | None = "digits",
    return_X_y: bool = False,
) -> Any:
    """Handwritten digits from the MNIST files, or a small stand-in.

    Parameters
    ----------
    path : path, (path, path) or None, default=None
        Folder with ``train-images-idx3-ubyte`` and its fellows, gzipped or not, or the two files of images
        and of labels. None looks in the folder ``LANATUS_DATA`` and in ``mnist`` inside it, and if they are
        not there turns to `fallback`.
    part : {"train", "test"}, default="train"
        Which part: 60000 or 10000 images.
    fallback : {"digits"} or None, default="digits"
        Stand-in where no files are given or found: scikit-learn's 8 x 8 digits, scaled to 0-255, the first
        1500 for training and the other 297 for testing. None: an error that says what to get.
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.

    Returns
    -------
    Bunch
        ``data`` (uint8 array of shape (n, pixels)), ``target`` (int64 digits), ``images`` (shape (n,
        height, width)), ``feature_names``, ``target_names``, ``schema_kinds``, ``categories``, ``frame``
        (None), ``source`` (the folder, or ``"digits"``) and ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_mnist
    >>> digits = load_mnist(fallback="digits")
    >>> digits.images.dtype, len(digits.target_names)
    (dtype('uint8'), 10)
    """
    check_choice("part", part, ("train", "test"))
    check_choice("fallback", fallback, ("digits", None))
    url = "http://yann.lecun.com/exdb/mnist/ or a mirror of it"
    if isinstance(path, tuple):
        if len(path) != 2:
            raise ValueError(f"path must be a folder or a pair of files, images and labels; got {len(path)} paths.")
        found = [Path(file) for file in path]
        for file in found:
            if not file.is_file():
                absent("MNIST", [file.name], file.parent, url)
    else:
        folder = data_folder() if path is None else Path(path)
        found = []
        for what in ("images", "labels"):
            names = _mnist_names(part, what)
            match = None if folder is None else find_file(names, folder, "mnist")
            if match is not None:
                found.append(match)
            elif path is not None or fallback is None or found:
                absent("MNIST", names, folder, url)
            else:
                return _digits(part, return_X_y)
    images, labels = (_read_idx(file) for file in found)
    if images.ndim != 3:
        raise ValueError(f"{found[0]} should hold images, of 3 dimensions; got an array of shape {images.shape}.")
    if labels.ndim != 1:
        raise ValueError(f"{found[1]} should hold labels, of 1 dimension; got an array of shape {labels.shape}.")
    if len(images) != len(labels):
        raise ValueError(f"{found[0]} has {len(images)} images, but {found[1]} has {len(labels)} labels.")
    descr = f"MNIST handwritten digits, {part} part, read from {found[0]} and {found[1]}.\n"
    return image_bunch(images, labels.astype(np.int64), range(10), str(found[0].parent), descr, return_X_y)


def _digits(part: str, return_X_y: bool) -> Any:
    digits = bundled.load_digits()
    rows = slice(0, 1500) if part == "train" else slice(1500, None)
    images = np.rint(digits.images[rows] * (255 / 16)).astype(np.uint8)
    descr = (
        f"Stand-in for MNIST, {part} part: the 8 x 8 digits that come with scikit-learn (UCI optdigits, "
        f"test file), "
        "scaled from 0-16 to 0-255; the first 1500 are for training, the other 297 for testing.\n"
    )
    return image_bunch(images, digits.target[rows].astype(np.int64), range(10), "digits", descr, return_X_y)
