"""Recall checks. Each is a named pure function that says whether one memory may be shown."""
