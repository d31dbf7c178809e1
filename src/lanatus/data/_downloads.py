"""Readers of well-known data sets which the user has fetched; nothing here goes to the network.

A reader looks where `path` says or, without it, in the folder named by the environment variable
``LANATUS_DATA``. A `path` that does not have the file is an error. Only where nothing was asked for does
the fallback come in, and ``source`` in the result tells which it was.
"""

import gzip
import math
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np
from sklearn import datasets as bundled
from sklearn.utils import Bunch

from lanatus.data._book_tables import Attribute, Frame, choice, tabular_bunch
from lanatus.data._schema import Kind

AnyPath = str | os.PathLike[str]


# ------------------------------------------------------------ finding files


def _data_folder() -> Path | None:
    folder = os.environ.get("LANATUS_DATA")
    return Path(folder).expanduser() if folder else None


def _find(names: Sequence[str], folder: Path, inner: str) -> Path | None:
    """The first of `names` in the folder or in the folder of that name inside it."""
    for place in (folder, folder / inner):
        for name in names:
            if (place / name).is_file():
                return place / name
    return None


def _absent(what: str, names: Sequence[str], looked: Path | None, url: str, *, rescue: str = "") -> NoReturn:
    where = f"not in {looked}" if looked is not None else "no path was given and LANATUS_DATA is not set"
    raise FileNotFoundError(
        f"{what}: wanted the file {' or '.join(names)}; {where}. Get it from {url}, put it in a folder and "
        f"give "
        f"that folder as path or in the environment variable LANATUS_DATA.{rescue}"
    )


# ------------------------------------------------------------ MNIST

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
    choice("part", part, ("train", "test"))
    choice("fallback", fallback, ("digits", None))
    url = "http://yann.lecun.com/exdb/mnist/ or a mirror of it"
    if isinstance(path, tuple):
        if len(path) != 2:
            raise ValueError(
                f"path must be a folder or a pair of files, images and labels; got {len(path)} paths."
            )
        found = [Path(file) for file in path]
        for file in found:
            if not file.is_file():
                _absent("MNIST", [file.name], file.parent, url)
    else:
        folder = _data_folder() if path is None else Path(path)
        found = []
        for what in ("images", "labels"):
            names = _mnist_names(part, what)
            match = None if folder is None else _find(names, folder, "mnist")
            if match is not None:
                found.append(match)
            elif path is not None or fallback is None or found:
                _absent("MNIST", names, folder, url)
            else:
                return _digits(part, return_X_y)
    images, labels = (_read_idx(file) for file in found)
    if images.ndim != 3:
        raise ValueError(
            f"{found[0]} should hold images, of 3 dimensions; got an array of shape {images.shape}."
        )
    if labels.ndim != 1:
        raise ValueError(
            f"{found[1]} should hold labels, of 1 dimension; got an array of shape {labels.shape}."
        )
    if len(images) != len(labels):
        raise ValueError(f"{found[0]} has {len(images)} images, but {found[1]} has {len(labels)} labels.")
    descr = f"MNIST handwritten digits, {part} part, read from {found[0]} and {found[1]}.\n"
    return _images(images, labels.astype(np.int64), range(10), str(found[0].parent), descr, return_X_y)


def _digits(part: str, return_X_y: bool) -> Any:
    digits = bundled.load_digits()
    rows = slice(0, 1500) if part == "train" else slice(1500, None)
    images = np.rint(digits.images[rows] * (255 / 16)).astype(np.uint8)
    descr = (
        f"Stand-in for MNIST, {part} part: the 8 x 8 digits that come with scikit-learn (UCI optdigits, "
        f"test file), "
        "scaled from 0-16 to 0-255; the first 1500 are for training, the other 297 for testing.\n"
    )
    return _images(images, digits.target[rows].astype(np.int64), range(10), "digits", descr, return_X_y)


