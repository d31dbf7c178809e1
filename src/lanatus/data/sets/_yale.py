"""Yale faces, or drawn ones in their place."""

import re
from pathlib import Path
from typing import Any, Literal

import numpy as np

from lanatus.catalog import method
from lanatus.data.sets._local import AnyPath, absent, data_folder, image_bunch
from lanatus.params import check_choice

_GAP = rb"(?:\s|#[^\n\r]*[\n\r])+"  # white space and comments
_PGM_HEADER = re.compile(rb"P([25])" + _GAP + rb"(\d+)" + _GAP + rb"(\d+)" + _GAP + rb"(\d+)")


def _read_pgm(file: Path) -> np.ndarray:
    """A grey image in the PGM format, plain (P2) or raw (P5), as floats from 0 to 1."""
    raw = file.read_bytes()
    head = _PGM_HEADER.match(raw)
    if head is None:
        raise ValueError(
            f"{file} is not a PGM image: it should begin with P2 or P5, width, height and greatest value; "
            f"got {raw[:16]!r}."
        )
    width, height, top = (int(head[i]) for i in (2, 3, 4))
    if not (width and height and 0 < top < 65536):
        raise ValueError(f"{file} is a PGM image of width {width}, height {height} and greatest value {top}.")
    if head[1] == b"5":  # one white space, then the bytes
        dtype = np.dtype("u1" if top < 256 else ">u2")
        body = raw[head.end() + 1 :]
        values = np.frombuffer(body, dtype, min(width * height, len(body) // dtype.itemsize))
    else:
        plain = re.sub(rb"#[^\n\r]*", b"", raw[head.end() :]).split()
        try:
            values = np.array([int(word) for word in plain[: width * height]])
        except ValueError as error:
            raise ValueError(f"{file} is a plain PGM image with a value that is no number ({error}).") from None
    if len(values) != width * height:
        raise ValueError(f"{file} is cut short: {height} x {width} pixels wanted; got {len(values)}.")
    if values.max() > top or values.min() < 0:
        raise ValueError(
            f"{file} should have values from 0 to {top}; got values from {values.min()} to {values.max()}."
        )
    return values.reshape(height, width) / top


def _read_image(file: Path) -> np.ndarray:
    """Any image as grey floats from 0 to 1; PGM by our own reader, the rest by matplotlib."""
    with file.open("rb") as opened:
        magic = opened.read(2)
    if magic in (b"P2", b"P5"):
        return _read_pgm(file)
    from matplotlib.image import imread

    try:
        image = np.asarray(imread(file))
    except (OSError, ValueError, SyntaxError) as error:
        raise ValueError(
            f"{file} cannot be read as an image ({error}). Convert it to PGM, or remove it from the folder."
        ) from error
    scale = 1.0 if image.dtype.kind == "f" else float(np.iinfo(image.dtype).max)
    grey = image[..., :3].mean(axis=2) if image.ndim == 3 else image
    return np.asarray(grey, dtype=float) / scale


_CONDITIONS = {  # what each adds: light from the right, smile, open mouth, left eye, right eye, glasses
    "centerlight": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "glasses": (0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    "happy": (0.0, 1.0, 0.3, 0.0, 0.0, 0.0),
    "leftlight": (-1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "noglasses": (0.1, 0.0, 0.0, 0.0, 0.0, 0.0),
    "normal": (0.0, 0.1, 0.0, 0.0, 0.0, 0.0),
    "rightlight": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "sad": (0.0, -1.0, 0.0, 0.0, 0.0, 0.0),
    "sleepy": (0.0, 0.0, 0.0, -1.0, -1.0, 0.0),
    "surprised": (0.0, 0.0, 1.0, 0.5, 0.5, 0.0),
    "wink": (0.0, 0.2, 0.0, -1.0, 0.0, 0.0),
}


def _synthetic_faces(n_subjects: int = 15, height: int = 48, width: int = 40) -> np.ndarray:
    """Faces of shape (subject, condition, height, width), the same at every call.

    Each is a mean face, plus 8 smooth patterns in proportions that make the person, plus the 6 patterns of
    its condition: a matrix of rank at most 15 before it is scaled to lie between 0 and 1.
    """
    v, u = np.meshgrid(np.linspace(-1.2, 1.2, height), np.linspace(-1, 1, width), indexing="ij")

    def spot(x: float, y: float, sx: float, sy: float) -> np.ndarray:
        return np.exp(-(((u - x) / sx) ** 2 + ((v - y) / sy) ** 2) / 2)

    head = 1 / (1 + np.exp(8 * ((u / 0.8) ** 2 + (v / 1.1) ** 2 - 1)))
    left, right = spot(-0.35, -0.25, 0.13, 0.07), spot(0.35, -0.25, 0.13, 0.07)
    mouth, nose = spot(0, 0.55, 0.28, 0.06), spot(0, 0.15, 0.08, 0.22)
    mean = head * (0.6 - 0.5 * (left + right) - 0.35 * mouth + 0.15 * nose)
    persons = [head * np.cos(np.pi * (i * u + j * v) / 2) for i in range(3) for j in range(3) if i + j][:8]
    frames = spot(-0.35, -0.25, 0.2, 0.16) + spot(0.35, -0.25, 0.2, 0.16)
    changes = [
        0.35 * head * u,
        0.5 * head * (spot(-0.3, 0.48, 0.1, 0.08) + spot(0.3, 0.48, 0.1, 0.08) - spot(0, 0.62, 0.15, 0.06)) * -1,
        -0.4 * spot(0, 0.62, 0.18, 0.14),
        -0.4 * left,
        -0.4 * right,
        -0.3 * frames,
    ]
    mix = np.random.RandomState(20160101).normal(scale=0.06, size=(n_subjects, 8))
    who = np.tensordot(mix, np.array(persons), axes=1)
    how = np.tensordot(np.array(list(_CONDITIONS.values())), np.array(changes), axes=1)
    faces = mean + who[:, None] + how[None, :]
    return (faces - faces.min()) / (faces.max() - faces.min())


@method(
    "data.yale-faces",
    section="ex 10.6",
    task="data",
    kind="dataset",
    en="Yale face images",
    zh="Yale人脸数据集",
    peers=["scikit-learn:fetch_olivetti_faces"],
)
def load_yale_faces(
    path: AnyPath | None = None,
    *,
    fallback: Literal["synthetic"] | None = "synthetic",
    return_X_y: bool = False,
) -> Any:
    """Yale face images: 15 people, 11 conditions of light and expression each, or a stand-in (exercise 10.6).

    Parameters
    ----------
    path : path or None, default=None
        Folder of images named ``subject01.happy`` and so on, with any ending after that; all of one size,
        in PGM, GIF or another format that matplotlib reads. None looks in ``yalefaces`` in the folder
        ``LANATUS_DATA``, then in that folder itself, and if there are none turns to `fallback`.
    fallback : {"synthetic"} or None, default="synthetic"
        Stand-in where no images are given or found: 15 x 11 drawn faces of 48 x 40 pixels, of low rank,
        with light from the sides, the same at every call. None: an error that says what to get.
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.

    Returns
    -------
    Bunch
        ``data`` (float array of shape (n, pixels), from 0 to 1), ``target`` (number of the person),
        ``conditions`` (words after the number), ``images``, ``feature_names``, ``target_names``,
        ``schema_kinds``, ``categories``, ``frame`` (None), ``source`` (the folder, or ``"synthetic"``) and
        ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_yale_faces
    >>> faces = load_yale_faces(fallback="synthetic")
    >>> faces.images.shape, faces.conditions[3]
    ((165, 48, 40), 'leftlight')
    """
    check_choice("fallback", fallback, ("synthetic", None))
    folder = Path(path) if path is not None else data_folder()
    found = _face_files(folder) if folder is not None else []
    if not found:
        if path is not None or fallback is None:
            url = "http://cvc.cs.yale.edu/cvc/projects/yalefaces/yalefaces.html"
            absent("Yale faces", ["subject01.happy and so on"], folder, url)
        faces = _synthetic_faces()
        descr = (
            "Stand-in for the Yale faces: drawn, not photographed. 15 people x 11 conditions, each a mean "
            "face, 8 "
            "patterns of the person and 6 of the condition in proportion; the same at every call.\n"
        )
        return image_bunch(
            faces.reshape(-1, *faces.shape[2:]),
            np.repeat(np.arange(1, len(faces) + 1), len(_CONDITIONS)),
            range(1, len(faces) + 1),
            "synthetic",
            descr,
            return_X_y,
            conditions=list(_CONDITIONS) * len(faces),
        )
    images = [_read_image(file) for _, _, file in found]
    for image, (_, _, file) in zip(images, found, strict=True):
        if image.shape != images[0].shape:
            raise ValueError(
                f"images must be of one size: {found[0][2].name} has {images[0].shape}, {file.name} has {image.shape}."
            )
    target = np.array([person for person, _, _ in found])
    place = str(found[0][2].parent)
    descr = f"Yale face images: {len(found)} of {len(set(target))} people, read from {place}.\n"
    conditions = [condition for _, condition, _ in found]
    names = sorted({int(person) for person in target})
    return image_bunch(np.array(images), target, names, place, descr, return_X_y, conditions=conditions)


def _face_files(folder: Path) -> list[tuple[int, str, Path]]:
    """(person, condition, file) of the images in a folder or in ``yalefaces`` inside it."""
    for place in (folder / "yalefaces", folder):
        found = []
        for file in sorted(place.iterdir()) if place.is_dir() else ():
            name = re.fullmatch(r"subject(\d+)[._-](.+)", file.name)
            if name and file.is_file() and not name[2].endswith((".txt", ".md")):
                condition = re.sub(r"\.(pgm|gif|png|jpe?g|bmp|tiff?)$", "", name[2], flags=re.IGNORECASE)
                found.append((int(name[1]), condition, file))
        if found:
            return sorted(found)
    return []
