"""What lanatus promises of every estimator beyond scikit-learn's checks."""

import inspect
import pickle
import re
import warnings
from contextlib import contextmanager, suppress

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from conformance.cases import (
    BATCHED,
    BY_LAPACK,
    BY_ROUNDS,
    CHANCES,
    COLUMN_A_ROW,
    ENTRIES,
    FEW_ROWS,
    NAMES,
    NO_CONSTANT,
    OF_NUMBERS,
    OF_SEQUENCES,
    Failures,
    answers,
    assert_same,
    build,
    enough,
    fitted_on_mixed,
    learns_labels,
    mixed,
    numbers,
    renumbered,
    seeded,
)
from sklearn import config_context
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from threadpoolctl import threadpool_limits

import lanatus
from lanatus.base import check_state
from lanatus.table import Table, UnseenCategoryWarning

each = pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)


def takes(entry):
    return build(entry)._takes


@each
def test_rules_signature_and_docstring_name_the_same_parameters(entry):
    signature = list(inspect.signature(entry.object.__init__).parameters)[1:]
    section = entry.object.__doc__.split("Parameters\n")[1].split("Attributes\n")[0].split("Examples\n")[0]
    documented = [name for line in re.findall(r"^    (\w[\w, ]*) : ", section, re.M) for name in line.split(", ")]
    assert documented == signature
    assert list(entry.object._params) == signature
    for name, rule in entry.object._params.items():
        default = inspect.signature(entry.object.__init__).parameters[name].default
        assert default is inspect.Parameter.empty or rule.accepts(default), f"the default of {name} breaks its own rule"


@each
def test_docstring_says_section_cost_and_has_an_example(entry):
    doc = entry.object.__doc__
    for words in ("ook: ", "ost: ", "Examples\n"):  # the book or the cookbook; cost
        assert words in doc


@each
def test_public_methods_say_what_they_do(entry):
    """Most inherit their docstring: help() and the API pages show that of the base."""
    members = {name: getattr(entry.object, name) for name in dir(entry.object) if not name.startswith("_")}
    spoken = {name: member for name, member in members.items() if callable(member) or isinstance(member, property)}
    assert "fit" in spoken
    assert [name for name, member in spoken.items() if not inspect.getdoc(member)] == []


@each
@pytest.mark.parametrize("verb", ["fit", "predict", "predict_proba", "transform", "fit_resample"])
def test_inherited_docstrings_name_the_parameters(entry, verb):
    """A docstring with a section of parameters has those of the signature, its own or its base's alike."""
    method = getattr(entry.object, verb, None)
    section = re.split(r"^Parameters\n-+\n", inspect.getdoc(method) or "", maxsplit=1, flags=re.M)
    if len(section) == 1:
        pytest.skip("no such method, or one that says it in a sentence")
    named = re.split(r"^\w+\n-+$", section[1], maxsplit=1, flags=re.M)[0]
    documented = [name for line in re.findall(r"^([\w*][\w*, ]*) : ", named, re.M) for name in line.split(", ")]
    parameters = list(inspect.signature(method).parameters.values())[1:]
    wanted = [f"**{one.name}" if one.kind == one.VAR_KEYWORD else one.name for one in parameters]
    assert documented == wanted


@each
def test_html_repr_links_to_the_docs(entry):
    html = build(entry)._repr_html_()
    assert f"#lanatus.{entry.path.split('.')[1]}.{entry.name}" in html


@each
def test_wrong_parameters_are_named(entry):
    X, y = numbers(entry)
    for name in entry.object._params:
        model = build(entry).set_params(**{name: object()})
        with pytest.raises((ValueError, TypeError), match=name):
            model.fit(X, y)


