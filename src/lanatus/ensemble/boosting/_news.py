"""What `verbose` tells of the rounds of gradient boosting."""

import time
from typing import Any

from lanatus.callbacks import tell


class News:
    """A table of the losses, a line a round; with ``verbose=1`` of the first ten rounds, then of every tenth, ..."""

    def __init__(self, model: Any) -> None:
        self.model, self.start, self.step, self.done = model, time.perf_counter(), 1, 0
        columns = ["Iter", "Train Loss", *(["OOB Improve"] if model.subsample < 1 else []), "Remaining Time"]
        tell(" ".join([f"{columns[0]:>10}", *(f"{name:>16}" for name in columns[1:])]))

    def round(self, number: int) -> None:
        """Tell of a round, counted from 0, where it is its turn."""
        self.done += 1
        if self.done % self.step:
            return
        model = self.model
        left = (model.n_estimators - number - 1) * (time.perf_counter() - self.start) / self.done
        losses = [model.train_score_[number], *([model.oob_improvement_[number]] if model.subsample < 1 else [])]
        shown = f"{left / 60:.2f}m" if left > 60 else f"{left:.2f}s"
        tell(" ".join([f"{number + 1:>10}", *(f"{loss:>16.4f}" for loss in losses), f"{shown:>16}"]))
        if model.verbose == 1 and self.done >= 10 * self.step:
            self.step *= 10
