"""Pictures."""

from lanatus.plot._clusters import plot_clusters
from lanatus.plot._fonts import use_chinese

__all__ = ["plot_clusters", "use_chinese"]