def _images(
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


# ------------------------------------------------------------ faces


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
            raise ValueError(
                f"{file} is a plain PGM image with a value that is no number ({error})."
            ) from None
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
        0.5
        * head
        * (spot(-0.3, 0.48, 0.1, 0.08) + spot(0.3, 0.48, 0.1, 0.08) - spot(0, 0.62, 0.15, 0.06))
        * -1,
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
    choice("fallback", fallback, ("synthetic", None))
    folder = Path(path) if path is not None else _data_folder()
    found = _face_files(folder) if folder is not None else []
    if not found:
        if path is not None or fallback is None:
            url = "http://cvc.cs.yale.edu/cvc/projects/yalefaces/yalefaces.html"
            _absent("Yale faces", ["subject01.happy and so on"], folder, url)
        faces = _synthetic_faces()
        descr = (
            "Stand-in for the Yale faces: drawn, not photographed. 15 people x 11 conditions, each a mean "
            "face, 8 "
            "patterns of the person and 6 of the condition in proportion; the same at every call.\n"
        )
        return _images(
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
                f"images must be of one size: {found[0][2].name} has {images[0].shape}, {file.name} has "
                f"{image.shape}."
            )
    target = np.array([person for person, _, _ in found])
    place = str(found[0][2].parent)
    descr = f"Yale face images: {len(found)} of {len(set(target))} people, read from {place}.\n"
    conditions = [condition for _, condition, _ in found]
    names = sorted({int(person) for person in target})
    return _images(np.array(images), target, names, place, descr, return_X_y, conditions=conditions)


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


# ------------------------------------------------------------ UCI


@dataclass(frozen=True)
class UciTable:
    """A file as the UCI repository has it: columns in its order, ids and target among them, its format."""

    title: str
    folder: str
    file: str
    attributes: tuple[Attribute, ...]
    target: str
    n_rows: int
    ids: str | None = None
    separator: str | None = ","
    header: int = 0
    bundled: str | None = None
    classes: tuple[int, ...] = ()
    notes: str = ""

    @property
    def url(self) -> str:
        """Address of the file."""
        if self.folder.startswith("http"):
            return f"{self.folder}/{self.file}"
        return f"https://archive.ics.uci.edu/ml/machine-learning-databases/{self.folder}/{self.file}"


def _numbers(names: str) -> tuple[Attribute, ...]:
    return tuple(Attribute(name, name) for name in names.split())


def _words(name: str, values: str, kind: Kind = "nominal") -> Attribute:
    """An attribute from ``"code=word code=word"``; a code without word stands for itself."""
    pairs = (value.partition("=") for value in values.split())
    return Attribute(name, name, kind, tuple((code, word or code) for code, _, word in pairs))


_WDBC = (
    "radius texture perimeter area smoothness compactness concavity concave_points symmetry fractal_dimension"
)
_VOTES = (
    "handicapped_infants water_project_cost_sharing adoption_of_the_budget_resolution physician_fee_freeze "
    "el_salvador_aid religious_groups_in_schools anti_satellite_test_ban aid_to_nicaraguan_contras "
    "mx_missile "
    "immigration synfuels_corporation_cutback education_spending superfund_right_to_sue crime "
    "duty_free_exports "
    "export_administration_act_south_africa"
)
_ZOO = "hair feathers eggs milk airborne aquatic predator toothed backbone breathes venomous fins"
_SQUARES = [
    f"{row}_{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
]

_UCI = {
    "abalone": UciTable(
        "Abalone",
        "abalone",
        "abalone.data",
        (
            _words("sex", "M F I"),
            *_numbers("length diameter height whole_weight shucked_weight viscera_weight shell_weight"),
            Attribute("rings", "rings", whole=True),
        ),
        "rings",
        4177,
    ),
    "auto-mpg": UciTable(
        "Auto MPG",
        "auto-mpg",
        "auto-mpg.data",
        (
            *_numbers("mpg cylinders displacement horsepower weight acceleration model_year"),
            _words("origin", "1=usa 2=europe 3=japan"),
            Attribute("car_name", "car_name"),
        ),
        "mpg",
        398,
        ids="car_name",
        separator=None,
        notes="6 values of horsepower are missing.",
    ),
    "balance-scale": UciTable(
        "Balance scale",
        "balance-scale",
        "balance-scale.data",
        (
            _words("class", "L=left B=balanced R=right"),
            *_numbers("left_weight left_distance right_weight right_distance"),
        ),
        "class",
        625,
    ),
    "breast-cancer-wisconsin": UciTable(
        "Breast cancer Wisconsin (original)",
        "breast-cancer-wisconsin",
        "breast-cancer-wisconsin.data",
        (
            Attribute("id", "id"),
            *_numbers(
                "clump_thickness cell_size_uniformity cell_shape_uniformity marginal_adhesion "
                "epithelial_cell_size "
                "bare_nuclei bland_chromatin normal_nucleoli mitoses"
            ),
            _words("class", "2=benign 4=malignant"),
        ),
        "class",
        699,
        ids="id",
        notes="16 values of bare_nuclei are missing.",
    ),
    "car": UciTable(
        "Car evaluation",
        "car",
        "car.data",
        (
            _words("buying", "low med high vhigh", "ordinal"),
            _words("maint", "low med high vhigh", "ordinal"),
            _words("doors", "2 3 4 5more", "ordinal"),
            _words("persons", "2 4 more", "ordinal"),
            _words("lug_boot", "small med big", "ordinal"),
            _words("safety", "low med high", "ordinal"),
            _words("class", "unacc acc good vgood", "ordinal"),
        ),
        "class",
        1728,
    ),
    "diabetes": UciTable(
        "Diabetes progression (Efron et al. 2004; not of UCI)",
        "https://www4.stat.ncsu.edu/~boos/var.select",
        "diabetes.tab.txt",
        _numbers("age sex bmi bp s1 s2 s3 s4 s5 s6 progression"),
        "progression",
        442,
        separator="\t",
        header=1,
        bundled="load_diabetes",
        notes="In the units of the file, not scaled. sex is coded 1 and 2.",
    ),
    "ecoli": UciTable(
        "Ecoli protein localisation",
        "ecoli",
        "ecoli.data",
        (
            Attribute("sequence", "sequence"),
            *_numbers("mcg gvh lip chg aac alm1 alm2"),
            _words("site", "cp im pp imU om omL imL imS"),
        ),
        "site",
        336,
        ids="sequence",
        separator=None,
    ),
    "glass": UciTable(
        "Glass identification",
        "glass",
        "glass.data",
        (
            Attribute("id", "id"),
            *_numbers("RI Na Mg Al Si K Ca Ba Fe"),
            _words(
                "type",
                "1=building_float 2=building_non_float 3=vehicle_float 4=vehicle_non_float 5=containers "
                "6=tableware "
                "7=headlamps",
            ),
        ),
        "type",
        214,
        ids="id",
        notes="No glass in the file is of type 4.",
    ),
    "haberman": UciTable(
        "Haberman's survival",
        "haberman",
        "haberman.data",
        (*_numbers("age year nodes"), _words("survival", "1=five_years_or_more 2=less")),
        "survival",
        306,
    ),
    "heart-cleveland": UciTable(
        "Heart disease, Cleveland",
        "heart-disease",
        "processed.cleveland.data",
        (
            *_numbers("age"),
            _words("sex", "0.0=female 1.0=male"),
            _words("chest_pain", "1.0=typical_angina 2.0=atypical_angina 3.0=non_anginal 4.0=asymptomatic"),
            *_numbers("resting_pressure cholesterol"),
            _words("high_sugar", "0.0=no 1.0=yes"),
            _words("resting_ecg", "0.0=normal 1.0=st_t_abnormality 2.0=hypertrophy"),
            *_numbers("max_heart_rate"),
            _words("exercise_angina", "0.0=no 1.0=yes"),
            *_numbers("st_depression"),
            _words("slope", "1.0=up 2.0=flat 3.0=down"),
            *_numbers("vessels"),
            _words("thal", "3.0=normal 6.0=fixed_defect 7.0=reversible_defect"),
            Attribute("disease", "disease", whole=True),
        ),
        "disease",
        303,
        classes=(0, 1, 2, 3, 4),
        notes="6 values are missing: 4 of vessels and 2 of thal.",
    ),
    "house-votes-84": UciTable(
        "Congressional voting records 1984",
        "voting-records",
        "house-votes-84.data",
        (_words("party", "republican democrat"), *(_words(vote, "n=no y=yes") for vote in _VOTES.split())),
        "party",
        435,
        notes="A question mark, neither yes nor no, is read as missing.",
    ),
    "ionosphere": UciTable(
        "Ionosphere",
        "ionosphere",
        "ionosphere.data",
        (*_numbers(" ".join(f"v{i}" for i in range(1, 35))), _words("class", "g=good b=bad")),
        "class",
        351,
    ),
    "iris": UciTable(
        "Iris",
        "iris",
        "iris.data",
        (
            *_numbers("sepal_length sepal_width petal_length petal_width"),
            _words("species", "Iris-setosa=setosa Iris-versicolor=versicolor Iris-virginica=virginica"),
        ),
        "species",
        150,
        bundled="load_iris",
        notes="The UCI file differs from Fisher's paper in rows 35 and 38; scikit-learn's copy follows the "
        "paper.",
    ),
    "optdigits": UciTable(
        "Optical recognition of handwritten digits, test part",
        "optdigits",
        "optdigits.tes",
        (
            *_numbers(" ".join(f"pixel_{i}_{j}" for i in range(8) for j in range(8))),
            Attribute("digit", "digit", whole=True),
        ),
        "digit",
        1797,
        bundled="load_digits",
        classes=tuple(range(10)),
    ),
    "sonar": UciTable(
        "Connectionist bench, sonar",
        "undocumented/connectionist-bench/sonar",
        "sonar.all-data",
        (*_numbers(" ".join(f"v{i}" for i in range(1, 61))), _words("class", "R=rock M=mine")),
        "class",
        208,
    ),
    "tic-tac-toe": UciTable(
        "Tic-tac-toe endgame",
        "tic-tac-toe",
        "tic-tac-toe.data",
        (*(_words(square, "x o b=blank") for square in _SQUARES), _words("class", "positive negative")),
        "class",
        958,
        notes="positive: x has won.",
    ),
    "wdbc": UciTable(
        "Breast cancer Wisconsin (diagnostic)",
        "breast-cancer-wisconsin",
        "wdbc.data",
        (
            Attribute("id", "id"),
            _words("diagnosis", "M=malignant B=benign"),
            *_numbers(
                " ".join(f"{name}_{how}" for how in ("mean", "error", "worst") for name in _WDBC.split())
            ),
        ),
        "diagnosis",
        569,
        ids="id",
        bundled="load_breast_cancer",
    ),
    "wine": UciTable(
        "Wine",
        "wine",
        "wine.data",
        (
            _words("cultivar", "1=class_0 2=class_1 3=class_2"),
            *_numbers(
                "alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids "
                "nonflavanoid_phenols "
                "proanthocyanins color_intensity hue od280_od315 proline"
            ),
        ),
        "cultivar",
        178,
        bundled="load_wine",
    ),
    "zoo": UciTable(
        "Zoo",
        "zoo",
        "zoo.data",
        (
            Attribute("animal", "animal"),
            *(_words(name, "0=no 1=yes") for name in _ZOO.split()),
            *_numbers("legs"),
            *(_words(name, "0=no 1=yes") for name in ("tail", "domestic", "catsize")),
            _words("type", "1=mammal 2=bird 3=reptile 4=fish 5=amphibian 6=insect 7=invertebrate"),
        ),
        "type",
        101,
        ids="animal",
    ),
}

_OTHER_NAMES = {
    "breast-cancer": "wdbc",
    "digits": "optdigits",
    "heart": "heart-cleveland",
    "house-votes": "house-votes-84",
}


def fetch_uci(
    name: str,
    path: AnyPath | None = None,
    *,
    fallback: Literal["bundled"] | None = "bundled",
    return_X_y: bool = False,
    frame: Frame | None = None,
) -> Any:
    """A UCI data set from the repository's own file, with names, kinds and missing values put in.

    Parameters
    ----------
    name : str
        ``"glass"``, ``"auto-mpg"``, ``"tic-tac-toe"``, ``"iris"``, ``"wine"``, ``"wdbc"`` and others; an
        unknown name gives the list.
    path : path or None, default=None
        The file, or a folder with it (or with a folder `name` that has it). None looks in the folder
        ``LANATUS_DATA``, and if it is not there turns to `fallback`.
    fallback : {"bundled"} or None, default="bundled"
        Where no file is given or found: scikit-learn's copy of iris, wine, wdbc, optdigits and diabetes;
        the others have none. None, or no copy: an error that says which file to get from where.
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data` and `target`; None is pandas where it is installed, or else numpy.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``frame``, ``feature_names``, ``target_name``, ``target_names`` (of classes),
        ``schema_kinds``, ``categories``, ``ids``, ``source`` (the file, or ``"bundled"``) and ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import fetch_uci
    >>> wine = fetch_uci("wine", frame="numpy")
    >>> wine.data.shape, wine.target_names
    ((178, 13), ('class_0', 'class_1', 'class_2'))
    """
    choice("fallback", fallback, ("bundled", None))
    key = name.lower().replace("_", "-") if isinstance(name, str) else name
    key = _OTHER_NAMES.get(key, key)
    choice("name", key, tuple(_UCI))
    table = _UCI[key]
    if path is not None and Path(path).is_file():
        file: Path | None = Path(path)
    else:
        folder = Path(path) if path is not None else _data_folder()
        file = None if folder is None else _find([table.file], folder, key)
        if file is None and (path is not None or fallback is None or table.bundled is None):
            copies = ", ".join(other for other, known in _UCI.items() if known.bundled)
            rescue = f" (scikit-learn brings copies of {copies} only.)" if table.bundled is None else ""
            _absent(f"{table.title} ({key})", [table.file], folder, table.url, rescue=rescue)
    kept = [attribute for attribute in table.attributes if attribute.name != table.ids]
    if file is None:
        values, ids, source = _from_sklearn(table, kept), None, "bundled"
        origin = f"scikit-learn's copy ({table.bundled})"
    else:
        values, ids = _from_file(table, kept, file)
        source, origin = str(file), f"{file}, of {table.url}"
    n_rows = len(values[0])
    bunch = tabular_bunch(
        [attribute.column("en") for attribute in kept],
        values,
        target=table.target,
        frame=frame,
        ids=np.arange(1, n_rows + 1) if ids is None else np.array(ids, dtype=object),
        source=source,
        DESCR=f"{table.title}: {n_rows} rows (the published file has {table.n_rows}), from {origin}. "
        f"{table.notes}\n",
    )
    if table.classes:
        bunch.target_names = table.classes
    return (bunch.data, bunch.target) if return_X_y else bunch


def _from_sklearn(table: UciTable, kept: Sequence[Attribute]) -> list[list[Any]]:
    """Columns, in the order of `kept`, of scikit-learn's copy; its features are all numbers."""
    options = {"scaled": False} if table.bundled == "load_diabetes" else {}
    copy = getattr(bundled, str(table.bundled))(**options)
    features = iter(copy.data.T.tolist())
    values = []
    for attribute in kept:
        if attribute.name != table.target:
            values.append(next(features))
        elif attribute.kind == "numeric":
            values.append(copy.target.tolist())
        else:
            values.append([str(copy.target_names[label]) for label in copy.target])
    return values


def _cut(table: UciTable, file: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not empty."""
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    for number, line in enumerate(lines[table.header :], table.header + 1):
        if not line.strip():
            continue
        if table.separator is None:
            cells = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
        else:
            cells = [cell.strip() for cell in line.strip().split(table.separator)]
        if len(cells) != len(table.attributes):
            raise ValueError(
                f"{file}, line {number}: {len(table.attributes)} columns wanted ({table.title}); got "
                f"{len(cells)}."
            )
        yield number, cells


def _from_file(
    table: UciTable, kept: Sequence[Attribute], file: Path
) -> tuple[list[list[Any]], list[str] | None]:
    """Columns of a UCI file, in the order of `kept`, and its ids."""
    numbered = list(_cut(table, file))
    if not numbered:
        raise ValueError(f"{file} is empty; {table.n_rows} rows wanted ({table.title}).")
    at = {attribute.name: j for j, attribute in enumerate(table.attributes)}
    values = []
    for attribute in kept:
        column = []
        for line, cells in numbered:
            cell = cells[at[attribute.name]]
            try:
                column += attribute.read(["" if cell == "?" else cell], "en")
            except (KeyError, ValueError):
                known = ", ".join(code for code, _ in attribute.values) or (
                    "an integer" if attribute.whole else "a number"
                )
                raise ValueError(
                    f"{file}, line {line}, {attribute.name}: wanted {known} or ?; got {cell!r}."
                ) from None
        values.append(column)
    ids = None if table.ids is None else [cells[at[table.ids]] for _, cells in numbered]
    return values, ids
