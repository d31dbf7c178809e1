"""What typing has only in later versions of Python."""

import sys
from typing import TYPE_CHECKING

__all__ = ["override"]

if TYPE_CHECKING:  # checkers know this module even where it is not installed
    from typing_extensions import override
elif sys.version_info >= (3, 12):
    from typing import override
else:
    from collections.abc import Callable

    def override(method: Callable) -> Callable:
        """Mark a method that does what its base says; without a docstring of its own it has that of the base."""
        method.__override__ = True
        return method
