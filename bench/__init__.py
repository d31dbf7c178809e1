"""Side-by-side benchmarks: ``make bench SUITE=kmeans``, or ``SUITE=all`` to write ``docs/benchmarks.md``."""
