"""Pictures of partial dependence."""

from typing import TYPE_CHECKING, Any

import numpy as np

from lanatus.canvas import axes_for, drawn, plain

if TYPE_CHECKING:
    from lanatus.explain._partial_dependence import PartialDependence


class PartialDependenceDisplay:
    """Mean answers on a grid, ready to be drawn: `PartialDependence.plot` makes one and draws it.

    Parameters
    ----------
    result : PartialDependence
        What `partial_dependence` gave.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    """

    ax_: Any
    figure_: Any

    def __init__(self, result: "PartialDependence") -> None:
        self.result = result

    @drawn
    def plot(self, ax: Any = None, *, output: Any = None) -> "PartialDependenceDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        output : label or int, optional
            Which output.

        Returns
        -------
        PartialDependenceDisplay
        """
        shown = self._shown(output)
        self.ax_ = axes_for(ax, figsize=(6, 4))
        self.figure_ = self.ax_.get_figure(root=True)
        if len(self.result.grid_values) == 2:
            self._draw_map(shown[0])
        else:
            self._draw_lines(shown)
        self._label(0, self.ax_.set_xlabel, self.ax_.set_xticks)
        return self

    def _shown(self, output: Any) -> list[int]:
        names, count = self.result.output_names, len(self.result.average)
        if output is not None:
            known = list(range(count)) if names is None else list(names)
            if output not in known:
                raise ValueError(f"output must be one of {known}; got {output!r}.")
            return [known.index(output)]
        if count == 2 and names is not None:
            return [1]
        if count > 1 and len(self.result.grid_values) == 2:
            raise ValueError(f"a map shows one output; choose one of {names or list(range(count))}.")
        return list(range(count))

    def _name(self, at: int) -> str:
        if self.result.output_names is not None:
            what = "probability" if self.result.response == "predict_proba" else "score"
            return f"{what} of {self.result.output_names[at]}"
        return "mean answer" if self.result.response == "predict" else "mean score"

    def _is_number(self, axis: int) -> bool:
        return self.result.columns[axis].kind == "numeric"

    def _label(self, axis: int, name: Any, ticks: Any) -> None:
        name(plain(self.result.feature_names[axis]))
        if not self._is_number(axis):
            values = self.result.grid_values[axis]
            ticks(range(len(values)), [plain(str(value)) for value in values])

    def _places(self, axis: int) -> np.ndarray:
        values = self.result.grid_values[axis]
        return values if self._is_number(axis) else np.arange(len(values))

    def _draw_lines(self, shown: list[int]) -> None:
        x, width = self._places(0), 0.8 / len(shown)
        for place, at in enumerate(shown):
            if self._is_number(0):
                self.ax_.plot(x, self.result.average[at], label=plain(self._name(at)))
            else:
                shift = (place - (len(shown) - 1) / 2) * width
                self.ax_.bar(x + shift, self.result.average[at], width, label=plain(self._name(at)))
        if len(shown) > 1:
            self.ax_.legend()
        else:
            self.ax_.set_ylabel(plain(self._name(shown[0])))
        self.ax_.grid(axis="y", alpha=0.3)

    def _draw_map(self, at: int) -> None:
        x, y, height = self._places(0), self._places(1), self.result.average[at].T
        if self._is_number(0) and self._is_number(1) and min(len(x), len(y)) > 1:
            coloured = self.ax_.contourf(x, y, height, levels=12)
        else:
            coloured = self.ax_.pcolormesh(x, y, height, shading="nearest")
        self.figure_.colorbar(coloured, ax=self.ax_, label=plain(self._name(at)))
        self._label(1, self.ax_.set_ylabel, self.ax_.set_yticks)
