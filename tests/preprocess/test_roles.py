"""What a raw column is: numbers, truth values, dates, categories, text and names of rows, however written."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lanatus.preprocess.cleaning._raw_columns import RawColumn, raw_columns
from lanatus.preprocess.cleaning._roles import read_role, read_roles
from lanatus.preprocess.cleaning._values import days_of, numbers_of, truths_of

DAY = datetime.date(1970, 1, 1)


def column(values, name="c"):
    return raw_columns(pa.table({name: values}))[0][0]


def role(values, name="c"):
    return read_role(column(values, name)).role


def numbers(values, name="c"):
    raw = column(values, name)
    reading = read_role(raw)
    assert reading.role == "numeric", reading
    return numbers_of(raw, reading.how).tolist()


def dates(values, name="c"):
    raw = column(values, name)
    reading = read_role(raw)
    assert reading.role == "date", reading
    found = days_of(raw, reading.how)
    return [None if np.isnan(day) else DAY + datetime.timedelta(int(np.floor(day))) for day in found]


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["1,234.5", "12", "1,234,567"], [1234.5, 12, 1234567]),
        (["1.234,5", "12", "1.234.567,25"], [1234.5, 12, 1234567.25]),
        (["1 234", "12 345 678", "5"], [1234, 12345678, 5]),
        (["1\u202f234,5", "12,25", "7"], [1234.5, 12.25, 7]),
        (["1'234.50", "12.25", "7"], [1234.5, 12.25, 7]),
        (["12,34,567", "1,000", "5"], [1234567, 1000, 5]),
        (["¥1,200", "￥ 30", "$5.50", "-$2", "€7", "£8", "12元", "3 USD"], [1200, 30, 5.5, -2, 7, 8, 12, 3]),
        (["45%", "7.5 %", "100%"], [0.45, 0.075, 1.0]),
        (["１２３", "４．５", "－６"], [123, 4.5, -6]),
        (["(1,234)", "($5)", "300-", "−7"], [-1234, -5, -300, -7]),
        (["1e3", ".5", "-2E-2", "+4"], [1000, 0.5, -0.02, 4]),
        (["0,697", "0,774", "12,5"], [0.697, 0.774, 12.5]),
    ],
)
def test_numbers_however_written(written, meant):
    np.testing.assert_allclose(numbers(written), meant, rtol=1e-15)


def test_three_digits_after_a_comma_are_thousands_and_after_a_point_are_not():
    assert numbers(["1,234", "5,678", "12"]) == [1234, 5678, 12]
    assert numbers(["1.234", "5.678", "12"]) == [1.234, 5.678, 12]


def test_a_column_that_can_only_have_decimal_commas_decides_for_the_others():
    columns, _ = raw_columns(pa.table({"a": ["1.234", "5.678"] * 5, "b": ["1.234,5", "2,5"] * 5}))
    readings = read_roles(columns)
    assert numbers_of(columns[0], readings["a"].how)[0] == 1234
    columns, _ = raw_columns(pa.table({"a": ["1.234", "5.678"] * 5, "b": ["1.234,5"] * 10, "c": ["1,234.5"] * 10}))
    assert numbers_of(columns[0], read_roles(columns)["a"].how)[0] == 1.234  # the table says both: no hint


def test_signs_of_missing_numbers_are_missing():
    found = numbers(["1", "n/a", "2", "-", "unknown", "3", "缺失", " ", None, "#DIV/0!"])
    np.testing.assert_array_equal(found, [1, np.nan, 2, np.nan, np.nan, 3] + [np.nan] * 4)


def test_few_whole_numbers_stay_numbers_and_so_do_0_and_1():
    assert role([1, 2, 3, 1, 2, 3] * 5) == "numeric"
    assert role(["1", "2", "3"] * 10) == "numeric"
    assert role([0, 1] * 10) == "numeric"
    assert role([0.0, 1.0, None] * 10) == "numeric"


def test_digits_with_leading_zeros_are_codes():
    assert role(["00501", "02139", "90210"] * 10) == "nominal"


def test_words_among_numbers_are_told_apart():
    values = [str(i) for i in range(90)] + ["closed"] * 6 + ["broken"] * 4
    reading = read_role(column(values))
    assert (reading.role, reading.strays, reading.how["words"]) == ("numeric", 10, ["broken", "closed"])
    few = read_role(column([str(i) for i in range(999)] + ["slip"]))
    assert (few.role, few.strays, few.how.get("words")) == ("numeric", 1, None)
    assert role(["0", "1", "2", "3+"] * 20) == "nominal"  # a scale, and no measurement
    assert role([str(i) for i in range(40)] + ["a", "b", "c"] * 20) == "nominal"  # mostly words


def test_times_of_day_are_hours():
    np.testing.assert_allclose(numbers(["9:30", "21:15:36", "9:30 PM", "12:00 am"]), [9.5, 21.26, 21.5, 0])


# ---------------------------------------------------------------- truth values


@pytest.mark.parametrize(
    ("yes", "no"),
    [("yes", "no"), ("Y", "N"), ("TRUE", "False"), ("t", "f"), ("是", "否"), ("有", "无"), ("On", "OFF")],
)
def test_truth_values_in_words(yes, no):
    raw = column([yes, no, f" {yes} ", None, no])
    assert read_role(raw).role == "boolean"
    assert truths_of(raw).tolist() == [1, 0, 1, -1, 0]


def test_more_than_two_words_are_no_truth_values():
    assert role(["yes", "no", "maybe"] * 10) == "nominal"
    assert role(["yes", "no", "?"] * 10) == "boolean"
    assert role(["f", "m"] * 10) == "nominal"
    assert role([True, False, None] * 5) == "boolean"


def test_one_rare_word_in_many_rows_is_seen():
    values = np.where(np.arange(200_000) % 2 == 0, "yes", "no").astype(object)
    values[123_457] = "maybe"
    assert role(pa.array(values)) == "nominal"


# ---------------------------------------------------------------- dates

MARCH = datetime.date(2024, 3, 1)


@pytest.mark.parametrize(
    "written",
    [
        "2024-03-01", "2024/03/01", "2024/3/1", "2024.03.01", "2024年3月1日", "2024年03月01日 10时30分", "1 Mar 2024",
        "01-Mar-2024", "March 1, 2024", "Mar 1 2024", "Fri, 01 March 2024", "2024-03-01 10:30", "2024-03-01T10:30:00Z",
        "2024-03-01T10:30:00.125+08:00", "20240301T103000", "1st March 2024", "２０２４－０３－０１",
    ],
)  # fmt: skip
def test_dates_however_written(written):
    assert dates([written, "2024-03-02", "2023-12-31"])[0] == MARCH


def test_the_order_of_day_and_month_is_told_by_the_values():
    assert dates(["3/1/2024", "12/31/2023"]) == [MARCH, datetime.date(2023, 12, 31)]
    assert dates(["1/3/2024", "31/12/2023"]) == [MARCH, datetime.date(2023, 12, 31)]
    assert dates(["01.03.24", "31.12.99"]) == [MARCH, datetime.date(1999, 12, 31)]
    known = {text: read_role(column([text, text])).how for text in ("3/1/2024", "1.3.2024")}
    assert known["3/1/2024"] == {"day_first": False, "order_known": False}
    assert known["1.3.2024"] == {"day_first": True, "order_known": False}


def test_one_late_date_tells_the_order_of_a_long_column():
    values = ["1/3/2024"] * 60_000 + ["31/12/2023"]
    assert read_role(column(values)).how == {"day_first": True, "order_known": True}


def test_several_formats_holes_and_slips_in_one_column():
    values = ["2024-03-01", "1 March 2024", "2024年3月1日", "3/1/2024", "n/a", None] * 5 + ["30 February 2024"]
    found = dates(values)
    assert found[:6] == [MARCH] * 4 + [None, None]
    assert found[-1] is None
    assert read_role(column(values)).strays == 1


def test_compact_dates_need_a_name_that_says_so():
    assert role([20240301, 20240302, 20231231] * 5, "date") == "date"
    assert dates(["20240301", "20240302"] * 5, "订单日期")[0] == MARCH
    assert role([20240301, 20240302, 20231231] * 5, "amount") == "numeric"
    assert role([20240301, 20241302] * 5, "date") == "numeric"  # no 13th month


def test_date_types_of_every_library():
    days = [datetime.date(2024, 3, 1), None, datetime.date(2024, 3, 9)]
    for frame in (pa.table({"d": days}), pl.DataFrame({"d": days}), pd.DataFrame({"d": pd.to_datetime(days)})):
        raw = raw_columns(frame)[0][0]
        assert read_role(raw).role == "date"
        assert days_of(raw, {})[2] == 19791
        assert np.isnan(days_of(raw, {})[1])


def test_zones_are_taken_into_account():
    raw = column(["2024-03-01 01:00 +08:00", "2024-03-01 01:00 -05:00", "2024-03-01 01:00 UTC"])
    np.testing.assert_allclose(days_of(raw, read_role(raw).how) - 19783, [-7 / 24, 6 / 24, 1 / 24], atol=1e-9)


# ---------------------------------------------------------------- words


def test_free_text_in_two_languages():
    assert role([f"the {i}th melon was sweet and crisp, we liked it" for i in range(30)]) == "text"
    assert role([f"这个西瓜很甜我非常喜欢下次还会再买第{i}个" for i in range(30)]) == "text"
    assert role(["北京", "上海", "广州"] * 10) == "nominal"
    assert role(["never married", "married, spouse away", "widowed"] * 20) == "nominal"


def test_names_of_rows():
    assert role([f"AB{i:04d}" for i in range(40)]) == "identifier"
    assert role(list(range(1000, 1040))) == "identifier"  # one more in each row
    shuffled = np.random.RandomState(0).permutation(500)
    assert role(shuffled * 7, "customer_id") == "identifier"
    assert role(shuffled * 7, "编号") == "identifier"
    assert role(shuffled * 7, "weight") == "numeric"
    assert role(shuffled, "anything") == "identifier"  # each of 0..499 once
    assert role(shuffled, "rank") == "numeric"
    assert role([str(i) for i in range(60)], "PassengerId") == "identifier"


def test_what_is_no_name_of_a_row():
    rng = np.random.RandomState(0)
    assert role(rng.randn(200), "id") == "numeric"  # measured: all different by nature
    assert role(rng.rand(20)) == "numeric"
    assert role(list(range(1990, 2020)), "year") == "numeric"
    assert role(rng.randint(0, 9, 200), "num") == "numeric"
    assert role(["a", "b", "c", "d"]) == "nominal"  # too few rows to tell


def test_nothing_in_it():
    assert role([None] * 5) == "empty"
    assert role(["", " ", None]) == "empty"
    assert role([np.nan, np.nan, np.inf]) == "empty"
    assert role([3] * 5) == "constant"
    assert role(["x"] * 50) == "constant"
    assert role(["x", None] * 20) == "nominal"  # that it is missing may tell
    assert role([1.0] * 500 + [None]) == "constant"


def test_declared_categories_are_left_alone():
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(["s", "l", "m"] * 5, categories=["s", "m", "l"], ordered=True),
            "code": pd.Categorical(["1", "2", "3"] * 5),
            "number": pd.Categorical([1, 2, 3] * 5),
        }
    )
    readings = read_roles(raw_columns(frame)[0])
    assert {name: reading.role for name, reading in readings.items()} == {
        "size": "ordinal", "code": "nominal", "number": "nominal",
    }  # fmt: skip
    assert readings["size"].how["categories"] == ["s", "m", "l"]


def test_python_values_of_several_types_in_one_column():
    frame = pd.DataFrame({"c": [1, "2", 3.5, None, "1,000"] * 10}, dtype=object)
    raw = raw_columns(frame)[0][0]
    assert read_role(raw).role == "numeric"
    np.testing.assert_array_equal(numbers_of(raw, read_role(raw).how)[:5], [1, 2, 3.5, np.nan, 1000])


def test_nested_values_are_refused():
    with pytest.raises(TypeError, match=r"column 'c' has type list.*Convert or drop"):
        RawColumn("c", pa.array([[1], [2]]))
    with pytest.raises(TypeError, match=r"column 'c'.*got list"):
        raw_columns(pd.DataFrame({"c": [[1], [2]]}))


def test_roles_do_not_depend_on_the_number_of_rows():
    def table(n):
        rng = np.random.RandomState(0)
        return pa.table(
            {
                "money": [f"{value:,.2f}" for value in 10_000 * rng.rand(n)],
                "when": [f"{day}/{1 + day % 12}/2023" for day in 1 + rng.permutation(n) % 28],
                "sold": rng.choice(["yes", "no"], n),
                "colour": rng.choice(["red", "green", "blue"], n),
                "size": rng.randn(n),
                "note": [f"number {i} is a fine one, said {i % 7}" for i in range(n)],
                "id": [f"K{i:06d}" for i in range(n)],
            }
        )

    few, many = ({n: r.role for n, r in read_roles(raw_columns(table(n))[0]).items()} for n in (20, 30_000))
    assert few == many
    assert few == {
        "money": "numeric", "when": "date", "sold": "boolean", "colour": "nominal", "size": "numeric", "note": "text",
        "id": "identifier",
    }  # fmt: skip
