"""Readers of fetched data sets: whole files, damaged files, and what stands in for absent ones."""

import gzip
import socket
import struct

import numpy as np
import pytest
import sklearn.datasets

from lanatus.data import fetch_uci, load_mnist, load_yale_faces


@pytest.fixture(autouse=True)
def no_data_folder_and_no_network(monkeypatch):
    monkeypatch.delenv("LANATUS_DATA", raising=False)

    def refuse(*args, **kwargs):
        raise AssertionError("a reader went to the network")

    monkeypatch.setattr(socket, "socket", refuse)


# ------------------------------------------------------------ MNIST


def idx(array, code=0x08):
    head = struct.pack(">BBBB", 0, 0, code, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.tobytes()


IMAGES = np.arange(3 * 28 * 28, dtype=np.uint32).reshape(3, 28, 28).astype(np.uint8)
LABELS = np.array([7, 2, 1], dtype=np.uint8)


def mnist(folder, part="train", images=None, labels=None, sep="-", end=""):
    folder.mkdir(exist_ok=True)
    pack = gzip.compress if end else bytes
    (folder / f"{part}-images{sep}idx3-ubyte{end}").write_bytes(pack(idx(IMAGES) if images is None else images))
    (folder / f"{part}-labels{sep}idx1-ubyte{end}").write_bytes(pack(idx(LABELS) if labels is None else labels))
    return folder


@pytest.mark.covers("data.mnist-idx")
@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("sep", ["-", "."])
@pytest.mark.parametrize(("part", "stem"), [("train", "train"), ("test", "t10k")])
def test_mnist_from_a_folder(tmp_path, part, stem, sep, end):
    bunch = load_mnist(mnist(tmp_path, stem, sep=sep, end=end), part=part)
    np.testing.assert_array_equal(bunch.images, IMAGES)
    np.testing.assert_array_equal(bunch.data, IMAGES.reshape(3, 784))
    assert bunch.data.dtype == np.uint8
    assert bunch.target.tolist() == [7, 2, 1]
    assert bunch.source == str(tmp_path)
    assert bunch.feature_names[28] == "pixel_1_0"


@pytest.mark.covers("data.mnist-idx")
def test_mnist_from_files_and_from_the_data_folder(tmp_path, monkeypatch):
    folder = mnist(tmp_path / "mnist", end=".gz")
    files = folder / "train-images-idx3-ubyte.gz", folder / "train-labels-idx1-ubyte.gz"
    X, y = load_mnist(files, return_X_y=True)
    assert X.shape == (3, 784)
    assert y.tolist() == [7, 2, 1]
    monkeypatch.setenv("LANATUS_DATA", str(tmp_path))
    assert load_mnist().source == str(folder)
    assert load_mnist(part="test").source == "digits"  # only the training files are there


@pytest.mark.covers("data.mnist-idx")
def test_mnist_stand_in():
    train, test = load_mnist(), load_mnist(part="test")
    digits = sklearn.datasets.load_digits()
    assert (len(train.data), len(test.data)) == (1500, 297)
    both = np.vstack([train.data, test.data])
    assert both.dtype == np.uint8
    assert (both.min(), both.max()) == (0, 255)
    np.testing.assert_allclose(both / 255 * 16, digits.data, atol=16 / 255 / 2 + 1e-12)
    assert np.concatenate([train.target, test.target]).tolist() == digits.target.tolist()
    assert train.source == "digits"
    assert "Stand-in" in train.DESCR


@pytest.mark.covers("data.mnist-idx")
@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (b"", None, r"not an IDX file.*got nothing"),
        (b"\x89PNG....", None, r"not an IDX file.*got 89 50 4e 47"),
        (b"\0\0\x07\x03" + bytes(12), None, r"not an IDX file"),
        (idx(IMAGES)[:10], None, r"cut short: its header takes 16 bytes; got 10"),
        (idx(IMAGES)[:-1], None, r"cut short: an array of shape \(3, 28, 28\) takes 2368 bytes; got 2367"),
        (idx(IMAGES) + b"!", None, r"more than its header says.*2368 bytes; got 2369"),
        (b"\x1f\x8b\x08" + bytes(20), None, r"damaged gzip"),
        (gzip.compress(idx(IMAGES))[:-20], None, r"damaged gzip"),
        (idx(LABELS), None, r"should hold images, of 3 dimensions; got an array of shape \(3,\)"),
        (None, idx(IMAGES), r"should hold labels, of 1 dimension"),
        (None, idx(LABELS[:2]), r"has 3 images, but .* has 2 labels"),
    ],
)
def test_damaged_mnist_files(tmp_path, images, labels, message):
    with pytest.raises(ValueError, match=message):
        load_mnist(mnist(tmp_path, images=images, labels=labels))


