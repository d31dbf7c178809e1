"""Mixtures and the EM algorithm (sections 7.6 and 9.4.3).

Its steps are for other mixtures too: `components` ready for the kernels, `tally` of a block of rows, `moments` of the
sums.
"""

from lanatus.density.mixture._covariance_shapes import SHAPES, factors_of
from lanatus.density.mixture._em_steps import (
    Components,
    components,
    kept_where_empty,
    moments,
    posteriors,
    regularised,
    shaped,
    tally,
)

__all__ = [
    "SHAPES",
    "Components",
    "components",
    "factors_of",
    "kept_where_empty",
    "moments",
    "posteriors",
    "regularised",
    "shaped",
    "tally",
]
