"""The sparse text format of LIBSVM and SVMlight: ``label index:value index:value ...``."""

import bz2
import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

import numpy as np
import sklearn.datasets

from lanatus.catalog import method
from lanatus.data.readers._errors import DataError, FormatError, quoted, unreadable
from lanatus.data.readers._text import Path, bounded, broken_archive, lines_of, read_bytes

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open}


@method(
    "data.libsvm-format",
    section="6.7",
    task="data",
    en="LIBSVM format, read",
    zh="LIBSVM数据格式",
    peers=["scikit-learn:load_svmlight_file"],
)
def load_svmlight_file(
    f: Path | IO[bytes],
    *,
    n_features: int | None = None,
    dtype: Any = np.float64,
    multilabel: bool = False,
    zero_based: bool | str = "auto",
    query_id: bool = False,
    offset: int = 0,
    length: int = -1,
    max_bytes: int | None = None,
) -> tuple[Any, ...]:
    """Read a file in LIBSVM format into a sparse matrix.

    It is :func:`sklearn.datasets.load_svmlight_file`, with an error that names file and line when the
    file is malformed. Book: section 6.7.

    Parameters
    ----------
    f : str, path-like or binary file
        The file; gzip and bzip2 are unpacked.
    n_features : int or None, default=None
        Number of columns; None takes the largest index. Give it for test data and with `offset`.
    dtype : dtype, default=float64
        Of the matrix and the labels.
    multilabel : bool, default=False
        Whether a row has several labels, ``1,3 2:0.5``.
    zero_based : bool or "auto", default="auto"
        Whether indices start at 0; "auto" takes 0 if the file has an index 0.
    query_id : bool, default=False
        Also return the numbers after ``qid:``.
    offset, length : int
        Read only the rows that begin in these `length` bytes from `offset` on.
    max_bytes : int or None, default=None
        How much a compressed file may unpack to; None is 256 MiB, or 50 times its size if that is more.

    Returns
    -------
    X : csr_matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), or a list of tuples if `multilabel`
    query_id : ndarray of shape (n_samples,), only if `query_id`

    Raises
    ------
    DataError
        Naming the file and the line.

    Examples
    --------
    >>> import io
    >>> from lanatus.data.readers._libsvm import load_svmlight_file
    >>> X, y = load_svmlight_file(io.BytesIO(b"+1 1:0.5 3:2\\n-1 2:1\\n"))
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    options = {
        "n_features": n_features,
        "dtype": dtype,
        "multilabel": multilabel,
        "zero_based": zero_based,
        "query_id": query_id,
        "offset": offset,
        "length": length,
    }
    if not isinstance(f, str | os.PathLike):
        at = f.tell() if f.seekable() else None
        try:
            return cast(tuple[Any, ...], sklearn.datasets.load_svmlight_file(f, **options))
        except (ValueError, OverflowError) as error:
            if at is not None:
                f.seek(at)
                text = ((i, raw.decode("utf-8", "replace")) for i, raw in enumerate(f, 1))
                _find_fault(str(getattr(f, "name", "<stream>")), text, multilabel, zero_based)
            raise DataError(
                str(getattr(f, "name", "<stream>")),
                got=str(error),
                expected="LIBSVM rows",
                do="check the options",
            ) from error
    read_bytes(f, 4096)  # refuses what is missing, empty or binary
    try:
        with open(f, "rb") as file, bounded(f, file, max_bytes) as stream:
            found = cast(tuple[Any, ...], sklearn.datasets.load_svmlight_file(stream, **options))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise broken_archive(f, error) from error
    except OSError as error:
        raise (broken_archive(f, error) if error.errno is None else unreadable(f, error)) from error
    except DataError:
        raise
    except (ValueError, OverflowError) as error:
        _find_fault(f, lines_of(f, "utf-8"), multilabel, zero_based)
        raise FormatError(f, got=str(error), expected="LIBSVM rows", do="check the options") from error
    if found[0].shape[0] == 0 and length < 0 and offset == 0:
        raise FormatError(f, got="no rows, only comments", expected="rows", do="check how it was made")
    return found


def _find_fault(file: Path, lines: Iterator[tuple[int, str]], multilabel: bool, zero_based: bool | str) -> None:
    """Raise at the first line that is not ``label [qid:n] index:value ...`` with growing indices."""
    for number, raw in lines:
        wrong = _fault(raw.split("#", 1)[0].split(), multilabel, 1 if zero_based is False else 0)
        if wrong is not None:
            got, expected, do = wrong
            raise FormatError(file, line=number, got=got, expected=expected, do=do)


def _fault(words: list[str], multilabel: bool, lowest: int) -> tuple[str, str, str] | None:
    if not words:
        return None
    labels = words.pop(0)
    if multilabel and ":" in labels:
        words, labels = [labels, *words], ""
    for label in labels.split(",") if multilabel else [labels]:
        if label and not _is_number(label):
            hint = "pass multilabel=True" if "," in label else "write labels as numbers"
            return f"the label {quoted(label)}", "a number", hint
    previous = lowest - 1
    for position, word in enumerate(words):
        index, colon, value = word.partition(":")
        if index == "qid" and position == 0:
            if not value.lstrip("+-").isdigit():
                return quoted(word), "qid:number", "correct it"
            continue
        if not colon:
            return f"{quoted(word)} without a colon", "index:value", "correct it; was the file cut off?"
        if not index.lstrip("+-").isdigit():
            return f"the index {quoted(index)}", "a whole number", "correct it"
        if int(index) < lowest:
            return f"the index {index}", f"{lowest} or more", "correct it, or pass zero_based="
        if int(index) >= 2**31 - 1:
            return f"the index {index}", f"below {2**31 - 1}", "renumber the features"
        if int(index) <= previous:
            return f"index {index} after {previous}", "growing indices, each once", "sort the row"
        if not _is_number(value):
            return f"the value {quoted(value)} of index {index}", "a number", "correct it"
        previous = int(index)
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@method(
    "data.libsvm-format",
    section="6.7",
    task="data",
    en="LIBSVM format, written",
    zh="LIBSVM数据格式",
    peers=["scikit-learn:dump_svmlight_file"],
)
def dump_svmlight_file(
    X: Any,
    y: Any,
    f: Path | IO[bytes],
    *,
    zero_based: bool = True,
    comment: str | bytes | None = None,
    query_id: Any = None,
    multilabel: bool = False,
) -> None:
    """Write a matrix and its labels in LIBSVM format.

    It is :func:`sklearn.datasets.dump_svmlight_file` (16 significant digits), which also packs by the
    ending ``.gz`` or ``.bz2``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,) or, if `multilabel`, indicator matrix
        The labels.
    f : str, path-like or binary file
        Where to.
    zero_based : bool, default=True
        Whether to count columns from 0; LIBSVM's own tools count from 1.
    comment : str, bytes or None, default=None
        Goes to the head of the file, after ``#``.
    query_id : array-like of shape (n_samples,) or None, default=None
        Numbers to write after ``qid:``.
    multilabel : bool, default=False
        Whether a row has several labels.

    Examples
    --------
    >>> import io
    >>> from lanatus.data.readers._libsvm import dump_svmlight_file
    >>> file = io.BytesIO()
    >>> dump_svmlight_file([[0.5, 0, 2]], [1], file, zero_based=False)
    >>> file.getvalue()
    b'1 1:0.5 3:2\\n'
    """
    options = {"zero_based": zero_based, "comment": comment, "query_id": query_id, "multilabel": multilabel}
    if not isinstance(f, str | os.PathLike):
        sklearn.datasets.dump_svmlight_file(X, y, f, **options)
        return
    try:
        with _OPENERS.get(os.path.splitext(f)[1].lower(), open)(f, "wb") as stream:
            sklearn.datasets.dump_svmlight_file(X, y, stream, **options)
    except OSError as error:
        raise unreadable(f, error) from error