@pytest.mark.parametrize(
    ("code", "dtype"),
    [(0x08, "u1"), (0x09, "i1"), (0x0B, ">i2"), (0x0C, ">i4"), (0x0D, ">f4"), (0x0E, ">f8")],
)
def test_idx_types(tmp_path, code, dtype):
    images = np.array([[[1, 2], [3, 100]]], dtype=dtype)
    bunch = load_mnist(mnist(tmp_path, images=idx(images, code), labels=idx(LABELS[:1])))
    assert bunch.images.tolist() == images.tolist()
    assert bunch.images.dtype == np.dtype(dtype).newbyteorder("=")


def test_a_path_without_the_files_is_an_error_even_with_a_fallback(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"train-images-idx3-ubyte.*not in .*Get it from http"):
        load_mnist(tmp_path)
    mnist(tmp_path)
    (tmp_path / "train-labels-idx1-ubyte").unlink()
    with pytest.raises(FileNotFoundError, match="train-labels-idx1-ubyte"):
        load_mnist(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"nothing\.idx"):
        load_mnist((tmp_path / "nothing.idx", tmp_path / "nothing.idx"))
    with pytest.raises(FileNotFoundError, match="LANATUS_DATA is not set"):
        load_mnist(fallback=None)


def test_mnist_arguments():
    with pytest.raises(ValueError, match=r"part must be one of 'train', 'test'; got 'valid'"):
        load_mnist(part="valid")
    with pytest.raises(ValueError, match=r"fallback must be one of 'digits', None; got 'zeros'"):
        load_mnist(fallback="zeros")
    with pytest.raises(ValueError, match="got 3 paths"):
        load_mnist(("a", "b", "c"))


# ------------------------------------------------------------ faces

GREY = np.array([[0, 10, 20], [30, 40, 255]], dtype=np.uint8)


def faces(folder, **files):
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


RAW = b"P5\n# made by hand\n3 2\n255\n" + GREY.tobytes()
PLAIN = b"P2 3 2 # three by two\n255\n0 10 20\n30 40 255 # end\n"
DEEP = b"P5 3 2 65535\n" + (GREY.astype(">u2") * 257).tobytes()


@pytest.mark.covers("data.yale-faces")
def test_faces_from_pgm_files(tmp_path):
    faces(
        tmp_path,
        subject02__sad__pgm=PLAIN,
        subject01__happy=RAW,
        subject01__glasses__PGM=DEEP,
        Readme__txt=b"hello",
    )
    bunch = load_yale_faces(tmp_path)
    assert bunch.target.tolist() == [1, 1, 2]
    assert bunch.conditions == ["glasses", "happy", "sad"]
    for image in bunch.images:
        np.testing.assert_allclose(image, GREY / 255, atol=1e-12)
    assert bunch.data.shape == (3, 6)
    assert bunch.target_names == (1, 2)


@pytest.mark.covers("data.yale-faces")
@pytest.mark.parametrize("kind", ["gif", "png"])
def test_faces_in_other_formats(tmp_path, monkeypatch, kind):
    pillow = pytest.importorskip("PIL.Image")
    folder = tmp_path / "yalefaces"
    folder.mkdir()
    name = "subject03.wink" if kind == "gif" else "subject03.wink.png"  # the original GIFs have no ending
    pillow.fromarray(GREY).save(folder / name, format=kind.upper())
    monkeypatch.setenv("LANATUS_DATA", str(tmp_path))
    bunch = load_yale_faces()
    assert bunch.conditions == ["wink"]
    np.testing.assert_allclose(bunch.images[0], GREY / 255, atol=1e-7)


