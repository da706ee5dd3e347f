"""Questions asked of boards and logs: differences, drift, items, reproduction, pairs."""