@each
def test_mixed_frames_of_every_library_give_the_same_model(entry):
    frame, y = mixed(entry)
    unordered = frame.copy()  # polars has no ordered categories
    unordered["size"] = frame["size"].cat.set_categories(["l", "m", "s"]).cat.as_unordered()
    models = {id(frame): fitted_on_mixed(entry), id(unordered): seeded(entry).fit(unordered, y)}
    expected = {id(one): answers(models[id(one)], one) for one in (frame, unordered)}
    failures = Failures()
    for library, convert, one in [
        ("polars", pl.from_pandas, unordered),
        ("pyarrow", pa.Table.from_pandas, frame),
        ("Table", Table.of, frame),
    ]:
        with failures.of(library):
            other = convert(one)
            assert_same(answers(seeded(entry).fit(other, y), other), expected[id(one)], rtol=1e-12)
    failures.tell()


@each
def test_list_of_dicts_and_object_arrays(entry):
    frame, y = mixed(entry)
    frame = frame[["密度", "色泽"]]
    expected = answers(build(entry).fit(frame, y), frame)
    rows = frame.to_dict("records")
    assert_same(answers(build(entry).fit(rows, y), rows), expected, rtol=1e-12)
    if entry.name in ("OneHotEncoder", "OrdinalEncoder"):
        return  # they encode all columns of an array, as scikit-learn's; see tests/preprocess
    array = frame.to_numpy(dtype=object)
    assert_same(answers(build(entry).fit(array, y), array), expected, rtol=1e-12)


@each
def test_columns_are_matched_by_name(entry):
    frame, _ = mixed(entry)
    model = fitted_on_mixed(entry)
    expected = answers(model, frame)
    assert list(model.feature_names_in_) == list(frame.columns)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shuffled = frame[list(frame.columns)[::-1]]
        assert_same(answers(model, shuffled), expected)
    verb = next(iter(expected))
    for wrong, words in [
        (frame.rename(columns={"密度": "density"}), ["unseen at fit time", "density", "now missing", "密度"]),
        (frame.drop(columns=["色泽"]), ["now missing", "色泽"]),
        (frame.assign(extra=1), ["unseen at fit time", "extra"]),
    ]:
        with pytest.raises(ValueError) as error:
            getattr(model, verb)(wrong)
        assert all(word in str(error.value) for word in words)


@each
def test_unseen_category_warns_once_and_counts_as_missing(entry):
    frame, _ = mixed(entry)
    model = fitted_on_mixed(entry)
    new = frame.copy()
    new["色泽"] = "purple"
    verb = next(iter(answers(model, frame)))
    with pytest.warns(UnseenCategoryWarning, match="色泽.*purple") as caught:
        getattr(model, verb)(new)
    assert len([w for w in caught if w.category is UnseenCategoryWarning]) == 1


@each
def test_missing_values_have_a_rule_or_a_clear_error(entry):
    frame, y = mixed(entry)
    frame.loc[3, "密度"] = np.nan
    frame.loc[5, "色泽"] = None
    if takes(entry).missing:
        for values in answers(build(entry).fit(frame, y), frame).values():
            assert len(values) == len(frame)
    else:
        with pytest.raises(ValueError, match=r"NaN.*密度.*色泽.*SimpleImputer"):
            build(entry).fit(frame, y)


@each
def test_weights_equal_repeated_rows(entry):
    if not entry.weights or entry.name in BATCHED:
        pytest.skip("has no weights, or draws batches of rows by their numbers")
    if entry.name in CHANCES:
        pytest.skip(CHANCES[entry.name])
    X, y = numbers(entry, enough(entry))
    weight = np.random.RandomState(1).randint(0, 4, len(X))
    weight[:3] = 1  # the fixed start must be there in both
    keep = np.repeat(np.arange(len(X)), weight)
    heavy = build(entry, X).fit(X, y, sample_weight=weight)
    repeated = build(entry, X).fit(X[keep], y[keep])
    assert_same(answers(heavy, X), answers(repeated, X), rtol=1e-9, atol=1e-12)


