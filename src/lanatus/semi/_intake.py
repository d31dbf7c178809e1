"""What comes in for learners of different kinds."""

from typing import Any

from lanatus._typing import override
from lanatus.base import Estimator, Numbers
from lanatus.wrapping import ForLearners, takes_of


class ForDifferentLearners(ForLearners):
    """Numbers for all as soon as one of ours knows nothing else.

    So a category that is new to all has no indicator for any, and no learner meets a hole that another one made.
    """

    @override
    def take(self, estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        learners = estimator._learners()
        if any(isinstance(one, Estimator) and not takes_of(one).nominal for one in learners):
            return Numbers(bounded=False).take(estimator, X, reset=reset, min_rows=min_rows)
        return super().take(estimator, X, reset=reset, min_rows=min_rows)
