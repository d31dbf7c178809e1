"""Support vector machines with any kernel.

For machines of other packages: what `SupportVectorMachine` shares, and the dual problem with its solver.
"""

from lanatus.kernel.svm._dual import DualProblem, Solved, offset, solve
from lanatus.kernel.svm._duals import one_group
from lanatus.kernel.svm._kernel_rows import KernelRows
from lanatus.kernel.svm._machine import RULES, SupportVectorMachine, small_dense

__all__ = [
    "RULES",
    "DualProblem",
    "KernelRows",
    "Solved",
    "SupportVectorMachine",
    "offset",
    "one_group",
    "small_dense",
    "solve",
]
