"""Labels of bags, wrong labels, rows of another task."""
