"""The outcome of a comparison: table, ranks, the right test, picture, frame."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lanatus.evaluation.comparison._runs import SplitResult
from lanatus.evaluation.measures._named_measures import Measure

if TYPE_CHECKING:
    from lanatus.evaluation.comparison._judge import Judgement


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` found. It prints as a table, and shows as one in a notebook.

    Attributes
    ----------
    runs : list of SplitResult
        Every fit with its scores, times, warnings and error.
    learners, data_sets : tuple of str
        What was compared, on what.
    measures : tuple of Measure
        What was measured; the first decides `best`, and is meant where a method is given none.
    design : {"resampled", "5x2", "hold-out", "leave-one-out"}
        What the splits are, as far as the choice of a test goes.
    control : str or None
        The learner that the others are tested against.
    alpha : float
        Level of the tests.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.evaluation import compare
    >>> result = compare([GaussianNB(), DummyClassifier()], load_iris(), measures="accuracy")
    >>> result.ranks().tolist()
    [[1.0, 2.0]]
    >>> result.test().meaning
    'GaussianNB is significantly better than DummyClassifier at level 0.05.'
    """

    runs: list[SplitResult]
    learners: tuple[str, ...]
    data_sets: tuple[str, ...]
    measures: tuple[Measure, ...]
    design: str
    control: str | None = None
    alpha: float = 0.05

    # ------------------------------------------------------------ numbers

    def measure(self, name: str | None = None) -> Measure:
        """The measure of a name; the first one for None."""
        if name is None:
            return self.measures[0]
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise ValueError(f"no measure {name!r}; measured were {', '.join(one.name for one in self.measures)}.")

    def values(self, measure: str | None = None) -> np.ndarray:
        """Scores of all runs, data sets x learners x splits; NaN where there is none."""
        name = self.measure(measure).name
        splits = max(run.split for run in self.runs) + 1
        out = np.full((len(self.data_sets), len(self.learners), splits), np.nan)
        for run in self.runs:
            out[self._cell(run) + (run.split,)] = run.scores[name]
        return out

    def means(self, measure: str | None = None) -> np.ndarray:
        """Mean score over the splits, data sets x learners; NaN for a learner that failed on one of them."""
        return self._over_splits(measure, np.mean)

    def deviations(self, measure: str | None = None) -> np.ndarray:
        """Standard deviation of the score over the splits, data sets x learners."""
        return self._over_splits(measure, lambda scores: np.std(scores, ddof=1) if len(scores) > 1 else 0.0)

    def ranks(self, measure: str | None = None) -> np.ndarray:
        """Rank of each learner on each data set, 1 the best; ties share the mean of their ranks, failures the last."""
        from lanatus.evaluation.significance._many_learners import rank_learners
        from lanatus.evaluation.significance._samples import grouped

        losses = self.means(measure) * (-1 if self.measure(measure).greater_is_better else 1)
        finite, last = np.isfinite(losses), len(self.learners) + 2
        places = grouped(np.where(finite, losses, 0.0))  # from 1 to the number of learners at most
        beyond = np.where(np.isnan(losses), last, np.where(losses > 0, last - 1, 0))
        return np.asarray(rank_learners(np.where(finite, places, beyond)))

    def mean_ranks(self, measure: str | None = None) -> np.ndarray:
        """Mean rank of each learner over the data sets."""
        return np.asarray(self.ranks(measure).mean(axis=0))

    @property
    def best(self) -> str:
        """The learner of the lowest mean rank; of several, the one named first."""
        return self.learners[int(np.argmin(self.mean_ranks()))]

    @property
    def failures(self) -> list[SplitResult]:
        """The runs that ended with an error."""
        return [run for run in self.runs if run.error]

    def seconds(self) -> np.ndarray:
        """Mean time of a fit, data sets x learners."""
        sums, counts = np.zeros((2, len(self.data_sets), len(self.learners)))
        for run in self.runs:
            sums[self._cell(run)] += run.fit_seconds
            counts[self._cell(run)] += 1
        return np.asarray(sums / counts)

    def test(
        self, measure: str | None = None, *, alpha: float | None = None, control: str | None = None
    ) -> "Judgement":
        """Test the differences in the way that suits the design.

        One data set: McNemar's test for a hold-out or leave-one-out, the combined 5x2 F test for `FiveByTwo`, the
        corrected resampled t test for folds and other resampling; all pairs (or all against the control) with Holm's
        correction. Several data sets: Wilcoxon's test for two learners; Friedman's F test for more, followed by
        Nemenyi's, or by Holm's against the control.

        Parameters
        ----------
        measure : str, optional
            Which measure; the first one by default.
        alpha : float, optional
            Level; that of the comparison by default.
        control : str, optional
            Learner to test the others against; that of the comparison by default.

        Returns
        -------
        Judgement
            The verdicts, why this test, and what it means.
        """
        from lanatus.evaluation.comparison._judge import judge

        return judge(
            self,
            self.measure(measure),
            self.alpha if alpha is None else alpha,
            self.control if control is None else control,
        )

    # ------------------------------------------------------------ out

    def to_frame(self, what: str = "summary", *, frame: Any = None) -> Any:
        """A frame of the outcome.

        Parameters
        ----------
        what : {"summary", "runs"}, default="summary"
            A row for each data set and learner, with means, deviations and rank; or a row for each fit.
        frame : {"pandas", "polars", "pyarrow"}, optional
            Kind of frame; pandas by default.

        Returns
        -------
        frame
        """
        from lanatus.table import resolve_frame, rows_as_frame

        if what not in ("summary", "runs"):
            raise ValueError(f"what must be 'summary' or 'runs'; got {what!r}.")
        rows = self._summary_rows() if what == "summary" else self._run_rows()
        return rows_as_frame(rows, resolve_frame(frame))

    def plot(self, measure: str | None = None, *, ax: Any = None) -> Any:
        """Draw the outcome: a critical-difference diagram over several data sets, the scores of the splits over one.

        Parameters
        ----------
        measure : str, optional
            Which measure; the first one by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        display object with ``figure_`` and ``ax_``
        """
        from lanatus.evaluation.comparison._critical_difference import CriticalDifferenceDisplay
        from lanatus.evaluation.comparison._score_strips import ScoresDisplay

        if len(self.data_sets) > 1:
            return CriticalDifferenceDisplay.from_comparison(self, measure=measure, ax=ax)
        return ScoresDisplay.from_comparison(self, measure=measure, ax=ax)

    def to_svg(self, measure: str | None = None) -> str:
        """The picture of `plot` as SVG; letters are outlines, so that Chinese shows where there is no such font.

        Parameters
        ----------
        measure : str, optional
            Which measure; the first one by default.

        Returns
        -------
        str
        """
        from lanatus.canvas import as_svg

        return as_svg(self.plot(measure))

    def to_html(self, path: str | Path | None = None) -> str:
        """A piece of HTML with tables, verdict and picture that needs nothing else.

        Parameters
        ----------
        path : path, optional
            Also write it there, as a page of its own.

        Returns
        -------
        str
        """
        from lanatus.evaluation.comparison._tables import as_html

        text = as_html(self)
        if path is not None:
            head = '<!doctype html><html><head><meta charset="utf-8"><title>Comparison</title></head><body>'
            Path(path).write_text(f"{head}{text}</body></html>\n", encoding="utf-8")
        return text

    def __str__(self) -> str:
        from lanatus.evaluation.comparison._tables import as_text

        return as_text(self)

    def __rich__(self) -> Any:
        from lanatus.evaluation.comparison._tables import as_rich

        return as_rich(self)

    def __repr__(self) -> str:
        return (
            f"Comparison({len(self.learners)} learners, {len(self.data_sets)} data sets, {len(self.runs)} fits, "
            f"best by {self.measures[0].name}: {self.best})"
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    # ------------------------------------------------------------ inside

    @cached_property
    def _places(self) -> tuple[dict[str, int], dict[str, int]]:
        return (
            {name: i for i, name in enumerate(self.data_sets)},
            {name: j for j, name in enumerate(self.learners)},
        )

    def _cell(self, run: SplitResult) -> tuple[int, int]:
        sets, learners = self._places
        return sets[run.data_set], learners[run.learner]

    def _over_splits(self, measure: str | None, statistic: Any) -> np.ndarray:
        values = self.values(measure)
        failed = {self._cell(run) for run in self.failures}
        out = np.full(values.shape[:2], np.nan)
        for cell in np.ndindex(*out.shape):
            scores = values[cell][~np.isnan(values[cell])]
            if len(scores) and cell not in failed:
                with np.errstate(invalid="ignore"):  # infinite scores have no deviation
                    out[cell] = statistic(scores)
        return out

    def _summary_rows(self) -> list[dict[str, Any]]:
        tables = {one.name: (self.means(one.name), self.deviations(one.name)) for one in self.measures}
        ranks, seconds = self.ranks(), self.seconds()
        failed = [self._cell(run) for run in self.failures]
        rows = []
        for cell in np.ndindex(*ranks.shape):
            row: dict[str, Any] = {"data_set": self.data_sets[cell[0]], "learner": self.learners[cell[1]]}
            for name, (means, deviations) in tables.items():
                row |= {name: float(means[cell]), f"{name}_deviation": float(deviations[cell])}
            rows.append(
                row | {"rank": float(ranks[cell]), "fit_seconds": float(seconds[cell]), "failures": failed.count(cell)}
            )
        return rows

    def _run_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "data_set": run.data_set,
                "learner": run.learner,
                "split": run.split,
                "n_train": run.n_train,
                "n_test": run.n_test,
                **run.scores,
                "fit_seconds": run.fit_seconds,
                "test_seconds": run.test_seconds,
                "error": run.error,
                "warnings": "; ".join(run.warnings),
            }
            for run in self.runs
        ]