@each
def test_order_of_rows_does_not_matter(entry):
    if entry.name in BATCHED:
        pytest.skip("draws batches of rows by their numbers")
    if entry.name in COLUMN_A_ROW:
        pytest.skip("its columns are the rows learned from, in their order")
    if entry.name in BY_ROUNDS:
        pytest.skip("hundreds of rounds make much of rounding")
    X, y = numbers(entry, enough(entry))
    order = np.random.RandomState(2).permutation(len(X))
    one = renumbered(entry, answers(build(entry, X).fit(X, y), X))
    other = renumbered(entry, answers(build(entry, X).fit(X[order], y[order]), X))
    assert_same(one, other, rtol=1e-9, atol=1e-12)


@each
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of few members on clusters that meet
@pytest.mark.filterwarnings("ignore::lanatus.table.UnseenCategoryWarning")  # of numbers taken as codes
def test_same_seed_same_answer(entry):
    X, y = numbers(entry, 150, spread=5.0)
    learnt = slice(100)  # of rows that they learnt by heart, trees of different draws say the same
    assert_same(*(answers(seeded(entry).fit(X[learnt], y[learnt]), X) for _ in range(2)))


@each
@pytest.mark.parametrize(("dtype", "teams"), [(np.float64, (1, 2, 5)), (np.float32, (1, 2))], ids=["64", "32"])
def test_threads_do_not_matter(entry, dtype, teams):
    """One, two and five threads, which share nothing evenly, for float64; one and two for float32.

    Kernels cut the rows of both types into the same chunks, so what only five threads show is shown by the one type.
    """
    X, y = numbers(entry, 5000, dtype=dtype)
    if entry.name == "OneHotEncoder":  # a column for every value
        X = X.round(1)
    few = slice(FEW_ROWS.get(entry.name))
    found = []
    for n_threads in teams:
        with threadpool_limits(n_threads):
            found.append(answers(build(entry).fit(X[few], y[few]), X))
    for other in found[1:]:
        assert_same(found[0], other, **({"rtol": 1e-6, "atol": 1e-9} if entry.name in BY_LAPACK else {}))


@each
def test_float32_is_kept(entry):
    X, y = numbers(entry, dtype=np.float32)
    model = build(entry)
    if np.float32 not in [
        np.dtype(d) for d in getattr(model.__sklearn_tags__().transformer_tags, "preserves_dtype", [])
    ]:
        pytest.skip("gives no numbers of X's own type")
    assert model.fit(X, y).transform(X).dtype == np.float32


@each
def test_pickle_clone_and_skops(entry, tmp_path):
    frame, y = mixed(entry)
    model = fitted_on_mixed(entry)
    expected = answers(model, frame)
    assert_same(answers(pickle.loads(pickle.dumps(model)), frame), expected)
    loaded = lanatus.load(lanatus.save(model, tmp_path / "model.skops"))
    assert type(loaded) is type(model)
    assert_same(answers(loaded, frame), expected)
    assert_same(answers(clone(model).fit(frame, y), frame), expected)


@each
def test_what_is_learned_keeps_its_own_rules(entry):
    """A rule of the state that a fitted model breaks would refuse its file."""
    check_state(fitted_on_mixed(entry))
    check_state(build(entry))  # not fitted, as a fitted model that wraps another keeps it


@each
def test_input_is_left_alone(entry):
    X, y = numbers(entry)
    before = X.copy()
    X.flags.writeable = False
    answers(build(entry).fit(X, y), X)
    np.testing.assert_array_equal(X, before)
    frame, y = mixed(entry)
    kept = frame.copy(deep=True)
    answers(build(entry).fit(frame, y), frame)
    pd.testing.assert_frame_equal(frame, kept)


def _arrays_in(thing, depth=0):
    """The arrays that a fitted model holds, in lists, dicts and parts too; of public names, as users read them."""
    if isinstance(thing, np.ndarray):
        yield thing
    elif depth < 3 and isinstance(thing, list | tuple):
        for part in thing:
            yield from _arrays_in(part, depth + 1)
    elif depth < 3 and isinstance(thing, dict):
        for part in thing.values():
            yield from _arrays_in(part, depth + 1)