@pytest.mark.covers("data.yale-faces")
def test_synthetic_faces_are_like_faces_of_few_dimensions():
    bunch = load_yale_faces()
    assert bunch.source == "synthetic"
    assert np.bincount(bunch.target)[1:].tolist() == [11] * 15
    assert (bunch.data.min(), bunch.data.max()) == (0, 1)
    np.testing.assert_array_equal(bunch.data, load_yale_faces().data)
    values = np.linalg.svd(bunch.data - bunch.data.mean(axis=0), compute_uv=False)
    assert values[14] < 1e-10 * values[0]
    assert values[9] > 1e-3 * values[0]
    # light from a side is by far the largest change, as in the photographs, and it comes from that side
    where = {name: np.array([c == name for c in bunch.conditions]) for name in ("leftlight", "rightlight", "normal")}
    left, right = (bunch.images[where[side]].mean(axis=0) for side in ("leftlight", "rightlight"))
    assert (left - right)[:, :20].sum() > 0 > (left - right)[:, 20:].sum()
    # and a person's plain faces are nearer to each other than to anyone else's
    plain = [np.array([c == name for c in bunch.conditions]) for name in ("centerlight", "noglasses")]
    gaps = np.linalg.norm(bunch.data[plain[0]][:, None] - bunch.data[plain[1]], axis=2)
    assert gaps.argmin(axis=1).tolist() == list(range(15))


