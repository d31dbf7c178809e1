"""Section 3.6: copies overfit, SMOTE less."""

import pytest

from lanatus.book import oversampling_overfit


@pytest.mark.covers("imbalance.oversampling-overfits")
def test_copies_overfit_and_smote_less():
    figures = list(oversampling_overfit())
    assert all(figure.agrees for figure in figures)
    found = {figure.what: float(figure.computed) for figure in figures}
    gap = {
        way: found[f"{way}: recall on its own rows"] - found[f"{way}: recall on new rows"]
        for way in ("copies", "SMOTE")
    }
    assert found["copies: recall on its own rows"] == 1
    assert gap["SMOTE"] < 0.7 * gap["copies"]
    assert found["copies: recall on new rows"] <= found["nothing: recall on new rows"] + 0.01
    assert found["SMOTE: balanced accuracy"] > found["copies: balanced accuracy"] + 0.05
    assert found["SMOTE: false alarms"] > 2 * found["copies: false alarms"]  # the price