# Arrays that a user may give as a parameter, for three classes or components of four columns.
_GIVEN = {
    "priors": np.full(3, 1 / 3),
    "class_prior": np.full(3, 1 / 3),
    "weights_init": np.full(3, 1 / 3),
    "means_init": np.arange(12.0).reshape(3, 4),
    "covariances_init": np.tile(np.eye(4), (3, 1, 1)),
    "init": np.arange(12.0).reshape(3, 4),
    "attribute_costs": np.ones(4),
}
KEEPS_ROWS = {"KernelDensity", "KNeighborsDensity", "ParzenWindow"}  # whose model is the rows, and who say so


@each
def test_what_is_learned_is_no_array_of_the_caller(entry):
    """A change of X, y, weights or an array given as a parameter, after the fit, must not change the model."""
    X, y = numbers(entry)
    weight = np.ones(len(X))
    model = build(entry)
    given = {name: value.copy() for name, value in _GIVEN.items() if name in model.get_params(deep=False)}
    given |= {"n_components": 3} if "weights_init" in given else {}
    if entry.name in ("KMeans", "GaussianMixture") or {"priors", "class_prior", "attribute_costs"} & set(given):
        model.set_params(**given)
    model.fit(X, y, **({"sample_weight": weight} if entry.weights else {}))
    if entry.name in KEEPS_ROWS:
        return
    callers = [X, weight, *(value for value in given.values() if isinstance(value, np.ndarray))]
    callers += [y] if isinstance(y, np.ndarray) else []
    for name, value in vars(model).items():
        if name.endswith("_") and not name.startswith("_"):
            for array in _arrays_in(value):
                assert not any(np.shares_memory(array, one) for one in callers), name


@each
def test_a_failed_fit_leaves_no_half_fitted_model(entry):
    X, y = numbers(entry)
    bad = X.copy()
    bad[0, 0] = np.inf
    fresh = build(entry)
    with pytest.raises(ValueError):
        fresh.fit(bad, y)
    assert not [name for name in vars(fresh) if name.endswith("_")]
    model = build(entry).fit(X, y)
    expected = answers(model, X)
    with pytest.raises(ValueError):
        model.fit(bad, y)
    assert_same(answers(model, X), expected)


def _bad_inputs():
    X, _ = numbers()
    inf = X.copy()
    inf[2, 1] = np.inf
    junk = X.astype(object)
    junk[0, 0] = {"a": 1}
    return {
        "empty": np.empty((0, 4)),
        "no columns": np.empty((5, 0)),
        "one dimension": X[:, 0],
        "three dimensions": X[None],
        "a number": 3.0,
        "None": None,
        "a string": "melon",
        "inf": inf,
        "junk": junk,
        "ragged": [[1.0, 2.0], [3.0]],
        "complex": X + 1j,
        "list of objects": [[object()], [object()]],
        "duplicate names": pd.DataFrame(X[:, :2], columns=["a", "a"]),
    }


@each
def test_bad_input_gives_a_clear_error(entry):
    failures = Failures()
    for kind, X in _bad_inputs().items():
        if kind == "three dimensions" and entry.name in OF_SEQUENCES:
            continue
        n = len(X) if hasattr(X, "__len__") and not isinstance(X, str) else 3
        y = (np.arange(n) + 1.0 if is_regressor(build(entry)) else np.array(["a", "b"] * n))[:n]
        with failures.of(kind):
            with pytest.raises((ValueError, TypeError)) as error:
                build(entry).fit(X, y)
            assert len(str(error.value)) > 15
    failures.tell()


@each
def test_extreme_values_do_not_crash(entry):
    X, y = numbers(entry)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for scale in (1e300, 1e-300, 1e150):
            with suppress(ValueError):  # a refusal is fine, a crash or another error is not
                got = answers(build(entry).fit(X * scale, y), X * scale)
                assert all(len(values) == len(X) for values in got.values())