@pytest.mark.covers("data.yale-faces")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"P5 3 2\n", r"not a PGM image.*got b'P5 3 2"),
        (b"P5 0 2 255\n", r"width 0, height 2"),
        (b"P5 3 2 70000\n" + bytes(12), r"greatest value 70000"),
        (RAW[:-2], r"cut short: 2 x 3 pixels wanted; got 4"),
        (b"P5 3 2 255\n", r"cut short: 2 x 3 pixels wanted; got 0"),
        (b"P2 3 2 255\n1 2 3 4 5", r"cut short: 2 x 3 pixels wanted; got 5"),
        (b"P2 3 2 255\n1 2 3 4 5 six", r"no number"),
        (b"P2 3 2 99\n1 2 3 4 5 100", r"values from 0 to 99; got values from 1 to 100"),
        (b"P2 3 2 99\n1 2 3 4 5 -6", r"values from 0 to 99; got values from -6"),
        (b"no image at all", r"cannot be read as an image"),
    ],
)
def test_damaged_faces(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        load_yale_faces(faces(tmp_path, subject01__happy=content))


def test_faces_of_two_sizes_or_of_nobody(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"subject01.happy.*not in"):
        load_yale_faces(tmp_path)
    with pytest.raises(FileNotFoundError, match="LANATUS_DATA"):
        load_yale_faces(fallback=None)
    faces(tmp_path, subject01__happy=RAW, subject01__sad=b"P2 1 1 1\n0")
    with pytest.raises(ValueError, match=r"one size: subject01.happy has \(2, 3\), subject01.sad has \(1, 1\)"):
        load_yale_faces(tmp_path)


# ------------------------------------------------------------ UCI

GLASS = """1,1.52101,13.64,4.49,1.10,71.78,0.06,8.75,0.00,0.00,1
2,1.51761,13.89,3.60,1.36,72.73,0.48,7.83,0.00,0.00,7

"""
AUTO = (
    '18.0   8   307.0      130.0      3504.      12.0   70  1\t"chevrolet chevelle malibu"\n'
    '25.0   4   98.00      ?          2046.      19.0   71  1\t"ford pinto"\n'
    '24.0   4   113.0      95.00      2372.      15.0   70  3\t"toyota corona mark ii"\n'
)
TOE = "x,x,x,x,o,o,x,o,o,positive\nb,o,x,o,x,b,x,o,o,negative\n"


@pytest.mark.covers("data.uci-loader")
def test_glass(tmp_path):
    (tmp_path / "glass.data").write_text(GLASS)
    bunch = fetch_uci("glass", tmp_path, frame="numpy")
    assert bunch.feature_names == ["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"]
    assert bunch.data[1].tolist() == [1.51761, 13.89, 3.6, 1.36, 72.73, 0.48, 7.83, 0, 0]
    assert bunch.target.tolist() == ["building_float", "headlamps"]
    assert bunch.ids.tolist() == ["1", "2"]
    assert len(bunch.target_names) == 7
    assert fetch_uci("glass", tmp_path / "glass.data", frame="numpy").data.tolist() == bunch.data.tolist()


@pytest.mark.covers("data.uci-loader")
@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow"])
def test_auto_mpg_has_quoted_names_and_a_hole(tmp_path, monkeypatch, frame):
    (tmp_path / "auto-mpg").mkdir()
    (tmp_path / "auto-mpg" / "auto-mpg.data").write_text(AUTO)
    monkeypatch.setenv("LANATUS_DATA", str(tmp_path))
    bunch = fetch_uci("auto_mpg", frame=frame)
    assert list(bunch.target) == [18, 25, 24] if frame != "pyarrow" else bunch.target.to_pylist() == [18, 25, 24]
    assert bunch.ids.tolist() == ["chevrolet chevelle malibu", "ford pinto", "toyota corona mark ii"]
    assert bunch.schema_kinds["origin"] == "nominal"
    assert "target_names" not in bunch
    column = bunch.data["horsepower"]
    missing = (
        column.isna().tolist()
        if frame == "pandas"
        else column.is_null().to_pylist()
        if frame == "pyarrow"
        else column.is_null().to_list()
    )
    assert missing == [False, True, False]
    origin = bunch.data["origin"]
    assert (origin.to_pylist() if frame == "pyarrow" else list(origin)) == ["usa", "usa", "japan"]


@pytest.mark.covers("data.uci-loader")
def test_tic_tac_toe_is_nominal(tmp_path):
    (tmp_path / "tic-tac-toe.data").write_text(TOE)
    bunch = fetch_uci("tic-tac-toe", tmp_path, frame="pandas")
    assert set(bunch.schema_kinds.values()) == {"nominal"}
    assert bunch.categories["top_left"] == ("x", "o", "blank")
    assert bunch.data.iloc[1].tolist() == ["blank", "o", "x", "o", "x", "blank", "x", "o", "o"]
    assert bunch.target.tolist() == ["positive", "negative"]


OTHERS = {
    "abalone": ("abalone.data", "M,0.455,0.365,0.095,0.514,0.2245,0.101,0.15,15", 8, 15),
    "balance-scale": ("balance-scale.data", "B,1,1,1,1", 4, "balanced"),
    "breast-cancer-wisconsin": (
        "breast-cancer-wisconsin.data",
        "1057013,8,4,5,1,2,?,7,3,1,4",
        9,
        "malignant",
    ),
    "car": ("car.data", "vhigh,vhigh,2,2,small,low,unacc", 6, "unacc"),
    "ecoli": ("ecoli.data", "AAT_ECOLI   0.49  0.29  0.48  0.50  0.56  0.24  0.35   cp", 7, "cp"),
    "haberman": ("haberman.data", "30,64,1,1", 3, "five_years_or_more"),
    "heart": (
        "processed.cleveland.data",
        "63.0,1.0,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,?,6.0,0",
        13,
        0,
    ),
    "house-votes-84": ("house-votes-84.data", "republican,n,y,n,y,y,y,n,n,n,y,?,y,y,y,n,y", 16, "republican"),
    "ionosphere": ("ionosphere.data", ",".join(["1", "0", *["0.5"] * 32, "g"]), 34, "good"),
    "sonar": ("sonar.all-data", ",".join([*["0.02"] * 60, "R"]), 60, "rock"),
    "zoo": ("zoo.data", "aardvark,1,0,0,1,0,0,1,1,1,1,0,0,4,0,0,1,1", 16, "mammal"),
}


@pytest.mark.covers("data.uci-loader")
@pytest.mark.parametrize("name", OTHERS)
def test_one_line_of_each_other_file(tmp_path, name):
    file, line, width, label = OTHERS[name]
    (tmp_path / file).write_text(line + "\r\n")
    bunch = fetch_uci(name, tmp_path, frame="numpy")
    assert bunch.data.shape == (1, width)
    assert bunch.target.tolist() == [label]
    holes = [v for v in bunch.data[0] if v is None or v != v]
    assert len(holes) == line.count("?")


BUNDLED = {
    "iris": ("iris.data", lambda x, label: [*x, ["Iris-setosa", "Iris-versicolor", "Iris-virginica"][label]]),
    "wine": ("wine.data", lambda x, label: [label + 1, *x]),
    "breast_cancer": ("wdbc.data", lambda x, label: [842302, "MB"[label], *x]),
    "digits": ("optdigits.tes", lambda x, label: [*x.astype(int), label]),
}
MAKERS = {
    "iris": "load_iris",
    "wine": "load_wine",
    "breast_cancer": "load_breast_cancer",
    "digits": "load_digits",
}


@pytest.mark.covers("data.uci-loader")
@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_copies_and_files_read_alike(tmp_path, name):
    copy = getattr(sklearn.datasets, MAKERS[name])()
    file, line = BUNDLED[name]
    rows = [line(x, label) for x, label in zip(copy.data, copy.target, strict=True)]
    (tmp_path / file).write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    read, stand_in = fetch_uci(name, tmp_path, frame="numpy"), fetch_uci(name, frame="numpy")
    assert stand_in.source == "bundled"
    np.testing.assert_array_equal(read.data, copy.data)
    np.testing.assert_array_equal(stand_in.data, copy.data)
    assert read.target.tolist() == stand_in.target.tolist()
    assert list(read.target_names) == list(copy.target_names)
    assert stand_in.target.tolist() == [copy.target_names[label] for label in copy.target]


def test_bundled_diabetes_is_in_the_units_of_the_file(tmp_path):
    bunch = fetch_uci("diabetes", frame="numpy")
    assert bunch.data[0].tolist() == [
        59,
        2,
        32.1,
        101,
        157,
        93.2,
        38,
        4,
        4.8598,
        87,
    ]  # first line of the file
    assert bunch.target[0] == 151
    (tmp_path / "diabetes.tab.txt").write_text(
        "AGE\tSEX\tBMI\tBP\tS1\tS2\tS3\tS4\tS5\tS6\tY\n59\t2\t32.1\t101\t157\t93.2\t38\t4\t4.8598\t87\t151\n"
    )
    X, y = fetch_uci("diabetes", tmp_path, frame="numpy", return_X_y=True)
    assert X[0].tolist() == bunch.data[0].tolist()
    assert y.tolist() == [151]


@pytest.mark.covers("data.uci-loader")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"glass.data is empty; 214 rows wanted"),
        (GLASS.replace(",7\n", "\n"), r"line 2: 11 columns wanted .*; got 10"),
        (GLASS.replace("13.89", "many"), r"line 2, Na: wanted a number or \?; got 'many'"),
        (GLASS.replace(",7\n", ",8\n"), r"line 2, type: wanted 1, 2, 3, 4, 5, 6, 7 or \?; got '8'"),
    ],
)
def test_damaged_uci_files(tmp_path, content, message):
    (tmp_path / "glass.data").write_text(content)
    with pytest.raises(ValueError, match=message):
        fetch_uci("glass", tmp_path)


@pytest.mark.covers("data.uci-loader")
def test_absent_uci_files(tmp_path):
    with pytest.raises(
        FileNotFoundError,
        match=r"glass.data; no path .*Get it from https://archive.ics.uci.edu/\S*glass.data",
    ):
        fetch_uci("glass")
    with pytest.raises(FileNotFoundError, match=r"iris.data; not in"):
        fetch_uci("iris", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"iris\.data"):
        fetch_uci("iris", fallback=None)
    with pytest.raises(ValueError, match=r"name must be one of 'abalone', .*'zoo'; got 'unicorn'"):
        fetch_uci("unicorn")
