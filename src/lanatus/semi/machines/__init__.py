"""Support vector machines that use unlabelled rows (sections 13.3 and 13.7)."""
