"""Rows that are matrices, and what is learned of their two sides."""

from typing import Any

import numpy as np

from lanatus.params import Integer, Nothing, ParameterRule, Satisfies
from lanatus.reduce._reducer import Reducer


def _is_shape(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(Integer(low=1).accepts(size) for size in value) and len(value) > 0


SHAPE: ParameterRule = Satisfies(_is_shape, "a tuple of sizes such as (64, 48)") | Nothing()


class MatrixReducer(Reducer):
    """Base of reductions whose rows are tensors, unrolled: ``images.reshape(len(images), -1)`` with their `shape`."""

    shape: Any
    _n_out: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _tensors(self, X: Any, *, reset: bool, order: int | None = 2) -> np.ndarray:
        """X as rows that are tensors; one row of numbers is a matrix of one line where no shape is given."""
        rows = np.asarray(self._take(X, reset=reset), dtype=np.float64)
        shape = self._shape(rows.shape[1], order)
        return rows.reshape(len(rows), *shape)

    def _shape(self, d: int, order: int | None = 2) -> tuple[int, ...]:
        if self.shape is None:
            return (1, d) if order == 2 else (d,)
        shape = tuple(int(size) for size in self.shape)
        if int(np.prod(shape)) != d or (order is not None and len(shape) != order):
            wanted = f"{order} sizes" if order is not None else "sizes"
            raise ValueError(f"shape={shape} does not fit rows of {d} numbers; wanted {wanted} whose product is {d}.")
        return shape

    @property
    def _n_features_out(self) -> int:
        return self._n_out


def folded(Z: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Reduced rows as tensors again, checked."""
    Z = np.asarray(Z, dtype=np.float64)
    if Z.ndim != 2 or Z.shape[1] != int(np.prod(shape)):
        raise ValueError(
            f"got rows of shape {Z.shape}; wanted rows of {int(np.prod(shape))} numbers, as transform gives."
        )
    return Z.reshape(len(Z), *shape)