@contextmanager
def refusing_one_class(model):
    """What learns labels may say that it has nothing to tell apart, or that of one row there is no other."""
    try:
        yield
    except ValueError as refusal:
        words = r"1 class|one class|single class|two classes|2 classes"
        if not is_classifier(model):  # a transformer that learns from a target
            words += r"|minimum of 2"
        if not (get_tags(model).target_tags.required and re.search(words, str(refusal))):
            raise


@each
def test_one_row_one_class_constant_columns(entry):
    X, y = numbers(entry)
    model = build(entry)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        constant = np.ones_like(X)
        got = answers(model.fit(constant, y), constant)
        assert all(np.isfinite(values).all() for values in got.values() if values.dtype.kind == "f")
        if is_regressor(model):
            level = answers(build(entry).fit(X, np.full(len(X), 3.0)), X)["predict"]
            if entry.name not in NO_CONSTANT:
                np.testing.assert_allclose(level, 3.0, rtol=1e-6)
        elif entry.name not in OF_NUMBERS:
            with refusing_one_class(model):
                one_class = answers(build(entry).fit(X, np.full(len(X), "only")), X)
                if hasattr(model, "classes_") and "predict" in one_class:
                    assert set(one_class["predict"]) == {"only"}
        single = build(entry)
        if "n_clusters" in single.get_params():
            with pytest.raises(ValueError, match="n_samples=1"):
                single.fit(X[:1], y[:1])
            single.set_params(n_clusters=1)
        with refusing_one_class(model):
            assert len(next(iter(answers(single.fit(X[:1], y[:1]), X[:1]).values()))) == 1


@each
def test_sparse_equals_dense_or_is_refused(entry):
    X, y = numbers(entry, enough(entry))
    X = np.abs(X) * (np.random.RandomState(0).rand(*X.shape) < 0.4)
    dense = answers(build(entry, X).fit(X, y), X) if takes(entry).sparse else None
    failures = Failures()
    for make in (sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array):
        with failures.of(make.__name__):
            if dense is None:
                with pytest.raises((TypeError, ValueError), match=r"[Ss]parse"):
                    build(entry).fit(make(X), y)
            else:
                sparse = answers(build(entry, X).fit(make(X), y), make(X))
                assert_same(sparse, dense, rtol=1e-7, atol=1e-9)
    failures.tell()


@each
def test_labels_of_any_kind(entry):
    X, y = numbers(entry)
    if not learns_labels(build(entry)) or not hasattr(model := build(entry).fit(X, y), "classes_"):
        pytest.skip("learns no labels")
    expected = model.predict(X)
    for labels in (pd.Series(y), pd.Series(y, dtype="category"), pl.Series(y), pa.array(y), list(y)):
        np.testing.assert_array_equal(build(entry).fit(X, labels).predict(X), expected)
    coded = np.unique(y, return_inverse=True)[1]
    for kind in (coded, coded.astype(float), coded > 0):
        assert build(entry).fit(X, kind).predict(X).dtype == np.asarray(kind).dtype
    partly = np.where(np.arange(len(y)) == 3, None, y)
    if entry.path.startswith("lanatus.semi."):
        np.testing.assert_array_equal(build(entry).fit(X, partly).classes_, model.classes_)
    else:
        with pytest.raises(ValueError, match=r"missing|NaN"):
            build(entry).fit(X, partly)


def test_set_output_gives_the_frame_asked():
    frame, y = mixed()
    entry = next(entry for entry in ENTRIES if entry.name == "StandardScaler")
    out = build(entry).set_output(transform="polars").fit(frame, y).transform(frame)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == list(frame.columns)


@each
def test_metadata_routing_takes_the_weights(entry):
    if not entry.weights or not hasattr(entry.object, "set_fit_request"):
        pytest.skip("has no weights to route")
    X, y = numbers(entry, enough(entry))
    weight = np.random.RandomState(0).randint(1, 4, len(X)).astype(float)
    with config_context(enable_metadata_routing=True):
        step = build(entry, X).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), step).fit(X, y, sample_weight=weight)
        direct = build(entry, X).fit(X, y, sample_weight=weight)
    assert_same(answers(pipeline[-1], X), answers(direct, X))
