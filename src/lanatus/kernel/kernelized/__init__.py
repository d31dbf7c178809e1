"""Linear learners made kernel learners, by the representer theorem of 6.6.

For models of other packages: what sums of kernels at all rows share.
"""

from lanatus.kernel.kernelized._kernel_model import KernelModel

__all__ = ["KernelModel"]
